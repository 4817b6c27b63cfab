"""The outer loop: step, observe, stop."""

from __future__ import annotations

from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ._types import Vector
from ._validation import finite_vector
from .engine.checkpointing.checkpointer import Checkpointer
from .engine.coordinates import oracle_in_coordinates
from .engine.evaluation import Point
from .engine.memory_check import check_memory
from .engine.options import CHECKPOINT_EVERY, Options
from .engine.problem_facts import GRACE_SECONDS
from .engine.progress import Callback
from .engine.result_building import result_without_value
from .engine.run import Run
from .engine.run_state import RunState
from .engine.stopping import Verdict
from .engine.unbounded import is_unbounded_below
from .errors import ConvergenceWarning, IncompatibleError, ProblemError, warn_user
from .linalg.blas_threads import blas_within_quota
from .losses.callables import advice_where_stalled
from .machine.clock import Clock, OutOfTime
from .methods import AnyMethod, Breakdown, ExternalMethod, Method, State, choose_method, named_method, refuse
from .problem import Problem
from .result import Result, Status
from .subproblem import Auto, InnerSolver, resolve_inner

# A run that stalls with a gap below this share of the magnitude of its losses was asked for more than rounding allows.
NEARLY_CERTIFIED = 1e-7


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
    checkpoint_every: float = CHECKPOINT_EVERY,
) -> Result:
    """Minimize g(w) = max over lam in Lambda of <lam, f(w)> - R(lam).

    Parameters
    ----------
    problem : Problem
        The losses, the dual set and the regularizer.
    w0 : (d,) array, optional
        Where to start; zeros unless given.
    method : str or method object
        "auto" (Newton or quasi-Newton, whichever should be faster; interior-point for losses that are rows),
        "quasi-newton", "newton", "interior-point", "accelerated", "algorithm-1", "fixed-point", "prox-linear", "apgd",
        "extragradient", "optimistic", "lbfgsb"; an object such as
        ``Accelerated(steps="paper")`` carries options.
    inner : str or inner solver
        The solver of the dual subproblem: "auto", "path-following", "qp", "trust-constr", "projected-gradient",
        "frank-wolfe".
    tol : float
        The run has converged when the certified gap is at most ``tol``, or ``min(tol, 1e-10) |value|`` where that is
        more. Where no strong convexity is known, "quasi-newton", "newton" and "interior-point" also end when their
        estimate of the gap is at most a tenth of that twice in a row and the certified gap is at most a thousand times
        as much; then ``Result.certified`` is False. Unless the bound holds everywhere, a run
        probes the Hessian for a further decrease before it ends.
    max_iter, time_limit : int, float
        Limits on iterations and seconds. Seconds count from the call and include compilation, the first evaluation and
        the reading of a checkpoint. The limit is checked between evaluations and in the loops of every solver; one
        evaluation of the losses, or one factorization, is not interrupted. A run that reaches it within an iteration
        returns the best point before that iteration.
    callback : callable, optional
        Called with a ``Progress`` at the start and after each iteration; returning True (or raising StopIteration) ends
        the run.
    progress : bool
        Print the progress in one line on standard error.
    checkpoint : path, optional
        A file for the state of the run, written every ``checkpoint_every`` seconds and at the end, also after an
        interrupt or an exception. It may be new, an older checkpoint, or a link to one; other files are refused. It
        costs one more evaluation of the losses, near w0; two where the losses are not defined at the first such point.
    resume : bool
        Resume from the checkpoint where the file exists; ``max_iter`` and ``time_limit`` then count the whole run. The
        problem, the method and w0 must be those of the checkpoint, which is checked by up to four evaluations;
        ``tol``, ``inner``, ``radius`` and the limits may be others.
    radius : float, optional
        How far from the answer the lower bound must hold where the losses are not strongly convex. By default the
        distance from w0 to the answer, and at least one, in the scales of the parameters.
    checkpoint_every : float
        Seconds between two writings of the checkpoint; 0 writes it after every iteration.

    Returns
    -------
    Result
        The best point (with "algorithm-1" the last one), its certificate and the history. A run that does not converge
        returns a status and gives one warning. Ctrl-C also returns a result, with the value nan where it came before
        the first evaluation was done.

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
    named = named_method(method)
    options = Options.checked(
        named, inner, tol, max_iter, time_limit, callback, progress, checkpoint, resume, radius, checkpoint_every
    )
    return run_problem(problem, w0, options, clock)


def run_problem(problem: Problem, w0: ArrayLike | None, options: Options, clock: Clock) -> Result:
    """Run a method on a problem, with checked arguments; called by `solve` and `minimax`."""
    if not isinstance(problem, Problem):
        raise ProblemError(f"problem must be a Problem; got {problem!r}. Build one with Problem(losses, ...).")
    method = options.method or choose_method(problem.losses, problem.adversary)
    refuse(method, problem)
    inner = resolve_inner(_inner_for(method, options.inner), problem.adversary)
    check_memory(problem, method, inner)
    given = None if w0 is None else finite_vector(w0, "w0", problem.n_params)
    clock.limit(options.stopping.time_limit)
    with blas_within_quota():
        return _run(problem, given, method, inner, options, clock)


def _inner_for(method: AnyMethod, inner: InnerSolver) -> InnerSolver:
    """The method's own inner solver where it has one, which no other can replace; else the user's."""
    if method.own_inner is None:
        return inner
    if not (isinstance(inner, Auto) or inner == method.own_inner):
        raise IncompatibleError(
            f"{method.name} solves (D) by {method.own_inner!r}, as a part of the method; got inner={inner!r}. Leave "
            "inner at 'auto', or use Accelerated(steps='paper', restart=False), which takes every inner solver."
        )
    return method.own_inner


def _run(
    problem: Problem, given: Vector | None, method: AnyMethod, inner: InnerSolver, options: Options, clock: Clock
) -> Result:
    start = np.zeros(problem.n_params) if given is None else given
    try:
        checkpointer = Checkpointer(method, problem, options)
        start = checkpointer.start(given)
        run = _begin(problem, start, method, inner, options, clock, checkpointer)
    except KeyboardInterrupt:
        return result_without_value(problem, start, method.name, Status.INTERRUPTED, clock.elapsed)
    except OutOfTime:
        result = result_without_value(problem, start, method.name, Status.TIME_LIMIT, clock.elapsed)
        warn_user(f"{result.status.name}: {result.message}", ConvergenceWarning)
        return result
    try:
        status, message = _iterate(run, checkpointer)
        if status in (Status.MAX_ITER, Status.STALLED) and _is_unbounded(run):
            status, message = Status.UNBOUNDED, "the objective falls without bound along a ray from w"
        elif status is Status.STALLED and run.state.gap > NEARLY_CERTIFIED * run.state.magnitude:
            message += advice_where_stalled(problem.losses)
    except KeyboardInterrupt:
        run.settle()
        status, message = Status.INTERRUPTED, "interrupted; this is the best point so far"
    except OutOfTime:
        run.settle()
        status, message = Status.TIME_LIMIT, run.stopping.time_limit_message(clock.elapsed)
    except Exception as error:
        _attach_result(error, run)
        raise
    finally:
        checkpointer.write()
    result = run.result(status, message)
    if status not in (Status.CONVERGED, Status.INTERRUPTED) or run.oracle.watch.violation is not None:
        warn_user(f"{status.name}: {result.message}", ConvergenceWarning)
    return result


def _begin(
    problem: Problem,
    start: Vector,
    method: AnyMethod,
    inner: InnerSolver,
    options: Options,
    clock: Clock,
    checkpointer: Checkpointer,
) -> Run:
    """Evaluate the losses at the start, or take up the run of the checkpoint."""
    stopping = options.stopping
    # A result needs a value: its first evaluation may take a little longer than the time limit.
    with clock.at_least(GRACE_SECONDS):
        oracle, coordinates = oracle_in_coordinates(
            problem, inner, start, stopping.tol, clock, options.radius, rescales=method.rescales
        )
        run_state = checkpointer.resumed(oracle, coordinates.factors)
        if run_state is None:
            run_state = RunState.at_start(oracle.evaluate(oracle.w0))
            checkpointer.begin(oracle, start, coordinates.factors)
    return Run(oracle, stopping, method, run_state, coordinates, callback=options.callback, progress=options.progress)


def _iterate(run: Run, checkpointer: Checkpointer) -> Verdict:
    """Step, observe, until there is a verdict."""
    method, oracle = run.method, run.oracle
    verdict = checkpointer.verdict(run)
    if not isinstance(method, Method):
        return verdict or _hand_over(method, run, checkpointer)
    state = checkpointer.state
    try:
        if state is None:
            run.open()
            state = method.init(oracle, oracle.w0)
            verdict = run.observe(state)
        while verdict is None:
            if run.decision.finding is not None:
                state = _with_finding(method, run, state)
            checkpointer.keep(run, state)
            state = method.step(oracle, state)
            verdict = run.observe(state)
    except Breakdown as breakdown:
        return Status.NUMERICAL_ERROR, str(breakdown)
    if verdict[0] is Status.INTERRUPTED:
        # A resumed run must not lose the finding.
        state = _with_finding(method, run, state)
    checkpointer.keep(run, state, verdict)
    return verdict


def _with_finding(method: Method[Any], run: Run, state: State) -> State:
    """The state with what kept the run from ending: started again at a lower point, or with a probed Hessian."""
    finding, run.decision.finding = run.decision.finding, None
    if finding is None:
        return state
    if isinstance(finding, Point):
        return method.init(run.oracle, finding.w)
    return method.with_second_derivatives(state, finding)


def _hand_over(method: ExternalMethod, run: Run, checkpointer: Checkpointer) -> Verdict:
    """Let another library iterate; where it ends without a verdict, the run has stalled."""
    verdict: Verdict | None = None

    def observe(state: State) -> bool:
        nonlocal verdict
        verdict = run.observe(state)
        checkpointer.keep(run, state, verdict)
        return verdict is not None

    message = method.run(run.oracle, run.oracle.w0, run.stopping, observe, checkpointer.state)
    return verdict or (Status.STALLED, message)


def _is_unbounded(run: Run) -> bool:
    """Whether a ray is found along which g falls without bound, before the time limit."""
    try:
        return is_unbounded_below(run.oracle, run.state) is True
    except OutOfTime:
        return False


def _attach_result(error: Exception, run: Run) -> None:
    """Attach the best point so far to an exception of the user's functions, so that the work is not lost."""
    try:
        result = run.result(Status.NUMERICAL_ERROR, f"{type(error).__name__} during the run")
        error.result = result  # type: ignore[attr-defined]
        error.add_note(f"saddleback: the best point so far (value {result.value:.8g}) is in this exception's .result")
    except AttributeError:  # an exception class with __slots__ takes no attribute
        return
