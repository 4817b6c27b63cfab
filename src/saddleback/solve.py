"""The one outer loop: step, record, stop."""

from __future__ import annotations

from dataclasses import replace
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ._types import Vector
from ._validation import finite_vector, flag, number
from .engine.checkpointing.checkpointer import EVERY, Keeper, Limits
from .engine.memory_check import check_memory
from .engine.oracle import PATIENCE, Oracle
from .engine.progress import Callback
from .engine.run import Run
from .engine.stopping import Stopping
from .engine.unbounded import falls_forever
from .engine.units import (
    Units,
    check_reach,
    measured_sizes,
    moderated,
    natural_units,
    offered_sizes,
    units_in_metric,
    usual,
)
from .engine.unstarted import without_a_value
from .errors import ConvergenceWarning, ProblemError, warn_user
from .linalg.blas_threads import blas_within_quota
from .losses import RescaledLosses
from .machine.clock import Clock, OutOfTime
from .methods import AnyMethod, Breakdown, ExternalMethod, Method, State, refuse, resolve_method
from .problem import Problem
from .result import Result, Status
from .subproblem import InnerSolver, resolve_inner


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
    checkpoint_every: float = EVERY,
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
        ``min(tol, 1e-10) |value|`` where that is more). Where no strong convexity is known, "quasi-newton" and
        "newton" also end when their estimate of the gap is a tenth of that twice in a row; the message says which
        it was. Unless the bound holds everywhere, a run looks around for more to gain before it ends.
    max_iter, time_limit : int, float
        Limits on iterations and seconds. Seconds count from the call: what is compiled, the first evaluation and the
        reading of a checkpoint count. The limit is looked at between evaluations and in the loops of every solver; one
        evaluation of the losses, or one factorization, is never cut short. A run that reaches it within an iteration
        returns the best point before that iteration.
    callback : callable, optional
        Called with a ``Progress`` after each iteration; returning True (or raising StopIteration) ends the run.
    progress : bool
        Keep a line on standard error up to date.
    checkpoint : path, optional
        A file that holds the run's state, written every ``checkpoint_every`` seconds and at the end, whatever ends it.
        It may be new, or an older checkpoint, or a link to one; other files are refused. Losses are evaluated once
        more for it.
    resume : bool
        Go on from the checkpoint where there is one (``max_iter`` and ``time_limit`` then count the whole run). The
        problem, the method and w0 must be those of the checkpoint, which up to four evaluations confirm; ``tol``,
        ``inner``, ``radius`` and the limits may be others.
    radius : float, optional
        How far from the answer the lower bound must hold where the losses are not strongly convex; unless given, as
        far as it is from w0, and at least as far as the parameters are large, each in its own units.
    checkpoint_every : float
        Seconds between two writings of the checkpoint; 0 writes it after every iteration.

    Returns
    -------
    Result
        The best point, its certificate and the history. Not converging is a status and one warning. Ctrl-C is a status
        as well, from the first evaluation on; its value is nan where not even w0 was evaluated.

    Examples
    --------
    >>> import numpy as np
    >>> import saddleback as sb
    >>> losses = sb.from_functions(lambda w: ([w @ w, (w - 1) @ (w - 1)], [2 * w, 2 * w - 2]), np.zeros(1), jac=True)
    >>> result = sb.solve(sb.Problem(losses), np.zeros(1))
    >>> round(result.value, 6), result.success
    (0.25, True)
    """
    clock = Clock()
    with blas_within_quota():
        return solve_since(
            clock,
            problem,
            w0,
            method,
            inner,
            tol=tol,
            max_iter=max_iter,
            time_limit=time_limit,
            callback=callback,
            progress=progress,
            checkpoint=checkpoint,
            resume=resume,
            radius=radius,
            checkpoint_every=checkpoint_every,
        )


def solve_since(
    clock: Clock,
    problem: Problem,
    w0: ArrayLike | None,
    method: str | AnyMethod,
    inner: str | InnerSolver,
    *,
    tol: float,
    max_iter: int,
    time_limit: float | None,
    callback: Callback | None,
    progress: bool,
    checkpoint: str | PathLike[str] | None,
    resume: bool,
    radius: float | None,
    checkpoint_every: float,
) -> Result:
    """`solve`, on a clock that its caller has started."""
    if not isinstance(problem, Problem):
        raise ProblemError(f"problem must be a Problem; got {problem!r}. Build one with Problem(losses, ...).")
    method = resolve_method(method, problem.losses)
    stopping = Stopping(tol, max_iter, time_limit)
    clock.limit(stopping.time_limit)
    radius = check_options(radius, callback, progress, resume)
    refuse(method, problem)
    solver = resolve_inner(inner, problem.adversary)
    limits = Limits(stopping.tol, stopping.max_iter, stopping.time_limit, radius)
    check_memory(problem, method, solver)
    start = np.zeros(problem.n_params) if w0 is None else finite_vector(w0, "w0", problem.n_params)
    try:
        keeper = Keeper(method, problem, checkpoint, resume, checkpoint_every, limits)
        start = keeper.start(w0)
        # What a result cannot do without, the point of a checkpoint among it, may go on for a little longer.
        with clock.at_least(PATIENCE):
            oracle, units = _in_units(problem, solver, start, stopping, clock, method, radius)
            record = keeper.record(oracle, start, units.scale)
        run = Run(oracle, stopping, method, record, units=units, callback=callback, progress=progress)
    except KeyboardInterrupt:
        return without_a_value(problem, start, method.name, Status.INTERRUPTED, clock.elapsed)
    except OutOfTime:
        result = without_a_value(problem, start, method.name, Status.TIME_LIMIT, clock.elapsed)
        warn_user(f"{result.status.name}: {result.message}", ConvergenceWarning)
        return result
    try:
        status, message = _iterate(method, oracle, run, keeper)
        if status in (Status.MAX_ITER, Status.STALLED) and _is_unbounded(oracle, run):
            status, message = Status.UNBOUNDED, "the objective falls without bound along a ray from w"
    except KeyboardInterrupt:
        run.settle()
        status, message = Status.INTERRUPTED, "interrupted; this is the best point so far"
    except OutOfTime:
        run.settle()
        status, message = Status.TIME_LIMIT, stopping.too_late(clock.elapsed)
    except Exception as error:
        _attach(error, run)
        raise
    finally:
        keeper.write()
    result = run.result(status, message)
    if status not in (Status.CONVERGED, Status.INTERRUPTED) or oracle.watch.violation is not None:
        warn_user(f"{status.name}: {result.message}", ConvergenceWarning)
    return result


def _in_units(
    problem: Problem,
    inner: InnerSolver,
    w0: Vector,
    stopping: Stopping,
    clock: Clock,
    method: AnyMethod,
    radius: float | None,
) -> tuple[Oracle, Units]:
    """The oracle in the coordinates in which the method works: those of the metric, or of the parameters' sizes."""
    if problem.metric is not None:
        scale = np.sqrt(np.asarray(problem.metric, dtype=np.float64))
        problem = replace(problem, losses=RescaledLosses(problem.losses, scale), metric=None)
        return Oracle(problem, inner, w0 * scale, stopping.tol, clock), units_in_metric(scale, radius)
    oracle = Oracle(problem, inner, w0, stopping.tol, clock)
    sizes = offered_sizes(problem.losses)
    if sizes is not None and radius is None:
        check_reach(sizes, oracle.curvature)
    at = oracle.evaluate(w0)
    sizes = measured_sizes(oracle, at) if sizes is None else moderated(sizes, oracle.curvature, at)
    # Sizes that are much alike are no better than the parameters' own units, and rounded to powers of two are worse.
    units = natural_units(sizes, radius, rescaled=method.rescales and not usual(sizes))
    return oracle if units.plain else oracle.rescaled(units.scale), units


