"""How many matrices of the size of the losses (D) takes."""

from __future__ import annotations

import numpy as np

from ..adversary import Adversary
from ..linalg.hessians import Spectral, as_hessian
from ..regularizers import Zero
from .auto import Auto
from .base import InnerSolver
from .factored_subproblem import SMALL
from .path_following.newton_system import NARROW, stays_narrow
from .path_following.path_following import MANY_LOSSES, PathFollowing
from .qp.primal_form import PrimalForm
from .qp.quadratic_program import QuadraticProgram
from .response_newton import ResponseNewton
from .trust_constr import TrustConstr

# J x J matrices at the peak, as measured, and rather less, so that nothing is refused that would just fit.
OF_A_PROGRAM, OF_PATH_FOLLOWING, OF_TRUST_CONSTR, OF_OTHERS = 7, 3, 10, 1


def square_matrices(solver: InnerSolver, adversary: Adversary, d: int) -> int:
    """J x J matrices that ``solver`` needs at a time where Q = F F' has d columns F; 0 where F stands for them all."""
    J = adversary.n
    tall = d < J and J > SMALL
    if isinstance(solver, TrustConstr):
        return OF_TRUST_CONSTR
    if isinstance(solver, QuadraticProgram):
        return 0 if tall and PrimalForm.fits(adversary, J, d) else OF_A_PROGRAM
    if isinstance(solver, ResponseNewton):
        return 0 if tall else OF_PATH_FOLLOWING
    if not isinstance(solver, Auto | PathFollowing):
        return 0 if tall else OF_OTHERS
    if tall and _stays_narrow(adversary, d):
        return 0 if J >= MANY_LOSSES or isinstance(solver, PathFollowing) else OF_A_PROGRAM
    programs = isinstance(solver, Auto) and QuadraticProgram().refusal(adversary) is None
    return OF_A_PROGRAM if programs else OF_PATH_FOLLOWING


def _stays_narrow(adversary: Adversary, d: int) -> bool:
    """Whether the Newton systems of path following have the size of the parameters."""
    dual_set, R, J = adversary.dual_set, adversary.regularizer, adversary.n
    center = dual_set.center(J)
    # Only its form is asked for; of a set that is a point the numbers may be none.
    with np.errstate(all="ignore"):
        curvature = as_hessian(dual_set.barrier_hessian(center))
        if not isinstance(R, Zero):
            curvature = curvature.plus(as_hessian(R.hessian(center)))
    return d <= NARROW * J if isinstance(curvature, Spectral) else stays_narrow(curvature, J, d)
