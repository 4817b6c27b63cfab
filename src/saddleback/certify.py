"""Certifying a point: its value, a lower bound and the gap from one evaluation, without a run."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, isfinite, log, sqrt

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg.blas import dnrm2

from ._types import Matrix, Vector
from ._validation import finite_vector, number
from .engine.certificates import Minorant, Region
from .engine.evaluation import Evaluation, row_norms
from .engine.oracle import Oracle
from .engine.parameter_scales import declared_scales, guessed_scales, refuse_extreme, refuse_large
from .engine.stopping import Stopping
from .errors import ProblemError
from .problem import Problem
from .result import region_in_words
from .subproblem import Auto

# Weights outside Lambda by at most this share of their magnitude are accepted as rounding errors, also of float32.
WEIGHT_ROUNDING = 1e-6
# The search over u = |F' lam| covers the range from the largest possible one down to this share of it; below, rounding
# errors dominate (D).
LEAST_SLOPE_SHARE = 1e-12
# The range is halved this often on a logarithmic scale, which finds the best u to one percent.
N_HALVINGS = 12
# Larger entries of F in Q = F F' overflow in the products of Q with itself that solvers of (D) form.
LARGEST_FACTOR = 1e75
# (D) is solved to ten times this share of the remaining gap, or better.
INNER_ACCURACY = 1e-5


@dataclass(frozen=True, eq=False)
class Certificate:
    """The certificate of one evaluation at w; see `certify`.

    Attributes
    ----------
    value : float
        g(w).
    losses : (J,) array
        f(w), not less a reference; on the spectrahedron a matrix, and so is the dual.
    dual : (J,) array
        The lam in Lambda that proves the bound.
    lower_bound, gap : float
        g(v) >= lower_bound for every v within ``radius`` of w; gap = value - lower_bound.
    radius : float
        The radius of the region of the bound, in the problem's metric; inf where it holds everywhere.
    reach : (d,) array
        The semi-axes of that region, as in `Result`.
    convex : bool
        Whether every <lam, f> is convex by what the losses declare (``convex``, ``strong_convexity``). The bound
        needs this; where the losses do not declare it, the printed form adds the condition.
    """

    value: float
    losses: Vector
    dual: Vector
    lower_bound: float
    gap: float
    radius: float
    reach: Vector
    convex: bool

    def holds(self, tol: float = 1e-6) -> bool:
        """Whether a run with this ``tol`` would count w as converged and certified."""
        return bool(self.gap <= Stopping(tol, max_iter=0).threshold(self.value))

    def __str__(self) -> str:
        region = region_in_words(self.reach) + ("" if self.convex else ", if the losses are convex")
        return f"value {self.value:.8g}, lower bound {self.lower_bound:.8g}, gap {self.gap:.3g} ({region})"


def certify(problem: Problem, w: ArrayLike, dual: ArrayLike | None = None, radius: float | None = None) -> Certificate:
    """Certify how far w can be from the optimum: value, lower bound and gap from one evaluation of the losses.

    With the slope s = G(w)' lam of any lam in Lambda, and m_i the strong convexity of coordinate i,

        g(v) >= <lam, f(w)> - R(lam) - sum over m_i > 0 of s_i^2/(2 m_i) - radius sqrt(sum over m_i = 0 of s_i^2)

    for every v that lies within ``radius`` of w along the coordinates with m_i = 0 (docs/mathematics.md, 5).
    No result of a run is used. Three properties of the problem are taken for granted: that <lam, f> is convex for every
    lam in Lambda, that the Jacobian is right, and that ``strong_convexity``, where the losses offer it, is right. A run
    checks them at its points; one evaluation cannot.

    Parameters
    ----------
    problem : Problem
        The losses, the dual set and the regularizer.
    w : (d,) array
        The point.
    dual : (J,) array, optional
        The lam that proves the bound, for example `Result.dual`; a matrix where Lambda is a set of matrices. It must
        lie in Lambda up to rounding, which is removed. Without it the best lam for this evaluation is computed; any lam
        gives a true bound.
    radius : float, optional
        How far from w the bound must hold along coordinates that are not strongly convex: the same distance in every
        direction, in the parameters as they are or in the problem's metric. By default as for a run from zero: the
        distance of w from zero, and at least one, in the scales of the parameters.

    Returns
    -------
    Certificate
        ``value``, ``losses``, ``lower_bound``, ``gap``, ``radius``, ``reach``, ``dual``, ``convex``. A run averages
        minorants of several points, so that one evaluation may prove a somewhat lower, or higher, bound than
        `Result.lower_bound`.

    Examples
    --------
    >>> import numpy as np
    >>> import saddleback as sb
    >>> rng = np.random.default_rng(0)
    >>> X, y, groups = rng.normal(size=(90, 3)), rng.integers(0, 2, 90), np.repeat(["a", "b", "c"], 30)
    >>> problem = sb.Problem(sb.GroupedLinear(X, y, groups, l2=0.1, fit_intercept=False))
    >>> result = sb.solve(problem)
    >>> certificate = sb.certify(problem, result.w)
    >>> certificate.radius, certificate.holds(tol=1e-6)
    (inf, True)
    >>> sb.certify(problem, result.w + 1.0).holds(tol=1e-6)
    False
    """
    if not isinstance(problem, Problem):
        raise ProblemError(f"problem must be a Problem; got {problem!r}. Build one with Problem(losses, ...).")
    w = finite_vector(w, "w", problem.n_params)
    given = None if dual is None else _in_lambda(problem, dual)
    oracle = Oracle(problem, Auto(), w, tol=0.0, where="w")
    m = oracle.strong_convexity
    if radius is not None:
        # A bound that holds everywhere holds within any radius, inf included.
        everywhere = m.min() > 0 and np.ndim(radius) == 0 and radius == np.inf
        radius = np.inf if everywhere else number(radius, "radius", minimum=0.0, strict=True)
    at = oracle.evaluate(w)
    # In v = factors w distances are Euclidean.
    factors = _factors(problem, at, m, radius)
    if m.min() > 0:
        radius = np.inf
    elif radius is None:
        radius = max(1.0, float(dnrm2(w * factors)))
    search = _Search(oracle, at, factors, m / factors**2, radius)
    best = search.best_weights() if given is None else given
    lower = search.bound(best)
    reach = radius * np.where(m > 0, np.inf, 1.0 / factors)
    to_user = problem.dual_set.to_user
    return Certificate(
        value=at.value,
        losses=to_user(oracle.losses_of(at.f)).copy(),
        lower_bound=lower,
        gap=at.value - lower,
        radius=float(reach.min()) if problem.metric is None else radius,
        reach=reach,
        dual=to_user(best).copy(),
        convex=oracle.convex or bool(m.any()),
    )


def _factors(problem: Problem, at: Evaluation, strong_convexity: Vector, radius: float | None) -> Vector:
    """One over the scales of distances: those of the metric, ones where a radius is given, or the parameters'."""
    if problem.metric is not None:
        return np.sqrt(np.asarray(problem.metric, dtype=np.float64))
    if radius is not None:
        return np.ones(at.w.size)
    scales = declared_scales(problem.losses)
    if scales is None:
        refuse_large(at.w)
        return 1.0 / guessed_scales(at)
    refuse_extreme(scales, strong_convexity)
    return 1.0 / scales


