"""Problems built around a known optimum: checks bounds and reported convergence."""

from __future__ import annotations

import numpy as np

import saddleback as sb

from ..endings import ROUNDING, SECONDS, covers, describe, ending, quietly, threshold
from ..problems.constructed import Known, draw
from ..problems.known_tables import draw_table
from ..problems.spectral import draw_spectral
from ..section import Section
from ..tally import Outcome, Share

# Runs out of a hundred for each method.
SHARES = {
    "auto": 62,
    "quasi-newton": 10,
    "newton": 10,
    "accelerated": 6,
    "prox-linear": 4,
    "fixed-point": 2,
    "apgd": 2,
    "extragradient": 1,
    "optimistic": 1,
    "lbfgsb": 2,
}
SECOND_ORDER = ("auto", "quasi-newton", "newton")
# Those that need a strongly convex R.
SMOOTH = ("apgd", "lbfgsb")
TOL = 1e-6
# First-order methods get tolerances that they can reach.
LOOSE = 1e-3
EPS = float(np.finfo(np.float64).eps)
SPECTRAL = 0.08
TABLES = 0.17

BOUND = "lower bounds above the optimum inside their region"
CERTIFIED = "certified with error > tol"
ESTIMATED = "estimated with error > tol"
ESTIMATED_FAR = "estimated with error > 100 tol"
EASY = "easy problems that do not end as CONVERGED"
BEATEN = "values below the optimum"


def judge(rng: np.random.Generator, number: int) -> list[Outcome]:
    """One problem by one method."""
    method = str(rng.choice(list(SHARES), p=np.array(list(SHARES.values())) / sum(SHARES.values())))
    second = method in SECOND_ORDER
    chance = rng.random()
    if chance < TABLES and second:
        known = draw_table(rng)
    elif chance < TABLES + SPECTRAL and method != "newton":
        known = draw_spectral(rng, mild=not second, strong=method in SMOOTH)
    else:
        known = draw(rng, mild=not second, strong=method in SMOOTH, hessian=method == "newton" or rng.random() < 0.3)
    tol = (TOL if second else LOOSE) * known.unit
    try:
        result = quietly(lambda: sb.solve(known.problem, known.w0, method, tol=tol, time_limit=SECONDS))
    except sb.errors.IncompatibleError:
        # Methods must refuse problems that they cannot solve.
        return [Outcome({}, method, "refused")]
    return [_judged(known, method, tol, result, second)]


def _judged(known: Known, method: str, tol: float, result: sb.Result, second: bool) -> Outcome:
    slack, error = ROUNDING * known.size, result.value - known.optimum
    allowed = threshold(tol, known.optimum) + slack
    above = result.lower_bound > known.optimum + slack
    nearest = known.losses.nearest_minimizer(result.w)
    # Far away along a flat direction the rounding errors of w change the losses.
    G = np.asarray(known.problem.losses.evaluate(result.w)[1])
    far = EPS * float((np.abs(G) @ np.abs(result.w)).max())
    counts = {BOUND: above and covers(result, nearest, known.metric), BEATEN: error < -slack - far}
    how = ending(result)
    if how == "certified":
        counts[CERTIFIED] = error > allowed
    if how == "estimated":
        counts |= {ESTIMATED: error > allowed, ESTIMATED_FAR: error > 100 * allowed}
    if known.easy and second:
        counts[EASY] = not result.success
    distance = float(np.linalg.norm(nearest - result.w))
    note = f"{known.label}: error {error:.2e}, tol {tol:.1e}, {distance:.2g} away; {describe(result)}"
    return Outcome(counts, method, how, note)


ABOUT = """\
Each problem is built around a chosen optimum w*: losses and gradients are chosen at w* so that weights lam are a best
response with <lam, gradients> = 0. The problems cover all sets and the regularizers that apply to them, 1 to 20 losses
of 1 to 30 parameters, sums of squares, softplus, exponentials, fourth powers and hyperbolas, tables, matrices and
affine losses; with ties, flat directions and weights that are zero without strict complementarity; parameters in units
from 1e-7 to 1e7, losses from 1e-6 to 1e6, starts near and far. Most runs use the default method; all other methods get
tolerances that they can reach. Easy problems have units of one, positive second derivatives in all directions and a
start near the optimum. A certificate is about the region around the answer that `Result.reach` states; the optimum here
is that over all parameters. So a certified answer may have an error above tol although no bound is false: where the
optimum lies outside its region.
"""

SECTION = Section(
    name="constructed",
    title="Problems with known optima",
    about=ABOUT,
    judge=judge,
    limits=(
        Share(BOUND),
        Share(CERTIFIED, 0.001),
        Share(ESTIMATED, 0.005),
        Share(ESTIMATED_FAR),
        Share(EASY, 0.001),
        Share(BEATEN),
    ),
    sizes={"small": 300, "full": 10_000},
)
