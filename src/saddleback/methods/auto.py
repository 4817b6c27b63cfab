"""The choice of ``method="auto"``: by capabilities, and between Newton and quasi-Newton by a model of their costs."""

from __future__ import annotations

from dataclasses import dataclass

from ..adversary import Adversary
from ..capabilities import offers
from ..losses import Losses
from ..losses.base import HasHessian, HasLinearization
from .interior_point import InteriorPoint
from .newton import Newton
from .quasi_newton import CONTROL as QUASI_NEWTON
from .quasi_newton import QuasiNewton


@dataclass(frozen=True)
class AutoControl:
    """The model of costs, in units of reading one entry of data.

    Round numbers between those measured on easy and on ill-conditioned tables (docs/benchmarks.md), for a gap of 1e-8.
    """

    newton_steps: int = 8
    """Evaluations of Newton's method; 5 to 10 measured."""
    newton_hessians: int = 4
    """Exact Hessians of Newton's method; 2 to 6 measured."""
    quasi_newton_steps: int = 100
    """Evaluations of quasi-Newton; 10 to 280 measured."""
    iteration: float = 1e5
    """The cost of an iteration without its evaluation: some tenths of a millisecond of Python, estimated low. Without
    this term functions of 50 parameters and a few losses would cost nearly nothing in the model, so that it would never
    choose Newton for them."""


CONTROL = AutoControl()


def choose_method(losses: Losses, adversary: Adversary | None = None) -> Newton | QuasiNewton | InteriorPoint:
    """Newton where the losses offer a Hessian and its steps are expected to cost less in all, else quasi-Newton.

    Of losses that are so many that their Jacobian is not formed, interior-point steps take the place of Newton's where
    the dual set and the regularizer, the ``adversary``, allow them.

    With N entries of data (n d for a table of n rows), an evaluation costs N. A Hessian adds N d multiplications, and
    its factorization d^3/3. Losses without ``n_entries`` are taken to read J d entries.
    """
    if not (_newton_is_cheaper(losses) and offers(losses, HasHessian)):
        return QuasiNewton()
    if adversary is not None and offers(losses, HasLinearization) and not InteriorPoint.needs.unmet(adversary, losses):
        return InteriorPoint()
    return Newton()


def _newton_is_cheaper(losses: Losses) -> bool:
    d = losses.n_params
    entries = float(getattr(losses, "n_entries", losses.n_losses * d))
    hessian = entries * d / QUASI_NEWTON.flops
    evaluation = CONTROL.iteration + entries
    newton = CONTROL.newton_steps * (evaluation + d**3 / 3 / QUASI_NEWTON.flops) + CONTROL.newton_hessians * hessian
    return newton <= CONTROL.quasi_newton_steps * evaluation
