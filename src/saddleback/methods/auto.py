"""The choice of ``method="auto"``: by capabilities, and between Newton and quasi-Newton by a model of their costs."""

from __future__ import annotations

from dataclasses import dataclass

from ..adversary import Adversary
from ..capabilities import offers
from ..losses import Losses
from ..losses.base import HasHessian, HasLinearization
from .interior_point import InteriorPoint
from .newton import Newton
from .quasi_newton import QuasiNewton


@dataclass(frozen=True)
class AutoControl:
    """The model of costs, in units of reading one entry of data.

    Round numbers between those measured on easy and on ill-conditioned tables, for a gap of 1e-8. On 36 tables of 2,000
    to 20,000 rows, 50 to 2,000 columns and 1 or 10 groups Newton took less time on all of up to 200 columns, on 6 of 8
    of 300, on 2 of 4 of 600, and on none of 2,000.
    """

    newton_steps: int = 7
    """Evaluations of Newton's method; 4 to 12 measured."""
    newton_hessians: int = 5
    """Hessians of Newton's method, one per step of the composite model; 3 to 11 measured."""
    quasi_newton_steps: int = 130
    """Evaluations of quasi-Newton; 9 to 250 measured. With more than 150 parameters each costs as much again for the
    sampled Hessian and the pairs."""
    flops: float = 15.0
    """Multiplications of a Hessian in the time in which an evaluation reads one entry; 11 to 22 measured on tables of
    100 to 1,000 columns."""
    near_newton_steps: int = 3
    near_newton_hessians: int = 2
    """The same from a start that is near the solution; on average 2.6 evaluations and 1.6 Hessians in selections."""
    near_quasi_newton_steps: int = 135
    """53 to 148 evaluations measured for softmax of 343 and 672 parameters: Newton took 0.63 of the time on both."""
    iteration: float = 1e5
    """The cost of an iteration without its evaluation: some tenths of a millisecond of Python, estimated low. Without
    this term functions of 50 parameters and a few losses would cost nearly nothing in the model, so that it would never
    choose Newton for them."""


CONTROL = AutoControl()


def choose_method(
    losses: Losses, adversary: Adversary | None = None, *, near: bool = False
) -> Newton | QuasiNewton | InteriorPoint:
    """Newton where the losses offer a Hessian and its steps are expected to cost less in all, else quasi-Newton.

    Of losses that are so many that their Jacobian is not formed, interior-point steps take the place of Newton's where
    the dual set and the regularizer, the ``adversary``, allow them, and the losses are ``curved`` everywhere: along
    directions without curvature these steps are too long.

    With N entries of data (n d for a table of n rows) and K margins per row, an evaluation costs N K. A Hessian of d
    parameters, or those of all losses, adds N K d multiplications, and its factorization d^3/3. Losses without
    ``n_entries`` are taken to read J d entries. ``near`` says that the start is near the solution, as that of a
    neighboring problem is.
    """
    if not (_newton_is_cheaper(losses, near) and offers(losses, HasHessian)):
        return QuasiNewton()
    many = adversary is not None and offers(losses, HasLinearization) and bool(getattr(losses, "curved", False))
    if many and not InteriorPoint.needs.unmet(adversary, losses):
        return InteriorPoint()
    return Newton()


def _newton_is_cheaper(losses: Losses, near: bool) -> bool:
    d = losses.n_params
    entries = float(getattr(losses, "n_entries", losses.n_losses * d)) * getattr(losses, "n_outputs", 1)
    return newton_is_cheaper(entries, d, near=near)


def newton_is_cheaper(entries: float, d: int, *, near: bool = False) -> bool:
    """The model of costs for evaluations that read so many entries, once for each output, and d parameters."""
    hessian = entries * d / CONTROL.flops
    evaluation = CONTROL.iteration + entries
    steps, hessians, others = (
        (CONTROL.near_newton_steps, CONTROL.near_newton_hessians, CONTROL.near_quasi_newton_steps)
        if near
        else (CONTROL.newton_steps, CONTROL.newton_hessians, CONTROL.quasi_newton_steps)
    )
    return steps * (evaluation + d**3 / 3 / CONTROL.flops) + hessians * hessian <= others * evaluation
