"""A regularizer and the sample of the set on which it is tested."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from .._types import Matrix, Vector
from ..adversary import Adversary, BestResponse, response_formula
from ..linalg.hessians import as_hessian
from ..regularizers import HasBestResponse, Regularizer
from ..subproblem import adversary_of
from .sampling import Sample

# lam itself is rounded, by much less than the rounding errors that the checks allow for its value.
GRAIN = 1e-5


@dataclass(frozen=True, eq=False)
class RegularizerSample:
    """R with its defaults resolved, and points, losses and best responses on the set."""

    s: Sample
    R: Regularizer

    @cached_property
    def adversary(self) -> Adversary:
        return adversary_of(self.s.dual_set, self.R, self.s.n)

    @cached_property
    def exact(self) -> bool:
        """Whether R has a formula for its best response on the set."""
        return self.formula is not None

    @cached_property
    def formula(self) -> HasBestResponse | None:
        return response_formula(self.s.dual_set, self.R)

    def gap(self, lam: Vector, z: Vector) -> float:
        """h(z) - <lam, z> + R(lam) by R's own formula, which may be negative where it is wrong, or an upper bound."""
        formula = self.formula
        return self.adversary.gap(lam, z) if formula is None else formula.gap(self.s.dual_set, lam, z)

    @cached_property
    def responses(self) -> list[BestResponse]:
        """h(z) and the best response to each of the losses that were drawn."""
        return [self.adversary.best_response(z) for z in self.s.zs]

    def matrix(self, x: Vector) -> Matrix:
        """The Hessian of R."""
        return as_hessian(self.R.hessian(x)).dense()

    def score(self, lam: Vector, z: Vector) -> float:
        """<lam, z> - R(lam)."""
        return float(lam @ z) - self.R.value(lam)

    def rounding(self, z: Vector) -> float:
        """The size of the terms of <lam, z> - R(lam), to which rounding errors are relative."""
        values = [abs(self.R.value(lam)) for lam in (*self.s.points, *self.s.maximizers[:4])]
        return float(max(abs(z) @ abs(lam) for lam in self.s.maximizers)) + max(values) + GRAIN * self.steepness

    @cached_property
    def steepness(self) -> float:
        """The change of R per change of lam in its last digits."""
        return max(float(abs(self.R.gradient(lam)) @ abs(lam)) for lam in self.s.points)
