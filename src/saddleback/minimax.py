"""Plain minimax, in the form of scipy.optimize.minimize."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from os import PathLike
from typing import Any, ParamSpec, TypeVar

from numpy.typing import ArrayLike

from ._types import Vector
from ._validation import finite_vector
from .adversary import check_kinds
from .dual_sets import DualSet, Simplex
from .engine.options import CHECKPOINT_EVERY, Options
from .engine.progress import Callback
from .errors import ProblemError
from .losses import from_functions
from .machine.clock import Clock
from .methods import AnyMethod, named_method, refuse_without_losses
from .problem import Problem, positive_metric
from .regularizers import Regularizer, Zero
from .result import Result
from .solve import run_problem
from .subproblem import InnerSolver

P = ParamSpec("P")
R = TypeVar("R")

LIMITS = (
    "Limits on w are more functions, with an adversary who may fine them: dual_set=Product([Simplex(), Box(0, fine)], "
    "sizes=[J, n]); docs/start/functions.md has an example"
)
NAMES_ELSEWHERE = {
    "bounds": LIMITS,
    "constraints": LIMITS,
    "options": "Pass max_iter=, tol= and time_limit= themselves",
    "maxiter": "It is max_iter= here",
    "disp": "It is progress=True here",
    "hessp": "Pass hess(w, lam), the Hessian of sum_j lam_j f_j",
}
"""Arguments of SciPy's minimize that `minimax` has not, and what takes their place."""


def _advised(function: Callable[P, R]) -> Callable[P, R]:
    """The function, with advice where an argument of SciPy's minimize is passed that it has not."""

    @wraps(function)
    def called(*args: P.args, **options: P.kwargs) -> R:
        for name in options:
            if name in NAMES_ELSEWHERE:
                raise TypeError(f"minimax() has no argument {name!r}. {NAMES_ELSEWHERE[name]}.")
        return function(*args, **options)

    return called


@_advised
def minimax(
    fun: Callable[..., Any],
    w0: ArrayLike | None = None,
    args: Any = (),
    *,
    jac: Callable[..., Any] | bool | None = None,
    hess: Callable[..., Any] | None = None,
    check_jac: bool = False,
    dual_set: DualSet | None = None,
    regularizer: Regularizer | None = None,
    metric: ArrayLike | None = None,
    method: str | AnyMethod = "auto",
    inner: str | InnerSolver = "auto",
    tol: float = 1e-6,
    max_iter: int = 1000,
    time_limit: float | None = None,
    radius: float | None = None,
    callback: Callback | None = None,
    progress: bool = False,
    checkpoint: str | PathLike[str] | None = None,
    checkpoint_every: float = CHECKPOINT_EVERY,
    resume: bool = False,
    x0: ArrayLike | None = None,
) -> Result:
    """Minimize the largest of several functions, or g(w) = max over lam in Lambda of <lam, f(w)> - R(lam).

    Parameters
    ----------
    fun : callable
        ``fun(w) -> (J,)``: the losses; with ``jac=True``, ``fun(w) -> ((J,), (J, d))``.
    w0 : (d,) array
        Where to start; ``x0`` is another name for it.
    args : tuple
        Extra arguments: ``fun(w, *args)``, ``jac(w, *args)``, ``hess(w, lam, *args)``; anything but a tuple is passed
        as one argument.
    jac : callable, True or None
        ``jac(w) -> (J, d)``, row j the gradient of loss j. None takes central differences and warns once.
    hess : callable, optional
        ``hess(w, lam) -> (d, d)``: sum_j lam_j Hessian f_j(w), for ``method="newton"``, which "auto" then prefers.
    dual_set, regularizer
        Lambda and R; the simplex and zero unless given, so that g(w) = max_j f_j(w).
    metric : float or (d,) array, optional
        P > 0 of the norm |w|_P^2 = sum P_i w_i^2 by which steps and distances are measured.
    check_jac : bool
        Compare jac with finite differences at w0 first, and name the rows that are wrong.
    method, inner, tol, max_iter, time_limit, callback, progress, checkpoint, resume, radius, checkpoint_every
        As in `solve`, with the same defaults.

    Returns
    -------
    Result

    Examples
    --------
    The problem CB2 of Charalambous and Bandler, whose optimum is 1.9522245:

    >>> import numpy as np
    >>> import saddleback as sb
    >>> def fun(x):
    ...     e = 2 * np.exp(x[1] - x[0])
    ...     f = [x[0] ** 2 + x[1] ** 4, (2 - x[0]) ** 2 + (2 - x[1]) ** 2, e]
    ...     return f, [[2 * x[0], 4 * x[1] ** 3], [2 * x[0] - 4, 2 * x[1] - 4], [-e, e]]
    >>> round(sb.minimax(fun, [1, -0.1], jac=True).value, 5)
    1.95222

    SciPy's names work, too. Half the largest squared distance to three points that come as an argument:

    >>> def distances(x, points):
    ...     return 0.5 * ((x - points) ** 2).sum(axis=1), x - points
    >>> def hess(x, lam, points):
    ...     return lam.sum() * np.eye(2)
    >>> points = np.array([[0.0, 0.0], [4.0, 0.0], [0.0, 3.0]])
    >>> result = sb.minimax(distances, x0=[0, 0], args=(points,), jac=True, hess=hess)
    >>> result.method, result.x.round(4), round(result.fun, 4)
    ('newton', array([2. , 1.5]), 3.125)
    """
    clock = Clock()
    # Everything that can be checked without knowing J is checked before fun is called.
    start = _one_start(w0, x0)
    dual_set = Simplex() if dual_set is None else dual_set
    regularizer = Zero() if regularizer is None else regularizer
    check_kinds(dual_set, regularizer)
    named = named_method(method)
    if named is not None:
        refuse_without_losses(named, dual_set, regularizer)
    options = Options.checked(
        named, inner, tol, max_iter, time_limit, callback, progress, checkpoint, resume, radius, checkpoint_every
    )
    if metric is not None:
        metric = positive_metric(metric, start.size)
    losses = from_functions(fun, start, jac, hess=hess, args=args, check_jac=check_jac)
    return run_problem(Problem(losses, dual_set, regularizer, metric), start, options, clock)


def _one_start(w0: ArrayLike | None, x0: ArrayLike | None) -> Vector:
    if (w0 is None) == (x0 is None):
        given = "neither" if w0 is None else "both"
        raise ProblemError(f"minimax needs one start, as w0 or as x0; got {given}.")
    return finite_vector(w0, "w0") if x0 is None else finite_vector(x0, "x0")
