"""What ``method="auto"`` means: a model of cost."""

from __future__ import annotations

from ..capabilities import offers
from ..losses import Losses
from ..losses.base import HasHessian
from .newton import Newton
from .quasi_newton import FLOPS, QuasiNewton

# Round numbers between what was measured on easy and on ill-conditioned tables (docs/benchmarks.md): evaluations and
# exact Hessians of Newton's method to a gap of 1e-8, 5 to 10 and 2 to 6, and evaluations of quasi-Newton, 10 to 280.
NEWTON_STEPS = 8
NEWTON_HESSIANS = 4
QUASI_NEWTON_STEPS = 100
# What an iteration costs beside its evaluation, in entries: some tenths of a millisecond of Python, counted low.
# Without it a plain function of 50 parameters and a few losses would seem to be free, and its Hessian never worth it.
ITERATION = 1e5


def choose(losses: Losses) -> Newton | QuasiNewton:
    """Newton where the losses offer a Hessian and its steps are expected to cost less in all, else quasi-Newton.

    With N entries of data (n d for a table of n rows), an evaluation costs N. A Hessian adds N d multiplications, and
    its factorization d^3/3. Losses without ``n_entries`` count as cheap: J d entries, beside the iteration itself.
    """
    return Newton() if _newton_is_cheaper(losses) and offers(losses, HasHessian) else QuasiNewton()


def _newton_is_cheaper(losses: Losses) -> bool:
    d = losses.n_params
    entries = float(getattr(losses, "n_entries", losses.n_losses * d))
    hessian = entries * d / FLOPS
    newton = NEWTON_STEPS * (ITERATION + entries + d**3 / 3 / FLOPS) + NEWTON_HESSIANS * hessian
    return newton <= QUASI_NEWTON_STEPS * (ITERATION + entries)
