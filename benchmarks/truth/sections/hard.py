"""Named problems that an earlier version answered wrongly."""

from __future__ import annotations

import numpy as np

import saddleback as sb

from ..endings import ROUNDING, SECONDS, covers, describe, ending, quietly, threshold
from ..problems.named import NAMED
from ..section import Section
from ..tally import Outcome, Share

TOL = 1e-6

MISSED = "convex problems that do not end as CONVERGED"
WRONG = "convex problems that end with error > tol"
FALSE = "bounds above a known value inside their region"


def judge(rng: np.random.Generator, number: int) -> list[Outcome]:
    """One named problem; the numbers wrap around."""
    name = list(NAMED)[number % len(NAMED)]
    named = NAMED[name]()
    problem = sb.Problem(named.make())
    result = quietly(lambda: sb.solve(problem, named.w0, named.method, tol=TOL, time_limit=SECONDS))
    error = result.value - named.optimum
    slack = ROUNDING * (1.0 + abs(named.optimum))
    above = result.lower_bound > named.optimum + slack
    counts = {FALSE: above and any(covers(result, low) for low in named.lows)}
    if named.convex:
        counts |= {MISSED: not result.success, WRONG: error > threshold(TOL, named.optimum)}
    return [Outcome(counts, name, ending(result), f"error {error:.2e}; {describe(result)}")]


ABOUT = """\
Two exponentials of quadratics with a flat direction (Polak 2), two wells, a saddle, one feature in units of 1e-12 to
1e7, and ill-conditioned tables: an earlier version gave a wrong answer to each of them. tol = 1e-6, default limits.
"""

SECTION = Section(
    name="hard",
    title="Problems that once got a wrong answer",
    about=ABOUT,
    judge=judge,
    limits=(Share(MISSED), Share(WRONG), Share(FALSE)),
    sizes={"small": len(NAMED), "full": len(NAMED)},
)
