"""The oracle: the only access of a method to the losses and to the dual subproblem."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf, isfinite
from typing import Any, cast
from weakref import WeakMethod

import numpy as np
from scipy.linalg.blas import dnrm2

from .._types import EPS, Indices, Matrix, Vector
from .._validation import all_finite
from ..errors import ProblemError
from ..linalg.sparse_jacobian import SparseJacobian
from ..losses import RescaledLosses
from ..machine.clock import Clock
from ..problem import Problem
from ..subproblem import DualSolution, DualSubproblem, FactoredSubproblem, InnerSolver, SparseSubproblem, gives_primal
from ..subproblem.checked_solution import checked_solution, must_be_checked
from .certificates import Minorant
from .checked_losses import CheckedLosses
from .convexity import DIFFERENCES_TOLERANCE, ConvexityWatch
from .evaluation import LARGEST_DERIVATIVE, Breakdown, Evaluation, Point, StructuredEvaluation, read_only_copy
from .problem_facts import GRACE_SECONDS, ProblemFacts

# A bound on the rounding error of a sum of products, in multiples of the precision. The errors of n terms grow like
# sqrt(n): this covers some hundreds of parameters.
ROUNDING_UNITS = 16.0
# Minorants at points with |w| above this are lowered by the rounding errors of w; below it these are negligible.
LARGE_PARAMETERS = 1e6


@dataclass(frozen=True, eq=False)
class Memory:
    """The counters of an oracle and the data on which its later answers depend; for checkpoints."""

    n_evals: int
    n_values: int
    n_inner: int
    n_inner_failures: int
    precision: float
    violation: str | None
    recent: tuple[Evaluation, ...]
    watched: tuple[Evaluation, ...]


class Oracle(ProblemFacts):
    """Evaluates the losses, less the problem's reference, and solves the dual subproblem of one run.

    Every call is counted and checked, the time limit is checked before it, and every evaluation is compared with the
    last ones for convexity. The last two evaluations are kept.
    """

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
        super().__init__(problem, Clock() if clock is None else clock)
        self.inner = inner
        self._checks_inner = must_be_checked(inner)
        self.w0 = w0
        self._where = where
        self.tol = tol
        self.n_evals = 0
        self.n_values = 0
        self.n_inner = 0
        self.n_inner_failures = 0
        self.precision = EPS
        """The relative rounding error of the losses: that of float32 once they have returned float32."""
        self._losses = CheckedLosses(
            problem.losses,
            None if problem.reference is None else self.reference,
            problem.n_losses,
            problem.n_params,
            WeakMethod(self._lower_precision),
        )
        self._without_reference = problem.reference is None
        self._values_first = self._facts.values_first
        self.watch = self.new_watch()
        if self._facts.convex:
            self.watch.allow_declared()
        self._recent: deque[Evaluation] = deque(maxlen=2)
        self._valued: Vector | None = None
        """The last point at which only the values were evaluated. The Jacobian there may be evaluated after the time
        limit as well, because it completes a step."""

    def rescaled(self, factors: Vector) -> Oracle:
        """The oracle of the same losses in v = factors w; counters and evaluations are kept.

        Factors are powers of two, so that the change of coordinates has no rounding errors.
        """
        problem = replace(self.problem, losses=RescaledLosses(self.problem.losses, factors), metric=None)
        oracle = Oracle(problem, self.inner, self.w0 * factors, self.tol, self.clock)
        oracle.n_evals, oracle.n_values = self.n_evals, self.n_values
        oracle._lower_precision(self.precision)
        for known in self._recent:
            there = known.rescaled(factors)
            oracle.watch.observe(there)
            oracle._recent.append(there)
        return oracle

    def memory(self) -> Memory:
        """What a checkpoint holds of this oracle."""
        return Memory(
            n_evals=self.n_evals,
            n_values=self.n_values,
            n_inner=self.n_inner,
            n_inner_failures=self.n_inner_failures,
            precision=self.precision,
            violation=self.watch.violation,
            recent=_stored(self._recent),
            watched=_stored(cast("tuple[Evaluation, ...]", self.watch.known)),
        )

    def restore(self, memory: Memory) -> None:
        """Take the counters and the contents of an earlier oracle."""
        self.n_evals, self.n_values = memory.n_evals, memory.n_values
        self.n_inner, self.n_inner_failures = memory.n_inner, memory.n_inner_failures
        self._recent.clear()
        self._recent.extend(memory.recent)
        self.watch.restore(memory.watched, memory.violation)
        self.precision = memory.precision
        self.watch.allow_precision(memory.precision)

    def new_watch(self) -> ConvexityWatch:
        """A watch of the convexity of these losses, without any points."""
        return ConvexityWatch(
            self.adversary.dual_set,
            self.strong_convexity,
            exact_jacobian=self.exact_jacobian,
            reference=None if self.problem.reference is None else self.reference,
        )

    def losses_of(self, f: Vector) -> Vector:
        """The losses as the user's object returns them, from those of an evaluation, which are less the reference."""
        return f + self.reference

    @property
    def jacobian_precision(self) -> float:
        """The relative error of the Jacobian: rounding, or that of finite differences."""
        return 16 * self.precision if self.exact_jacobian else DIFFERENCES_TOLERANCE

    def evaluate(self, w: Vector, *, watch: bool = True, anew: bool = False) -> Evaluation:
        """f, G and the best response at w: one evaluation, unless w is one of the last two points.

        ``watch=False`` neither checks convexity with this point nor keeps it; ``anew=True`` evaluates a kept point
        again.
        """
        if not anew:
            # ``_known`` inlined: this runs at every step.
            for known in self._recent:
                if known.w is w or (known.w[0] == w[0] and np.array_equal(known.w, w)):
                    return known
        w = read_only_copy(w)
        first = self.n_evals == 0
        if self.clock.time_limit < inf and (self._valued is None or not np.array_equal(self._valued, w)):
            self._check_clock()
        f, G = self._losses.evaluate(w)
        self.n_evals += 1
        value, lam = self._respond(f)
        largest = 0.0 if self._without_reference else float(np.abs(self.losses_of(f)).max())
        kind: Any = Evaluation if type(G) is np.ndarray else StructuredEvaluation
        evaluation: Evaluation = kind(w, f, value, lam, G, self.adversary.largest_weight, largest)
        if not evaluation.finite:
            if first:
                self._refuse_start(evaluation)
            return evaluation
        if watch:
            # Structured Jacobians are of losses of this package: where these are convex, they need no watch.
            if kind is Evaluation or not self.convex:
                self.watch.observe(evaluation)
            self._recent.append(evaluation)
        return evaluation

    def point(self, w: Vector, *, watch: bool = True) -> Point:
        """The losses and g at w, without the Jacobian where the losses offer ``values``.

        ``watch=False`` does not check convexity with this point.
        """
        w = read_only_copy(w)
        if not self._losses.offers_values or self._known(w) is not None:
            return self.evaluate(w, watch=watch).point
        self._check_clock()
        f = self._losses.values(w)
        self.n_values += 1
        self._valued = w
        value, lam = self._respond(f)
        if watch and isfinite(value):
            self.watch.observe_values(w, f)
        return Point(w, f, value, lam)

    def trial(self, w: Vector) -> Point:
        """The losses and g at a point that the method may reject.

        Most trials are accepted and then need the Jacobian. Only losses that declare ``values_first`` are evaluated
        without it, as values and Jacobian one after the other cost them as much as both at once.
        """
        return self.point(w) if self._values_first else self.evaluate(w)

    def hessian(self, w: Vector, lam: Vector) -> Matrix:
        """sum_j lam_j Hessian f_j(w), of losses that offer it."""
        self._check_clock()
        return self._losses.hessian(w, lam)

    def loss_hessians(self, w: Vector, which: Indices) -> Matrix:
        """The Hessians of the losses with the numbers ``which``, (len(which), d, d), of losses that offer them."""
        self._check_clock()
        return self._losses.loss_hessians(w, which)

    def sampled_hessian(self, w: Vector, lam: Vector, V: Matrix | None = None) -> Matrix | None:
        """An estimate of V (sum_j lam_j Hessian f_j(w)) V', with V = I for None; None where there is none."""
        return self._losses.sampled_hessian(w, lam, V) if self.samples_hessian else None

    def sampled_loss_hessians(self, w: Vector, which: Indices) -> Matrix | None:
        """Estimates of ``loss_hessians``, of losses that offer them; None where one is not finite."""
        self._check_clock()
        return self._losses.sampled_loss_hessians(w, which)

    def sampled_margins(self, V: Matrix) -> Matrix:
        """Margins of the sampled rows for each row of V, of losses that offer them."""
        return self._losses.sampled_margins(V)

    def hessian_on_margins(self, w: Vector, lam: Vector, T: Matrix) -> Matrix | None:
        """The sampled Hessian for directions with margins T, without penalties; None where it is not finite."""
        return self._losses.hessian_on_margins(w, lam, T)

    @cached_property
    def penalty_diagonal(self) -> Vector:
        """The diagonal of the Hessian that all losses share, of losses with ``sampled_margins``."""
        return self._losses.penalty_diagonal()

    def jacobian_error(self, w: Vector) -> Matrix | None:
        """A bound on the errors of the Jacobian at w, entry by entry; None where it is exact or unknown."""
        if self.exact_jacobian or not self._losses.offers_jacobian_error:
            return None
        self._check_clock()
        return self._losses.jacobian_error(w)

    def dual_step(
        self,
        Q: Matrix | None,
        c: Vector,
        tol: float,
        start: Vector | None = None,
        *,
        factor: Matrix | SparseJacobian | None = None,
        floored: bool = True,
    ) -> DualSolution:
        """Solve (D) to a measured gap of ``tol``, or to its rounding floor if larger; a ``factor`` F gives Q = F F'.

        ``floored=False`` asks for ``tol`` also where it is below that floor.
        """
        matrix = Q if factor is None else factor
        assert matrix is not None, "(D) needs Q, or a factor of it"
        entries = matrix.matrix.data if isinstance(matrix, SparseJacobian) else matrix
        if not (all_finite(c) and all_finite(entries)):
            raise Breakdown("the linearized losses overflow: the steps are too long, or the losses are too large")
        if self.clock.time_limit < inf:
            self._check_clock()
        if isinstance(matrix, SparseJacobian):
            subproblem: DualSubproblem = SparseSubproblem(matrix, c, self.adversary)
        else:
            subproblem = (DualSubproblem if factor is None else FactoredSubproblem)(matrix, c, self.adversary)
        if floored:
            tol = max(tol, self._rounding_floor(subproblem))
        solution = self.inner.solve(subproblem, tol, start)
        if self._checks_inner:
            solution = checked_solution(solution, subproblem, tol, self.inner)
        self.n_inner += solution.n_iter
        self.n_inner_failures += not solution.converged
        return solution

    @cached_property
    def steps_from_primal(self) -> bool:
        """Whether the inner solver finds steps as accurate as the losses, however large Q is."""
        # Of solvers from outside only lam is taken, which is checked.
        return not self._checks_inner and gives_primal(self.inner, self.adversary, self.problem.n_params)

    def _rounding_floor(self, subproblem: DualSubproblem) -> float:
        """The least gap that can be asked for."""
        factored = isinstance(subproblem, FactoredSubproblem)
        return subproblem.primal_rounding_floor if factored and self.steps_from_primal else subproblem.rounding_floor

    def cut(self, at: Evaluation, lam: Vector, slope: Vector | None = None) -> Minorant:
        """The minorant of g that lam gives at an evaluated point; ``slope`` is G' lam where the caller has it."""
        value = float(lam.dot(at.f)) - self.adversary.regularizer.value(lam)
        if dnrm2(at.w) > LARGE_PARAMETERS:
            value -= self.rounding_at(at)
        return Minorant(value, at.slope(lam) if slope is None else slope, lam, at.w, self.strong_convexity)

    def rounding_at(self, at: Evaluation) -> float:
        """A bound on how much rounding errors of w change <lam, f> at an evaluated point.

        Along a flat direction, where |G' lam| is zero but |G| is not, it grows in proportion to |w|.
        """
        return ROUNDING_UNITS * self.precision * at.slope_magnitude

    def _check_clock(self) -> None:
        """Raise OutOfTime where no time is left; not before the first evaluation, as a run must return a point."""
        if self.n_evals + self.n_values > 0:
            self.clock.check()

    def _known(self, w: Vector) -> Evaluation | None:
        """The kept evaluation at exactly w."""
        for known in self._recent:
            # The first coordinate is compared first: it is cheap, and differs for most points.
            if known.w[0] == w[0] and np.array_equal(known.w, w):
                return known
        return None

    def _respond(self, f: Vector) -> tuple[float, Vector]:
        """h(f) and the best response; inf and nan where f is not finite."""
        if not all_finite(f):
            return inf, np.full(f.size, np.nan)
        if self.n_evals + self.n_values > 1 or self.clock.time_limit == inf:
            return self.adversary.best_response(f)
        with self.clock.at_least(GRACE_SECONDS):
            return self.adversary.best_response(f)

    def _lower_precision(self, precision: float) -> None:
        """Note that the losses are computed with this relative precision, where it is lower than before."""
        self.precision = max(self.precision, precision)
        self.watch.allow_precision(self.precision)

    def _refuse_start(self, at: Evaluation) -> None:
        what = "losses" if not np.isfinite(at.f).all() else "Jacobian"
        derivatives = at.row_norms() if isinstance(at, StructuredEvaluation) else at.G
        too_large = what == "Jacobian" and np.isfinite(derivatives).all()
        got = f"derivatives above {LARGEST_DERIVATIVE:g}" if too_large else "NaN or inf"
        raise ProblemError(
            f"the {what} must be finite at {self._where}; got {got}. Take a point where every loss is defined, "
            "in units that keep derivatives moderate."
        )


def _stored(known: Iterable[Evaluation]) -> tuple[Evaluation, ...]:
    """The evaluations of a checkpoint. Structured ones are left out: a resumed run evaluates them again, to the bit."""
    return tuple(at for at in known if not isinstance(at, StructuredEvaluation))
