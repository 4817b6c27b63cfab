"""Step sizes of the accelerated method."""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt

StepSizeRule = Callable[[float, float], float]
"""(L, A_{t-1}) -> alpha_t."""


def paper_step(L: float, A: float) -> float:
    """alpha_t = (1 + sqrt(1 + 4 L A_{t-1})) / (4L): 2 L alpha_t^2 <= A_t (paper, eq. "step-sizes")."""
    return (1.0 + sqrt(1.0 + 4.0 * L * A)) / (4.0 * L)


def sharp_step(L: float, A: float) -> float:
    """alpha_t = (1 + sqrt(1 + 4 L A_{t-1})) / (2L): L alpha_t^2 = A_t, A_t >= t^2/(4L) (docs/mathematics.md, 2)."""
    return (1.0 + sqrt(1.0 + 4.0 * L * A)) / (2.0 * L)


STEP_SIZE_RULES: dict[str, StepSizeRule] = {"sharp": sharp_step, "paper": paper_step}
