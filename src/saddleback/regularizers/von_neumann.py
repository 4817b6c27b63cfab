"""The von Neumann entropy: the entropic regularizer of density matrices."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.special import entr

from .._types import Vector
from .._validation import number
from ..dual_sets import DualSet, Simplex, Spectrahedron
from ..dual_sets.spectrahedron import interior_spectrum, of_spectrum, spectrum
from ..errors import IncompatibleError
from ..linalg.hessians import Spectral
from .base import HasGradient, Regularizer
from .zero import Zero


@dataclass(frozen=True)
class VonNeumann(Regularizer):
    """R(Lam) = gamma tr Lam log Lam, on the spectrahedron.

    h(F) = gamma log tr exp(F/gamma), a smooth largest eigenvalue (above it by at most gamma log k), and the best
    response is exp(F/gamma) over its trace. gamma-strongly convex in the trace norm, hence in the Frobenius norm
    (Nesterov 2007); compatible with -log det (docs/mathematics.md, 8).
    """

    response_needs: ClassVar[tuple[type, ...]] = (Spectrahedron,)
    ascent_needs: ClassVar[tuple[type, ...]] = (Spectrahedron,)

    gamma: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "gamma", number(self.gamma, "gamma of VonNeumann", minimum=0.0))

    @property
    def strong_convexity(self) -> float:
        return self.gamma

    def resolve(self, dual_set: DualSet, n: int) -> Regularizer:
        if not isinstance(dual_set, Spectrahedron):
            raise IncompatibleError(
                f"VonNeumann is an entropy of matrices and needs a Spectrahedron; got {dual_set!r}. Use Entropy(gamma)."
            )
        return Zero() if self.gamma == 0 else self

    def lacks(self, capability: type) -> str | None:
        if capability is HasGradient:
            return "the gradient of VonNeumann is infinite where an eigenvalue is zero"
        return super().lacks(capability)

    def value(self, lam: Vector) -> float:
        return -self.gamma * float(entr(np.maximum(spectrum(lam).values, 0.0)).sum())

    def gradient(self, lam: Vector) -> Vector:
        values, U = interior_spectrum(lam)
        return self.gamma * of_spectrum(np.log(values) + 1.0, U)

    def hessian(self, lam: Vector) -> Spectral:
        """In the basis of eigenvectors: gamma (log a - log b)/(a - b) for eigenvalues a, b (Daleckii, Krein 1965)."""
        values, U = interior_spectrum(lam)
        small, large = np.minimum(values[:, None], values), np.maximum(values[:, None], values)
        x = (large - small) / small
        with np.errstate(invalid="ignore", divide="ignore"):
            divided = np.where(x > 0.0, np.log1p(x) / (large - small), 1.0 / large)
        return Spectral(U, self.gamma * divided)

    def best_response(self, dual_set: DualSet, z: Vector) -> Vector:
        values, U = spectrum(dual_set.tangent_part(z))
        return of_spectrum(Simplex().tilt(np.ones(values.size), values / self.gamma), U)

    def ascent_step(self, dual_set: DualSet, lam: Vector, z: Vector, eta: float, *, at: Vector | None = None) -> Vector:
        """The mirror step exp((log Lam + eta Z)/(1 + eta gamma)) over its trace: the matrix exponentiated gradient."""
        values, U = interior_spectrum(lam)
        logarithm = of_spectrum(np.log(values), U)
        values, U = spectrum(dual_set.tangent_part((logarithm + eta * z) / (1.0 + eta * self.gamma)))
        return of_spectrum(Simplex().tilt(np.ones(values.size), values), U)
