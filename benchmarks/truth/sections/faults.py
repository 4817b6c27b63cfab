"""Losses that fail at one call: checks that no run reports convergence with a wrong value."""

from __future__ import annotations

import numpy as np

import saddleback as sb

from ..endings import SECONDS, describe, ending, quietly
from ..problems.convex_losses import TAME, Pieces
from ..problems.liars import EVERY, NOISE, NOISY, Liar, OwnError
from ..section import Section
from ..tally import Outcome, Share

TOL = 1e-6
METHODS = ("auto", "auto", "auto", "accelerated", "prox-linear", "apgd", "extragradient", "lbfgsb")
# Runs take about ten evaluations: a fault at a later call would rarely occur.
LATEST = 12

UNTRUE = "CONVERGED with a value that the losses do not have at w"
RAW = "exceptions other than the user's own and the library's"
SWALLOWED = "user's exceptions suppressed, with a wrong answer"
WRONG = "CONVERGED with error > tol"


def judge(rng: np.random.Generator, number: int) -> list[Outcome]:
    """One run with one fault."""
    lie = EVERY[number % len(EVERY)]
    method = METHODS[int(rng.integers(len(METHODS)))]
    truth, optimum = _convex(rng)
    liar = Liar(truth, lie, int(rng.integers(0, LATEST)), rng)
    regularizer = sb.Quadratic(0.1, _lam(truth.n_losses)) if method in ("apgd", "lbfgsb") else sb.Zero()
    w0 = truth.optimum + rng.standard_normal(truth.n_params)
    tol = TOL if method == "auto" else 1e-3
    counts: dict[str, bool]
    try:
        result = quietly(
            lambda: sb.minimax(liar, w0, jac=True, regularizer=regularizer, method=method, tol=tol, time_limit=SECONDS)
        )
    except OwnError as error:
        return [Outcome({RAW: False, SWALLOWED: False}, lie, "the user's exception", str(error))]
    except sb.SaddlebackError as error:
        return [Outcome({RAW: False}, lie, type(error).__name__, str(error))]
    except Exception as error:
        return [Outcome({RAW: True}, lie, type(error).__name__, f"{method}: {type(error).__name__}: {error}")]
    true_value = sb.Problem(truth, regularizer=regularizer).value(result.w)
    close = max(1e-9, 20 * NOISE if lie == NOISY else 0.0) * (1.0 + abs(true_value))
    counts = {RAW: False}
    if liar.told or lie == NOISY:
        untrue = not abs(result.value - true_value) <= close
        counts |= {UNTRUE: result.success and untrue}
        if result.success:
            counts[WRONG] = true_value - optimum > tol + close
    if lie == "raises":
        # During the final inspection, a point at which the losses raise counts as outside their domain.
        counts[SWALLOWED] = liar.told and result.success and true_value - optimum > tol + close
    told = f"call {liar.when} of {liar.calls}" if liar.told else "fault not met"
    note = f"{method}, {told}, true value {true_value:.9g}, optimum {optimum:.9g}; {describe(result)}"
    return [Outcome(counts, lie, ending(result), note)]


def _convex(rng: np.random.Generator) -> tuple[Pieces, float]:
    """A well-conditioned problem on the simplex with lam = (1, 2, ...)/sum and losses 1 at its optimum."""
    J, d = int(rng.integers(1, 5)), int(rng.integers(1, 6))
    lam = _lam(J)
    b = rng.standard_normal((J, d))
    b -= np.outer(lam, lam @ b) / float(lam @ lam)
    P = np.linalg.qr(rng.standard_normal((d, d)))[0]
    a = rng.uniform(0.5, 2.0, (J, d))
    # With a Quadratic centered at lam, lam is also the best response to equal losses, and R is zero there.
    return Pieces(str(rng.choice(TAME)), np.ones(J), b, a, P, rng.standard_normal(d), np.ones(d)), 1.0


def _lam(J: int) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    lam = np.arange(1.0, J + 1.0)
    return lam / lam.sum()


ABOUT = """\
Well-conditioned convex losses that, at one call of a run, return a wrong value, a wrong gradient, nan or infinity, or
raise an exception; or that have noise of 1e-8 at every call. A run may continue or stop, but it must not report
convergence with a value that the losses do not have at w, and only the user's own exceptions and those of the library
may be raised.
"""

SECTION = Section(
    name="faults",
    title="Faults",
    about=ABOUT,
    judge=judge,
    limits=(Share(UNTRUE), Share(RAW), Share(SWALLOWED), Share(WRONG, None)),
    sizes={"small": 140, "full": 1400},
)
