"""What a method may ask about the problem: everything counted, checked and watched."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

import numpy as np

from ._types import Matrix, Vector
from ._validation import finite_vector, number, real_array
from .adversary import Adversary
from .certificates import Minorant
from .convexity import ConvexityWatch
from .errors import ProblemError
from .problem import Problem
from .subproblem import DualSolution, DualSubproblem, InnerSolver

# Larger derivatives overflow in G G'.
LARGEST = 1e152


class Breakdown(Exception):
    """The method cannot take another step; the loop ends the run with the best point so far."""


@dataclass(frozen=True, eq=False)
class Point:
    """A candidate answer: the losses, g and the best response at w, without a Jacobian."""

    w: Vector
    f: Vector
    value: float
    lam: Vector


@dataclass(frozen=True, eq=False)
class Evaluation:
    """The losses f, their Jacobian G, g and the best response at w."""

    w: Vector
    f: Vector
    G: Matrix
    value: float
    lam: Vector

    @cached_property
    def finite(self) -> bool:
        return bool(np.isfinite(self.value) and np.abs(self.G).max() <= LARGEST)

    @property
    def point(self) -> Point:
        return Point(self.w, self.f, self.value, self.lam)

    @cached_property
    def gram(self) -> Matrix:
        """G G'."""
        return self.G @ self.G.T

    @cached_property
    def norm(self) -> float:
        """|G|_2."""
        return float(np.sqrt(max(0.0, np.linalg.eigvalsh(self.gram)[-1])))


class Oracle:
    """The losses and the dual subproblem of one run, the only way a method reads either."""

    def __init__(self, problem: Problem, inner: InnerSolver, w0: Vector, tol: float) -> None:
        self.problem = problem
        self.adversary: Adversary = problem.adversary
        self.inner = inner
        self.w0 = w0
        self.tol = tol
        self.n_evals = 0
        self.n_values = 0
        self.n_inner = 0
        self.n_inner_failures = 0
        losses = problem.losses
        least, self._largest_weight = self.adversary.dual_set.weight_range(problem.n_losses)
        self.curvature = max(0.0, least) * _curvature(_offered(losses, "strong_convexity"), problem.n_params)
        """m_i: <lam, f> - 1/2 sum_i m_i w_i^2 is convex for every lam in Lambda."""
        self.exact_jacobian = bool(getattr(losses, "exact_jacobian", True))
        self.watch = ConvexityWatch(self.adversary.dual_set, self.curvature, exact_jacobian=self.exact_jacobian)
        self.precision = float(np.finfo(np.float64).eps)
        """The relative rounding error of the losses: that of float32 once they have come as such."""
        self._recent: deque[Evaluation] = deque(maxlen=2)

    @cached_property
    def smoothness(self) -> float | None:
        """L of <lam, f> for every lam in Lambda, where the losses offer theirs."""
        offer = _offered(self.problem.losses, "smoothness")
        return None if offer is None else self._largest_weight * number(offer, "losses.smoothness()", minimum=0.0)

    def evaluate(self, w: Vector, *, watch: bool = True) -> Evaluation:
        """f, G and the best response at w: one evaluation, unless w was one of the last two points."""
        w = _frozen(w)
        for known in self._recent:
            if np.array_equal(known.w, w):
                return known
        first = self.n_evals == 0
        answer = self.problem.losses.evaluate(w.copy())
        self.n_evals += 1
        if not isinstance(answer, tuple | list) or len(answer) != 2:
            raise ProblemError(f"losses.evaluate must return the pair (values, jacobian); got {type(answer).__name__}.")
        f, G = answer
        J, d = self.problem.n_losses, self.problem.n_params
        f, G = self._as_float64(f), self._as_float64(G)
        if f.shape != (J,) or G.shape != (J, d):
            raise ProblemError(
                f"losses.evaluate must return arrays of shapes ({J},) and ({J}, {d}); got {f.shape} and {G.shape}."
            )
        point = self._respond(w, f)
        evaluation = Evaluation(w, f, G, point.value, point.lam)
        if not evaluation.finite:
            if first:
                what = "losses" if not np.isfinite(f).all() else "Jacobian"
                got = f"derivatives above {LARGEST:g}" if np.isfinite(G).all() and what == "Jacobian" else "NaN or inf"
                raise ProblemError(
                    f"the {what} must be finite at w0; got {got}. Start where every loss is defined, in units that "
                    "keep derivatives moderate."
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
        values = cast("Callable[[Vector], Vector] | None", getattr(self.problem.losses, "values", None))
        if values is None or any(np.array_equal(known.w, w) for known in self._recent):
            return self.evaluate(w, watch=watch).point
        f = self._as_float64(values(w.copy()))
        self.n_values += 1
        if f.shape != (self.problem.n_losses,):
            raise ProblemError(f"losses.values must return shape ({self.problem.n_losses},); got {f.shape}.")
        point = self._respond(w, f)
        if watch and np.isfinite(point.value):
            self.watch.observe_values(w, f)
        return point

    def _as_float64(self, x: object) -> Vector:
        try:
            array = real_array(x)
        except (TypeError, ValueError) as error:
            raise ProblemError(f"the losses must return numbers; got {type(x).__name__} ({error}).") from error
        if array.dtype in (np.float32, np.float16):
            self.precision = max(self.precision, float(np.finfo(array.dtype).eps))
            self.watch.trust(self.precision)
        # A copy: the losses may write over their arrays at the next point.
        return array.astype(np.float64)

    def _respond(self, w: Vector, f: Vector) -> Point:
        if not np.isfinite(f).all():
            return Point(w, f, np.inf, np.full(self.problem.n_losses, np.nan))
        value, lam = self.adversary.best_response(f)
        return Point(w, f, value, lam)

    def dual_step(self, Q: Matrix, c: Vector, tol: float, start: Vector | None = None) -> DualSolution:
        """Solve (D) to a measured gap of ``tol``, or of what rounding allows."""
        if not (np.isfinite(Q).all() and np.isfinite(c).all()):
            raise Breakdown("the linearized losses overflow: the steps are too long, or the losses are too large")
        subproblem = DualSubproblem(Q, c, self.adversary)
        solution = self.inner.solve(subproblem, max(tol, subproblem.resolution), start)
        self.n_inner += solution.n_iter
        self.n_inner_failures += not solution.converged
        return solution

    def cut(self, at: Evaluation, lam: Vector, slope: Vector | None = None) -> Minorant:
        """The minorant of g that lam gives at an evaluated point; ``slope`` is G' lam where it is at hand."""
        value = float(lam @ at.f) - self.adversary.regularizer.value(lam)
        return Minorant(value, lam @ at.G if slope is None else slope, lam, at.w, self.curvature)


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
    curvature = np.repeat(finite_vector(m, name), d) if np.ndim(m) == 0 else finite_vector(m, name, d)
    if curvature.min() < 0:
        raise ProblemError(f"losses.strong_convexity must be >= 0; got {curvature.min():g}.")
    return curvature