def check_options(radius: float | None, callback: object, progress: object, resume: object) -> float | None:
    """Refuse options that would only fail later; the radius as a float, whatever kind of number it was."""
    flag(progress, "progress")
    flag(resume, "resume")
    if callback is not None and not callable(callback):
        raise ProblemError(f"callback must be callable; got {type(callback).__name__}.")
    return None if radius is None else number(radius, "radius", minimum=0.0, strict=True)


def _iterate(method: AnyMethod, oracle: Oracle, run: Run, keeper: Keeper) -> tuple[Status, str]:
    """States until a verdict."""
    state = keeper.state
    verdict = keeper.verdict(run)
    if not isinstance(method, Method):
        return verdict or _hand_over(method, oracle, run, keeper)
    try:
        if state is None:
            run.open()
            state = method.init(oracle, oracle.w0)
            verdict = run.observe(state)
        while verdict is None:
            state = _taught(method, oracle, run, state)
            keeper.keep(run, state)
            state = method.step(oracle, state)
            verdict = run.observe(state)
    except Breakdown as breakdown:
        return Status.NUMERICAL_ERROR, str(breakdown)
    if verdict[0] is Status.INTERRUPTED:
        # What the method was about to be told must not be lost.
        state = _taught(method, oracle, run, state)
    keeper.keep(run, state, verdict)
    return verdict


def _taught(method: Method[Any], oracle: Oracle, run: Run, state: State) -> State:
    """The state with what a look around has found, where it found more to gain."""
    if run.restart is not None:
        state = method.init(oracle, run.restart.w)
    elif run.found is not None:
        state = method.with_second_derivatives(state, run.found)
    run.found = run.restart = None
    return state


def _hand_over(method: ExternalMethod, oracle: Oracle, run: Run, keeper: Keeper) -> tuple[Status, str]:
    """Let another library iterate; its own end, short of a verdict, is a stall."""
    verdict: tuple[Status, str] | None = None

    def observe(state: State) -> bool:
        nonlocal verdict
        verdict = run.observe(state)
        keeper.keep(run, state, verdict)
        return verdict is not None

    message = method.run(oracle, oracle.w0, run.stopping, observe, keeper.state)
    return verdict or (Status.STALLED, message)


def _is_unbounded(oracle: Oracle, run: Run) -> bool:
    """Whether a ray falls for ever, as far as the time allows to tell."""
    try:
        return falls_forever(oracle, run.record) is True
    except OutOfTime:
        return False


def _attach(error: Exception, run: Run) -> None:
    """Give an exception of the user's functions the best point so far, so that the work is not lost."""
    try:
        result = run.result(Status.NUMERICAL_ERROR, f"{type(error).__name__} during the run")
        error.result = result  # type: ignore[attr-defined]
        error.add_note(f"saddleback: the best point so far (value {result.value:.8g}) is in this exception's .result")
    except AttributeError:  # an exception class with __slots__ takes no attribute
        return
