"""The methods of the tables: those of the paper as it configures them, and the library's own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..methods import APGD, LBFGSB, Accelerated, AnyMethod, Extragradient, Optimistic
from ..subproblem import InnerSolver, PathFollowing
from . import published

# SciPy's default tolerances of L-BFGS-B; with them it ends at about the objectives that the paper prints.
SCIPY_FTOL, SCIPY_GTOL = 2.220446049250313e-09, 1e-5
# The colors of the paper's figure.
GREEN, ORANGE, BLACK = "tab:green", "tab:orange", "black"


@dataclass(frozen=True)
class Contestant:
    """A method as a function of L, and an inner solver; ``row`` names its row in the tables of the paper."""

    label: str
    method: Callable[[float], str | AnyMethod]
    inner: str | InnerSolver = "auto"
    row: str | None = None
    color: str = "tab:gray"
    dashes: str = "-"


def algorithm_1(L: float) -> Accelerated:
    """Algorithm 1 of the paper: its step sizes, no restart, L given."""
    return Accelerated(steps="paper", restart=False, smoothness=L)


PAPER, QP, ALGORITHM_2 = "algorithm-1-trust-constr", "algorithm-1-qp", "algorithm-1-algorithm-2"
ALGORITHM_1 = (PAPER, QP, ALGORITHM_2)
SHARP, DEFAULT, SCIPY = "accelerated", "default", "lbfgsb-scipy"

CONTESTANTS: dict[str, Contestant] = {
    PAPER: Contestant(
        "Algorithm 1, trust-constr (the paper's)", algorithm_1, "trust-constr", published.OURS, GREEN, "--"
    ),
    QP: Contestant("Algorithm 1, qp", algorithm_1, "qp", published.OURS, GREEN),
    ALGORITHM_2: Contestant(
        "Algorithm 1, Algorithm 2", algorithm_1, PathFollowing(schedule="paper"), published.OURS, GREEN, ":"
    ),
    "apgd": Contestant("APGD", lambda L: APGD(smoothness=L), row=published.APGD, color=ORANGE),
    "extragradient": Contestant(
        "extragradient", lambda L: Extragradient(smoothness=L), row=published.EXTRAGRADIENT, color=BLACK
    ),
    "optimistic": Contestant("optimistic", lambda L: Optimistic(smoothness=L), color="tab:gray"),
    SCIPY: Contestant(
        "L-BFGS-B, SciPy's tolerances (the paper's)",
        lambda L: LBFGSB(ftol=SCIPY_FTOL, gtol=SCIPY_GTOL),
        row=published.LBFGSB,
        color="tab:brown",
    ),
    "lbfgsb": Contestant("L-BFGS-B, to rounding", lambda L: LBFGSB(), color="tab:brown"),
    SHARP: Contestant(
        "ours: accelerated, sharp steps", lambda L: Accelerated(smoothness=L), color="tab:cyan", dashes="--"
    ),
    DEFAULT: Contestant("ours: the default", lambda L: "auto", color="tab:blue"),
}
