"""What a method may ask about the problem: everything counted, checked and watched."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, cast

import numpy as np

from .._types import EPS, Matrix, Vector
from .._validation import all_finite, finite_vector, n_axes, number, real_array
from ..adversary import Adversary
from ..capabilities import offers
from ..errors import ProblemError
from ..losses import RescaledLosses
from ..losses.base import HasHessian, HasJacobianError, HasSampledHessian, HasSmoothness, HasValues
from ..machine.clock import Clock, OutOfTime
from ..problem import Problem
from ..subproblem import DualSolution, DualSubproblem, FactoredSubproblem, InnerSolver
from .certificates import Minorant
from .convexity import DIFFERENCES, ConvexityWatch
from .evaluation import LARGEST, Breakdown, Evaluation, Point

# A start without its value says nothing: its best response may go on for so many seconds beyond the time limit.
PATIENCE = 1.0


@dataclass(frozen=True, eq=False)
class Memory:
    """All that an oracle has counted and learned, and that bears on the rest of its run."""

    n_evals: int
    n_values: int
    n_trials: int
    n_inner: int
    n_inner_failures: int
    precision: float
    violation: str | None
    recent: tuple[Evaluation, ...]
    watched: tuple[Evaluation, ...]


class Oracle:
    """The losses and the dual subproblem of one run, the only way a method reads either."""

    def __init__(
        self,
        problem: Problem,
        inner: InnerSolver,
        w0: Vector,
        tol: float,
        clock: Clock | None = None,
        *,
        where: str = "w0",
    ) -> None:
        self.problem = problem
        self.clock = Clock() if clock is None else clock
        self.adversary: Adversary = problem.adversary.timed(self.clock)
        self.inner = inner
        self.w0 = w0
        self._where = where
        self.tol = tol
        self.n_evals = 0
        self.n_values = 0
        self.n_trials = 0
        self.n_inner = 0
        self.n_inner_failures = 0
        losses = problem.losses
        self._shape = problem.n_losses, problem.n_params
        with self.clock.at_least(PATIENCE):
            self._least_weight, self._largest_weight = self.adversary.dual_set.weight_range(problem.n_losses)
        of_each = _curvature(_offered(losses, "strong_convexity"), problem.n_params)
        self.curvature = max(0.0, self._least_weight) * of_each
        """m_i: <lam, f> - 1/2 sum_i m_i w_i^2 is convex for every lam in Lambda."""
        self.exact_jacobian = bool(getattr(losses, "exact_jacobian", True))
        self._values_first = bool(getattr(losses, "values_first", False))
        self._values: Callable[[Vector], Vector] | None = losses.values if offers(losses, HasValues) else None
        self.watch = ConvexityWatch(self.adversary.dual_set, self.curvature, exact_jacobian=self.exact_jacobian)
        if getattr(losses, "convex", False) is True:
            self.watch.believe()
        self.precision = EPS
        """The relative rounding error of the losses: that of float32 once they have come as such."""
        self._recent: deque[Evaluation] = deque(maxlen=2)
        self._valued: Vector | None = None
        """Where the losses alone were asked last: their Jacobian there completes a step, and is not refused."""

    def rescaled(self, scale: Vector) -> Oracle:
        """The same losses in v = scale w, for powers of two; what is known of them comes along, to the last bit."""
        problem = replace(self.problem, losses=RescaledLosses(self.problem.losses, scale), metric=None)
        oracle = Oracle(problem, self.inner, self.w0 * scale, self.tol, self.clock)
        oracle.n_evals, oracle.n_values = self.n_evals, self.n_values
        oracle.precision = self.precision
        oracle.watch.trust(self.precision)
        for known in self._recent:
            there = replace(known, w=_frozen(known.w * scale), G=known.G / scale)
            oracle.watch.observe(there)
            oracle._recent.append(there)
        return oracle

    @cached_property
    def convex(self) -> bool:
        """Whether <lam, f> is convex by construction for every lam: no weight is below 0, or the losses are affine."""
        return (bool(getattr(self.problem.losses, "convex", False)) and self._never_negative) or self.affine

    @cached_property
    def _never_negative(self) -> bool:
        """Whether no lam has a weight below 0. A least sum of 0 has two meanings: such weights, or none at all."""
        return self._least_weight > 0.0 or bool(self.adversary.dual_set.bounds(self._shape[0])[0].min() >= 0.0)

    @cached_property
    def bounded_below(self) -> bool:
        """Whether <lam, f> is bounded below by construction for every lam: no weight is below 0."""
        return bool(getattr(self.problem.losses, "bounded_below", False)) and self._never_negative

    @cached_property
    def offers_hessian(self) -> bool:
        """Whether the losses offer ``hessian``."""
        return offers(self.problem.losses, HasHessian)

    @property
    def n_entries(self) -> float:
        """How many numbers of data one evaluation reads; J d where the losses do not say."""
        J, d = self._shape
        return float(getattr(self.problem.losses, "n_entries", J * d))

    def memory(self) -> Memory:
        """What a checkpoint must hold of this oracle."""
        return Memory(
            n_evals=self.n_evals,
            n_values=self.n_values,
            n_trials=self.n_trials,
            n_inner=self.n_inner,
            n_inner_failures=self.n_inner_failures,
            precision=self.precision,
            violation=self.watch.violation,
            recent=tuple(self._recent),
            watched=cast("tuple[Evaluation, ...]", self.watch.known),
        )

    def restore(self, memory: Memory) -> None:
        """Go on as the oracle that had this memory."""
        self.n_evals, self.n_values, self.n_trials = memory.n_evals, memory.n_values, memory.n_trials
        self.n_inner, self.n_inner_failures = memory.n_inner, memory.n_inner_failures
        self.precision = memory.precision
        self._recent.clear()
        self._recent.extend(memory.recent)
        self.watch.restore(memory.watched, memory.violation)
        self.watch.trust(self.precision)

    @cached_property
    def samples_hessian(self) -> bool:
        """Whether the losses offer ``sampled_hessian``."""
        return offers(self.problem.losses, HasSampledHessian)

    @property
    def jacobian_precision(self) -> float:
        """The relative error of the Jacobian: rounding, or that of finite differences."""
        return 16 * self.precision if self.exact_jacobian else DIFFERENCES

    @cached_property
    def smoothness(self) -> float | None:
        """L of <lam, f> for every lam in Lambda, where the losses offer theirs."""
        offer = _offered(self.problem.losses, "smoothness") if offers(self.problem.losses, HasSmoothness) else None
        return None if offer is None else self._largest_weight * number(offer, "losses.smoothness()", minimum=0.0)

    @cached_property
    def affine(self) -> bool:
        """Whether the losses say that they are, by L = 0.

        Those that offer a Hessian have curvature, and are not asked: to find L can cost more than the whole run.
        """
        return not self.offers_hessian and self.smoothness == 0

    def evaluate(self, w: Vector, *, watch: bool = True, anew: bool = False) -> Evaluation:
        """f, G and the best response at w: one evaluation, unless w was one of the last two points.

        ``watch=False`` keeps the point out of the watch on convexity, ``anew=True`` evaluates even what is known.
        """
        for recent in self._recent:
            if recent.w is w and not anew:
                return recent
        w = _frozen(w)
        known = None if anew else self._known(w)
        if known is not None:
            return known
        first = self.n_evals == 0
        if self._valued is None or not np.array_equal(self._valued, w):
            self._check_clock()
        answer = self.problem.losses.evaluate(w.copy())
        self.n_evals += 1
        if not isinstance(answer, tuple | list) or len(answer) != 2:
            raise ProblemError(f"losses.evaluate must return the pair (values, jacobian); got {type(answer).__name__}.")
        f, G = answer
        J, d = self._shape
        f, G = self._as_float64(f), self._as_float64(G)
        if f.shape != (J,) or G.shape != (J, d):
            raise ProblemError(
                f"losses.evaluate must return arrays of shapes ({J},) and ({J}, {d}); got {f.shape} and {G.shape}."
            )
        point = self._respond(w, f)
        evaluation = Evaluation(w, f, point.value, point.lam, G, self.adversary.largest_weight)
        if not evaluation.finite:
            if first:
                what = "losses" if not np.isfinite(f).all() else "Jacobian"
                got = f"derivatives above {LARGEST:g}" if np.isfinite(G).all() and what == "Jacobian" else "NaN or inf"
                raise ProblemError(
                    f"the {what} must be finite at {self._where}; got {got}. Take a point where every loss is defined, "
                    "in units that keep derivatives moderate."
                )
            return evaluation
        if watch:
            self.watch.observe(evaluation)
            self._recent.append(evaluation)
        return evaluation

    def point(self, w: Vector, *, watch: bool = True) -> Point:
        """The losses and g at w, without the Jacobian where the losses can leave it out.

        ``watch=False`` keeps the point out of the watch on convexity.
        """
        w = _frozen(w)
        values = self._values
        if values is None or self._known(w) is not None:
            return self.evaluate(w, watch=watch).point
        self._check_clock()
        f = self._as_float64(values(w.copy()))
        self.n_values += 1
        self._valued = w
        if f.shape != (self.problem.n_losses,):
            raise ProblemError(f"losses.values must return shape ({self.problem.n_losses},); got {f.shape}.")
        point = self._respond(w, f)
        if watch and np.isfinite(point.value):
            self.watch.observe_values(w, f)
        return point

    def trial(self, w: Vector) -> Point:
        """The losses and g at a point that may be refused: without the Jacobian where that may still be had later.

        Most trials are accepted, so that losses which share the work evaluate both at once.
        """
        self.n_trials += 1
        return self.point(w) if self._values_first else self.evaluate(w)

    def hessian(self, w: Vector, lam: Vector) -> Matrix:
        """sum_j lam_j Hessian f_j(w), from losses that offer it."""
        self._check_clock()
        offer: Any = self.problem.losses
        H = self._as_float64(offer.hessian(w.copy(), lam.copy()))
        d = self.problem.n_params
        if H.shape != (d, d):
            raise ProblemError(f"losses.hessian must return shape ({d}, {d}); got {H.shape}.")
        if not np.isfinite(H).all():
            raise Breakdown("the Hessian is not finite where the last step arrived")
        return H

    def sampled_hessian(self, w: Vector, lam: Vector, V: Matrix | None = None) -> Matrix | None:
        """V (sum_j lam_j Hessian f_j(w)) V', or all of it, where the losses offer a cheap estimate of it."""
        if not self.samples_hessian:
            return None
        losses: Any = self.problem.losses
        H = self._as_float64(losses.sampled_hessian(w.copy(), lam.copy(), V))
        k = self.problem.n_params if V is None else len(V)
        if H.shape != (k, k):
            raise ProblemError(f"losses.sampled_hessian must return shape ({k}, {k}); got {H.shape}.")
        return H if np.isfinite(H).all() else None

    def jacobian_error(self, w: Vector) -> Matrix | None:
        """How wrong the Jacobian at w may be, entry by entry; None where it is exact or nobody knows."""
        losses = self.problem.losses
        if self.exact_jacobian or not offers(losses, HasJacobianError):
            return None
        self._check_clock()
        error = losses.jacobian_error(w.copy())
        return None if error is None else self._as_float64(error)

    def _check_clock(self) -> None:
        """Raise OutOfTime where there is none left, except before the first evaluation: a run returns a point."""
        if self.n_evals + self.n_values > 0:
            self.clock.check()

    def _known(self, w: Vector) -> Evaluation | None:
        """The remembered evaluation at w, to the last bit."""
        for known in self._recent:
            # Most points differ in their first coordinate, which is a cheap question.
            if known.w.item(0) == w.item(0) and np.array_equal(known.w, w):
                return known
        return None

    def _as_float64(self, x: object) -> Vector:
        if type(x) is np.ndarray and x.dtype == np.float64:
            # A copy: the losses may write over their arrays at the next point.
            return x.copy()
        try:
            array = real_array(x)
        except (TypeError, ValueError) as error:
            raise ProblemError(f"the losses must return numbers; got {type(x).__name__} ({error}).") from error
        if array.dtype in (np.float32, np.float16):
            self.precision = max(self.precision, float(np.finfo(array.dtype).eps))
            self.watch.trust(self.precision)
        return array.astype(np.float64)

    def _respond(self, w: Vector, f: Vector) -> Point:
        if not all_finite(f):
            return Point(w, f, np.inf, np.full(self.problem.n_losses, np.nan))
        if self.n_evals + self.n_values > 1:
            return Point(w, f, *self.adversary.best_response(f))
        with self.clock.at_least(PATIENCE):
            return Point(w, f, *self.adversary.best_response(f))

    def dual_step(
        self, Q: Matrix | None, c: Vector, tol: float, start: Vector | None = None, *, factor: Matrix | None = None
    ) -> DualSolution:
        """Solve (D) to a measured gap of ``tol``, or of what rounding allows; ``factor`` F stands for Q = F F'."""
        matrix = Q if factor is None else factor
        assert matrix is not None, "(D) needs Q, or a factor of it"
        if not (all_finite(c) and all_finite(matrix)):
            raise Breakdown("the linearized losses overflow: the steps are too long, or the losses are too large")
        self._check_clock()
        kind = DualSubproblem if factor is None else FactoredSubproblem
        subproblem = kind(matrix, c, self.adversary)
        solution = self.inner.solve(subproblem, max(tol, subproblem.rounding_floor), start)
        self.n_inner += solution.n_iter
        self.n_inner_failures += not solution.converged
        return solution

    def cut(self, at: Evaluation, lam: Vector, slope: Vector | None = None) -> Minorant:
        """The minorant of g that lam gives at an evaluated point; ``slope`` is G' lam where it is at hand."""
        value = float(lam.dot(at.f)) - self.adversary.regularizer.value(lam)
        return Minorant(value, lam.dot(at.G) if slope is None else slope, lam, at.w, self.curvature)


def visit(oracle: Oracle, w: Vector, *, anew: bool = False) -> Evaluation | None:
    """The losses where no step has led; None where they are not defined."""
    with np.errstate(all="ignore"):
        try:
            there = oracle.evaluate(w, watch=False, anew=anew)
        except (ProblemError, OutOfTime):
            raise
        except Exception:  # losses that refuse a point are not defined there
            return None
    return there if there.finite else None


def _frozen(w: Vector) -> Vector:
    """A copy that nobody can write to: it is remembered."""
    w = np.array(w)
    w.flags.writeable = False
    return w


def _offered(losses: object, name: str) -> Any:
    """A capability's value, whether the losses offer it as a number or as a method; None where they do not."""
    offer = getattr(losses, name, None)
    return offer() if callable(offer) else offer


def _curvature(strong_convexity: Any, d: int) -> Vector:
    m = 0.0 if strong_convexity is None else strong_convexity
    name = "losses.strong_convexity"
    curvature = np.repeat(finite_vector(m, name), d) if n_axes(m) == 0 else finite_vector(m, name, d)
    if curvature.min() < 0:
        raise ProblemError(f"losses.strong_convexity must be >= 0; got {curvature.min():g}.")
    return curvature
