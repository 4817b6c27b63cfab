"""Step sizes of the accelerated method, and the points of one step."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

from .._types import Vector

LEAST_CONDITION = 1.01
"""The sharp rule takes L as at least this many times m: with L = m and kappa = 0 the first alpha would be infinite."""


def paper_step(L: float, A: float) -> float:
    """alpha_t = (1 + sqrt(1 + 4 L A_{t-1})) / (4L): 2 L alpha_t^2 <= A_t (paper, eq. "step-sizes")."""
    return (1.0 + sqrt(1.0 + 4.0 * L * A)) / (4.0 * L)


def sharp_step(L: float, A: float, m: float = 0.0, kappa: float = 0.0) -> float:
    """The alpha_t with L alpha_t^2 = (1 - kappa) A_t (1 + m A_t), A_t = A_{t-1} + alpha_t (docs/mathematics.md, 2).

    m is a modulus of strong convexity of every <lam, f>, and kappa the share of the step that pays for gaps of (D).
    A_T >= (1 - kappa) T^2/(4L), and with m > 0 also A_T >= (1 - sqrt(m/L'))^(1 - T)/L' for L' = L/(1 - kappa).
    """
    L = max(L, LEAST_CONDITION * m)
    share = 1.0 - kappa
    b = share * (1.0 + 2.0 * m * A)
    a = L - share * m
    return (b + sqrt(b * b + 4.0 * a * share * A * (1.0 + m * A))) / (2.0 * a)


STEP_SIZE_RULES = {"sharp": sharp_step, "paper": paper_step}


@dataclass(frozen=True, eq=False)
class Middle:
    """The points of one step: u, md = (A_- ag + alpha u)/A and, after (D) is solved, w+ (docs/mathematics.md, 2).

    u = (alpha m md + (1 + m A_-) w)/(1 + m A), which is w where m = 0.
    """

    alpha: float
    A: float
    growth: float
    """1 + m A."""
    u: Vector
    md: Vector

    @staticmethod
    def of(ag: Vector, w: Vector, A: float, alpha: float, m: float = 0.0) -> Middle:
        """The step of length alpha from ag and w; ``A`` is the sum of the weights before it."""
        after = A + alpha
        growth = 1.0 + m * after
        if A == 0.0:
            return Middle(alpha, after, growth, w, w)
        u = w
        if m > 0.0:
            # Both equations solved for u.
            pull = alpha * m * (A / after)
            u = (pull * ag + (1.0 + m * A) * w) / (pull + 1.0 + m * A)
        return Middle(alpha, after, growth, u, (A * ag + alpha * u) / after)

    @property
    def eta(self) -> float:
        """The step from md to ag+ is -eta G' lam."""
        return self.alpha * (self.alpha / self.A) / self.growth

    def long_step(self, slope: Vector) -> Vector:
        """w+ = u - alpha G' lam/(1 + m A)."""
        return self.u - (self.alpha / self.growth) * slope