def _in_lambda(problem: Problem, dual: ArrayLike) -> Vector:
    """The given weights, restored to Lambda where they are outside by rounding, and refused where by more."""
    adversary = problem.adversary
    dual_set = adversary.dual_set
    lam = dual_set.from_user(dual, "dual", problem.n_losses)
    if not dual_set.contains(lam, WEIGHT_ROUNDING * min(1.0, adversary.largest_weight)):
        shown = np.array2string(np.asarray(dual), precision=4, threshold=20)
        raise ProblemError(
            f"dual must lie in {dual_set!r}; got {shown}. Pass Result.dual as it is, or leave dual out: then the best "
            "weights are computed."
        )
    return dual_set.restore(lam)


class _Search:
    """The search for the lam with the highest bound that one evaluation proves.

    With A = G/sqrt(m) along strongly convex coordinates and F = G along the others, the bound of lam is
    <lam, f> - R(lam) - 1/2 |A' lam|^2 - D |F' lam|. As D |x| = min over u > 0 of D/2 (|x|^2/u + u), its maximum is that
    of a concave function of lam and u, and (D) with Q = A A' + (D/u) F F' gives the lam of a u. The best u is |F' lam|:
    where |F' lam| > u, u must grow.
    """

    def __init__(
        self, oracle: Oracle, at: Evaluation, factors: Vector, strong_convexity: Vector, radius: float
    ) -> None:
        self._oracle, self._at, self._factors, self._m = oracle, at, factors, strong_convexity
        self._region = Region(at.w, radius)
        self._best, self._gap, self._last = at.lam, at.value - self.bound(at.lam), at.lam

    def bound(self, lam: Vector) -> float:
        """The lower bound that lam proves."""
        at = self._at
        constant = float(lam.dot(at.f)) - self._oracle.adversary.regularizer.value(lam)
        least = Minorant(constant, at.slope(lam) / self._factors, lam, at.w, self._m).minimum(self._region)
        # By rounding errors, the bound can exceed the value that it bounds; after an overflow there is no bound.
        return -np.inf if np.isnan(least) else min(least, at.value)

    def best_weights(self) -> Vector:
        """(Nearly) the best lam, by bisection over log u."""
        G, m = self._at.G / self._factors, self._m
        flat = m == 0
        A, F = _at_most_square(G[:, ~flat] / np.sqrt(m[~flat])), _at_most_square(G[:, flat])
        largest_sum = self._oracle.adversary.dual_set.weight_range(self._at.f.size)[1]
        largest = largest_sum * float(row_norms(F).max()) if F.size else 0.0
        if largest == 0.0:
            self._solve(np.hstack((A, F)))
            return self._best
        low, high = log(largest) + log(LEAST_SLOPE_SHARE), log(largest)
        for _ in range(N_HALVINGS):
            middle = 0.5 * (low + high)
            u = exp(middle)
            lam = self._solve(np.hstack((A, sqrt(self._region.radius) / sqrt(u) * F)))
            low, high = (middle, high) if lam is None or dnrm2(lam.dot(F)) > u else (low, middle)
        return self._best

    def _solve(self, factor: Matrix) -> Vector | None:
        """Solve (D) for Q = F F' as accurately as the remaining gap needs; None where Q would overflow."""
        if not np.abs(factor).max() < LARGEST_FACTOR:
            return None
        while True:
            tol = INNER_ACCURACY * self._gap if isfinite(self._gap) else 0.0
            solution = self._oracle.dual_step(None, self._at.f, tol, self._last, factor=factor)
            self._last = solution.lam
            gap = self._at.value - self.bound(solution.lam)
            if gap < self._gap:
                self._best, self._gap = solution.lam, gap
            # Each round asks for a tenth of the error of the last one, down to the rounding floor.
            needed = max(10 * INNER_ACCURACY * self._gap, solution.rounding_floor)
            if not solution.converged or solution.least_gap <= needed:
                return solution.lam


def _at_most_square(rows: Matrix) -> Matrix:
    """A factor of rows rows' with no more columns than rows."""
    J, d = rows.shape
    return rows if d <= J else np.asarray(np.linalg.qr(rows.T, mode="r")).T
