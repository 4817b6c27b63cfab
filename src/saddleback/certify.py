"""Checking a point: its value, a lower bound and the gap from one evaluation, without the run that found it."""

from __future__ import annotations

from collections.abc import Callable
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
from .engine.stopping import Stopping
from .engine.units import check_reach, guessed_sizes, offered_sizes
from .errors import ProblemError
from .problem import Problem
from .result import region_in_words
from .subproblem import Auto

# Weights that miss Lambda by more than this share of their size are no rounding, that of float32 included.
ROUNDING = 1e-6
# The slopes |G' lam| that are looked for: from the largest down to this share of it, where (D) drowns in rounding ...
FLATTEST = 1e-12
# ... and by as many halvings of that range on a logarithmic scale, to one part in a hundred of the best one.
HALVINGS = 12
# Larger entries of F in Q = F F' overflow in the products of Q with itself that solvers of (D) form.
LARGEST = 1e75
# (D) is solved to ten times this share of the gap that is left, or better.
ACCURACY = 1e-5


@dataclass(frozen=True, eq=False)
class Certificate:
    """What one evaluation at w proves about w; see `certify`.

    Attributes
    ----------
    value : float
        g(w).
    losses : (J,) array
        f(w); on the spectrahedron a matrix, and so is the dual.
    lower_bound, gap : float
        g(v) >= lower_bound for every v within ``radius`` of w; gap = value - lower_bound.
    radius : float
        How far the bound reaches, in the problem's metric; inf where it is global.
    reach : (d,) array
        How far it reaches along each parameter, as in `Result`.
    dual : (J,) array
        The lam in Lambda that proves the bound.
    convex : bool
        Whether every <lam, f> is convex by what the losses say of themselves (``convex``, ``strong_convexity``). The
        bound is true if it is; where the losses do not say so, the printed form adds that condition.
    """

    value: float
    losses: Vector
    lower_bound: float
    gap: float
    radius: float
    reach: Vector
    dual: Vector
    convex: bool

    def holds(self, tol: float = 1e-6) -> bool:
        """Whether a run with this ``tol`` would call w converged, and certified."""
        return bool(self.gap <= Stopping(tol, max_iter=0).threshold(self.value))

    def __str__(self) -> str:
        region = region_in_words(self.reach) + ("" if self.convex else ", if the losses are convex")
        return f"value {self.value:.8g}, lower bound {self.lower_bound:.8g}, gap {self.gap:.3g} ({region})"


def certify(problem: Problem, w: ArrayLike, dual: ArrayLike | None = None, radius: float | None = None) -> Certificate:
    """How far w can be from the optimum: value, lower bound and gap, computed anew from one evaluation of the losses.

    With the slope s = G(w)' lam of any lam in Lambda, and m_i the strong convexity of coordinate i,

        g(v) >= <lam, f(w)> - R(lam) - sum over m_i > 0 of s_i^2/(2 m_i) - radius sqrt(sum over m_i = 0 of s_i^2)

    for every v that lies within ``radius`` of w along the coordinates with m_i = 0 (docs/mathematics.md, 5).
    Nothing of a run is believed. Three things are believed of the problem: that <lam, f> is convex for every lam in
    Lambda, that the Jacobian is right, and that ``strong_convexity``, where the losses offer it, is. A run watches over
    them as far as its points can tell; one evaluation cannot.

    Parameters
    ----------
    problem : Problem
        The losses, the dual set and the regularizer.
    w : (d,) array
        The point, whoever found it.
    dual : (J,) array, optional
        The lam that proves the bound, for example `Result.dual`; a matrix where Lambda is a set of matrices. It must
        lie in Lambda; what rounding has moved out of it is moved back. Without it the best lam for this evaluation is
        looked for; any lam gives a true bound.
    radius : float, optional
        How far the bound must reach along coordinates that are not strongly convex: the same distance in every
        direction, in the parameters as they are or in the problem's metric. Unless given, as for a run from zero: as
        far as w is from there, and at least as far as the parameters are large, each in its own units.

    Returns
    -------
    Certificate
        ``value``, ``losses``, ``lower_bound``, ``gap``, ``radius``, ``reach``, ``dual``, ``convex``. A run averages
        the bounds of several points, so that one evaluation may prove somewhat less, or more, than
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
    if radius is not None:
        # A bound that holds everywhere holds within any radius, inf included.
        everywhere = oracle.curvature.min() > 0 and np.ndim(radius) == 0 and radius == np.inf
        radius = np.inf if everywhere else number(radius, "radius", minimum=0.0, strict=True)
    at = oracle.evaluate(w)
    scale = _scale(problem, at, oracle.curvature, radius)
    curvature = oracle.curvature / scale**2
    axes = np.where(oracle.curvature > 0, np.inf, 1.0 / scale)
    radius = _reach(radius, curvature, float(dnrm2(w * scale)))
    G = at.G / scale
    region = Region(at.w, radius)

    def bound(lam: Vector) -> float:
        constant = float(lam.dot(at.f)) - oracle.adversary.regularizer.value(lam)
        least = Minorant(constant, lam.dot(G), lam, at.w, curvature).minimum(region)
        # Rounding may lift a bound above the value that it bounds; an overflow bounds nothing.
        return -np.inf if np.isnan(least) else min(least, at.value)

    best = _best_weights(oracle, at, G, curvature, radius, bound) if given is None else given
    lower = bound(best)
    to_user = problem.dual_set.to_user
    reach = radius * axes
    return Certificate(
        value=at.value,
        losses=to_user(at.f).copy(),
        lower_bound=lower,
        gap=at.value - lower,
        radius=float(reach.min()) if problem.metric is None else radius,
        reach=reach,
        dual=to_user(best).copy(),
        convex=oracle.convex or bool(oracle.curvature.any()),
    )


def _scale(problem: Problem, at: Evaluation, curvature: Vector, radius: float | None) -> Vector:
    """1 over the lengths in which distances are meant: the metric's, a radius's own, or the parameters' sizes."""
    if problem.metric is not None:
        return np.sqrt(np.asarray(problem.metric, dtype=np.float64))
    if radius is not None:
        return np.ones(at.w.size)
    sizes = offered_sizes(problem.losses)
    if sizes is None:
        return 1.0 / guessed_sizes(at)
    check_reach(sizes, curvature)
    return 1.0 / sizes


