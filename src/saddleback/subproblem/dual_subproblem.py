"""The dual subproblem (D) and its three gaps."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from .._types import EPS, Matrix, Vector
from ..adversary import Adversary

TINY = float(np.finfo(np.float64).tiny)


@dataclass(frozen=True, eq=False)
class DualSubproblem:
    """min over lam in Lambda of 1/2 lam' Q lam - c' lam + R(lam), with Q symmetric and positive semidefinite.

    In Algorithm 1 Q = (alpha^2/A) G G' and c = f(md): the dual of one proximal step on the losses linearized
    at md. Write S for the quadratic part. For lam in Lambda the paper orders three gaps (eq. "chain"):
    optimality gap <= cross-evaluation gap <= Frank-Wolfe gap.
    """

    Q: Matrix
    c: Vector
    adversary: Adversary
    c_tangent: Vector = field(init=False, repr=False)
    """c less its component normal to the affine hull of Lambda."""
    size: float = field(init=False, repr=False)
    """The largest entry of Q: one of its diagonal."""
    scale: float = field(init=False, repr=False)
    """The size of what the adversary can gain or lose in (D); 0 when nothing depends on lam."""
    resolution: float = field(init=False, repr=False)
    """The gap that rounding leaves: smaller ones cannot be measured in float64."""

    def __post_init__(self) -> None:
        self._measure(self.Q.diagonal())

    def _measure(self, diagonal: Vector) -> None:
        """Everything that every solver asks, at once: small problems cost what their calls cost."""
        adversary = self.adversary
        c_tangent = adversary.dual_set.tangent_part(self.c)
        spread, size = np.abs(c_tangent), diagonal.item(diagonal.argmax())
        # Weights count in their own unit; on the simplex that is one.
        largest = adversary.largest_weight
        scale = largest * max(spread.item(spread.argmax()), largest * max(size, adversary.regularizer.strong_convexity))
        resolution = 8 * EPS * max(scale, TINY)
        self.__dict__.update(c_tangent=c_tangent, size=size, scale=scale, resolution=resolution)

    def product(self, lam: Vector) -> Vector:
        """Q lam."""
        return self.Q.dot(lam)

    def objective(self, lam: Vector) -> float:
        """S(lam) + R(lam)."""
        return float(lam.dot(0.5 * self.product(lam) - self.c)) + self.adversary.regularizer.value(lam)

    def gradient(self, lam: Vector) -> Vector:
        """Gradient of S + R."""
        return self.product(lam) - self.c + self.adversary.regularizer.gradient(lam)

    def linearized_losses(self, lam: Vector) -> Vector:
        """ell(lam) = c - Q lam = -grad S(lam): the linearized losses where the step with lam arrives."""
        return self.c - self.product(lam)

    def optimality_gap(self, lam: Vector, optimum: float) -> float:
        """(S + R)(lam) - optimum."""
        return self.objective(lam) - optimum

    def cross_evaluation_gap(self, lam: Vector) -> float:
        """max over mu of <grad S(lam), lam - mu> + R(lam) - R(mu) = h(ell) - <lam, ell> + R(lam): exact."""
        # What c gives to every lam alike would only round the rest.
        return self.adversary.gap(lam, self.c_tangent - self.product(lam))

    def frank_wolfe_gap(self, lam: Vector) -> float:
        """max over mu of <grad (S + R)(lam), lam - mu>; inf where R has no gradient."""
        gradient = self.gradient(lam)
        if not np.isfinite(gradient).all():
            return np.inf
        return self.adversary.dual_set.regret(lam, -gradient)


class Multipliers(Protocol):
    """The non-negative multipliers z of lam >= lower and of lam <= upper."""

    @property
    def lower(self) -> Vector: ...
    @property
    def upper(self) -> Vector: ...


@dataclass(frozen=True, eq=False)
class DualSolution:
    """What an inner solver returns: a feasible lam, its measured cross-evaluation gap, and what that cost."""

    lam: Vector
    gap: float
    n_iter: int
    converged: bool
    solver: str
    message: str = ""
    resolution: float = 0.0
    """The gap that rounding leaves, whatever is asked."""
    multipliers: Multipliers | None = None
    """Those of a quadratic program, where one was solved: `kkt.frank_wolfe_bound` makes a certificate of them."""
