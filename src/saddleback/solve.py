"""The one outer loop: step, record, stop."""

from __future__ import annotations

from dataclasses import replace
from os import PathLike

import numpy as np
from numpy.typing import ArrayLike

from ._validation import finite_vector, number
from .errors import ConvergenceWarning, ProblemError, warn_user
from .keeper import Keeper
from .losses import RescaledLosses
from .methods import AnyMethod, Breakdown, ExternalMethod, Method, State, resolve_method
from .oracle import Oracle
from .problem import Problem
from .result import Result, Status
from .run import Callback, Run
from .stopping import Stopping
from .subproblem import InnerSolver, resolve_inner
from .unbounded import falls_forever


def solve(
    problem: Problem,
    w0: ArrayLike | None = None,
    method: str | AnyMethod = "auto",
    inner: str | InnerSolver = "auto",
    tol: float = 1e-6,
    max_iter: int = 1000,
    time_limit: float | None = None,
    callback: Callback | None = None,
    progress: bool = False,
    checkpoint: str | PathLike[str] | None = None,
    resume: bool = False,
    radius: float | None = None,
) -> Result:
    """Minimize g(w) = max over lam in Lambda of <lam, f(w)> - R(lam).

    Parameters
    ----------
    problem : Problem
        The losses, the dual set and the regularizer.
    w0 : (d,) array, optional
        Where to start; zeros unless given.
    method : str or method object
        "auto" (Newton or quasi-Newton, whichever should be faster), "quasi-newton", "newton", "accelerated",
        "fixed-point", "prox-linear", "apgd", "extragradient", "optimistic", "lbfgsb"; an object such as
        ``Accelerated(steps="paper")`` carries options.
    inner : str or inner solver
        Who solves the dual subproblem: "auto", "path-following", "qp", "trust-constr".
    tol : float
        The run has converged when the certified gap is at most ``tol`` (for values beyond 1 in size, at most
        ``min(tol, 1e-10) |value|`` where that is more). Where no strong convexity is
        known, or the certificate was withdrawn, "quasi-newton" and "newton" also end when their estimate of the gap is
        a tenth of that twice in a row; the message says which it was.
    max_iter, time_limit : int, float
        Limits on iterations and seconds.
    callback : callable, optional
        Called with a ``Progress`` after each iteration; returning True (or raising StopIteration) ends the run.
    progress : bool
        Keep a line on standard error up to date.
    checkpoint : path, optional
        A file that holds the run's state, written every 30 seconds and at the end, whatever ends it.
    resume : bool
        Go on from the checkpoint where there is one (``max_iter`` and ``time_limit`` then count the whole run).
    radius : float, optional
        How far from the answer the lower bound must hold where the losses are not strongly convex;
        ``max(1, |w - w0|)`` unless given.

    Returns
    -------
    Result
        The best point, its certificate and the history. Not converging is a status and one warning.

    Examples
    --------
    >>> import numpy as np
    >>> import saddleback as sb
    >>> losses = sb.from_functions(lambda w: ([w @ w, (w - 1) @ (w - 1)], [2 * w, 2 * w - 2]), np.zeros(1), jac=True)
    >>> result = sb.solve(sb.Problem(losses), np.zeros(1))
    >>> round(result.value, 6), result.success
    (0.25, True)
    """
    if not isinstance(problem, Problem):
        raise ProblemError(f"problem must be a Problem; got {problem!r}. Build one with Problem(losses, ...).")
    method = resolve_method(method, problem.losses)
    stopping = Stopping(tol, max_iter, time_limit)
    check_options(radius, callback)
    method.check_adversary(problem.dual_set, problem.regularizer)
    method.check_losses(problem.losses)
    solver = resolve_inner(inner, problem.adversary)
    start = np.zeros(problem.n_params) if w0 is None else finite_vector(w0, "w0", problem.n_params)

    scale = np.ones(1)
    if problem.metric is not None:
        scale = np.sqrt(np.asarray(problem.metric, dtype=np.float64))
        problem = replace(problem, losses=RescaledLosses(problem.losses, scale), metric=None)
    keeper = Keeper(method, problem, scale, checkpoint, resume)
    oracle = Oracle(problem, solver, keeper.oracle_start(start * scale), stopping.tol)
    run = Run(
        oracle,
        stopping,
        method,
        keeper.record(oracle),
        scale=scale,
        radius=radius,
        callback=callback,
        progress=progress,
    )
    try:
        status, message = _iterate(method, oracle, run, keeper)
        if status in (Status.MAX_ITER, Status.STALLED) and falls_forever(oracle, run.record) is True:
            status, message = Status.UNBOUNDED, "the objective falls without bound along a ray from w"
    except KeyboardInterrupt:
        status, message = Status.INTERRUPTED, "interrupted; this is the best point so far"
    except Exception as error:
        _attach(error, run)
        raise
    finally:
        try:
            keeper.write()
        except OSError as error:
            warn_user(f"the last checkpoint was not written: {error}")
    result = run.result(status, message)
    if status not in (Status.CONVERGED, Status.INTERRUPTED) or oracle.watch.violation is not None:
        warn_user(f"{status.name}: {result.message}", ConvergenceWarning)
    return result


def check_options(radius: float | None, callback: object) -> None:
    """Refuse options that would only fail later."""
    if radius is not None:
        number(radius, "radius", minimum=0.0, strict=True)
    if callback is not None and not callable(callback):
        raise ProblemError(f"callback must be callable; got {type(callback).__name__}.")


def _iterate(method: AnyMethod, oracle: Oracle, run: Run, keeper: Keeper) -> tuple[Status, str]:
    """States until a verdict."""
    state = keeper.state
    verdict = None if state is None else run.verdict()
    if not isinstance(method, Method):
        return verdict or _hand_over(method, oracle, run, keeper)
    try:
        if state is None:
            state = method.init(oracle, oracle.w0)
            verdict = run.observe(state)
        while verdict is None:
            keeper.keep(run, state)
            state = method.step(oracle, state)
            verdict = run.observe(state)
    except Breakdown as breakdown:
        return Status.NUMERICAL_ERROR, str(breakdown)
    keeper.keep(run, state)
    return verdict


def _hand_over(method: ExternalMethod, oracle: Oracle, run: Run, keeper: Keeper) -> tuple[Status, str]:
    """Let another library iterate; its own end, short of a verdict, is a stall."""
    verdict: tuple[Status, str] | None = None

    def observe(state: State) -> bool:
        nonlocal verdict
        verdict = run.observe(state)
        keeper.keep(run, state)
        return verdict is not None

    start = oracle.w0 if keeper.state is None else keeper.state.point.w
    message = method.run(oracle, start, run.stopping, observe)
    return verdict or (Status.STALLED, message)


def _attach(error: Exception, run: Run) -> None:
    """Give an exception of the user's functions the best point so far, so that the work is not lost."""
    try:
        result = run.result(Status.NUMERICAL_ERROR, f"{type(error).__name__} during the run")
        error.result = result  # type: ignore[attr-defined]
        error.add_note(f"saddleback: the best point so far (value {result.value:.8g}) is in this exception's .result")
    except AttributeError:  # an exception class with __slots__ takes no attribute
        return