def _in_lambda(problem: Problem, dual: ArrayLike) -> Vector:
    """The given weights, without the rounding that took them out of Lambda; refused where it is more than that."""
    adversary = problem.adversary
    dual_set = adversary.dual_set
    lam = dual_set.from_user(dual, "dual", problem.n_losses)
    if not dual_set.contains(lam, ROUNDING * min(1.0, adversary.largest_weight)):
        shown = np.array2string(np.asarray(dual), precision=4, threshold=20)
        raise ProblemError(
            f"dual must lie in {dual_set!r}; got {shown}. Pass Result.dual as it is, or leave dual out: then the best "
            "weights are looked for."
        )
    return dual_set.restore(lam)


def _reach(radius: float | None, curvature: Vector, length: float) -> float:
    """How far the bound reaches: everywhere where all coordinates are strongly convex."""
    everywhere = bool(curvature.min() > 0)
    return np.inf if everywhere else max(1.0, length) if radius is None else radius


def _best_weights(
    oracle: Oracle, at: Evaluation, G: Matrix, curvature: Vector, radius: float, bound: Callable[[Vector], float]
) -> Vector:
    """The lam of (nearly) the highest bound that this evaluation proves.

    With A = G/sqrt(m) along curved coordinates and F = G along flat ones, the bound is
    <lam, f> - R(lam) - 1/2 |A' lam|^2 - D |F' lam|. As D |x| = min over u > 0 of D/2 (|x|^2/u + u), its maximum is that
    of a concave function of lam and u, and (D) with Q = A A' + (D/u) F F' finds the lam of a u. The best u is |F' lam|;
    where lam's slope is steeper, u must grow.
    """
    search = _Search(oracle, at, bound)
    flat = curvature == 0
    A, F = _narrowed(G[:, ~flat] / np.sqrt(curvature[~flat])), _narrowed(G[:, flat])
    largest = oracle.adversary.dual_set.weight_range(at.f.size)[1] * float(row_norms(F).max()) if F.size else 0.0
    if largest == 0.0:
        search.solve(np.hstack((A, F)))
        return search.best
    low, high = log(largest) + log(FLATTEST), log(largest)
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        u = exp(middle)
        lam = search.solve(np.hstack((A, sqrt(radius) / sqrt(u) * F)))
        low, high = (middle, high) if lam is None or dnrm2(lam.dot(F)) > u else (low, middle)
    return search.best


class _Search:
    """The best lam so far, and the gap that it leaves."""

    def __init__(self, oracle: Oracle, at: Evaluation, bound: Callable[[Vector], float]) -> None:
        self._oracle, self._at, self._bound = oracle, at, bound
        self.best, self._left, self._last = at.lam, at.value - bound(at.lam), at.lam

    def solve(self, factor: Matrix) -> Vector | None:
        """(D) for Q = F F', as exactly as the gap that is left asks; None where Q would overflow."""
        if not np.abs(factor).max() < LARGEST:
            return None
        while True:
            asked = ACCURACY * self._left if isfinite(self._left) else 0.0
            solution = self._oracle.dual_step(None, self._at.f, asked, self._last, factor=factor)
            self._last = solution.lam
            left = self._at.value - self._bound(solution.lam)
            if left < self._left:
                self.best, self._left = solution.lam, left
            # Each round asks for ten times as much as the last one reached, down to what rounding allows.
            if not solution.converged or solution.gap <= max(10 * ACCURACY * self._left, solution.rounding_floor):
                return solution.lam


def _narrowed(rows: Matrix) -> Matrix:
    """A factor of rows rows' with no more columns than rows."""
    J, d = rows.shape
    return rows if d <= J else np.asarray(np.linalg.qr(rows.T, mode="r")).T
