"""The probability simplex."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .._types import Matrix, Vector
from ..errors import ProblemError
from .distributions import Distributions, total_of
from .interior import BoundsForm, InteriorForm, PointForm
from .linear_constraints import LinearConstraints
from .proximal_response import EuclideanProximity, SmoothResponse, balanced_response

# Up to this many numbers a loop in Python is faster than NumPy's calls, as measured.
LOOP_UP_TO = 16


@dataclass(frozen=True)
class Simplex(EuclideanProximity, Distributions):
    """Delta_J = {lam >= 0, sum lam = 1}: the adversary picks a mixture of the losses.

    Barrier -sum log lam_j (Burg entropy), nu = J - 1 on the affine hull (docs/mathematics.md, 8).
    """

    @property
    def self_scaled(self) -> bool:
        return True

    @property
    def proves_gaps(self) -> bool:
        return True

    def validate(self, n: int) -> None:
        if n < 1:
            raise ProblemError(f"the simplex in R^{n} is empty; expected at least one loss.")

    def barrier_parameter(self, n: int) -> float:
        return n - 1.0

    def barrier(self, lam: Vector) -> float:
        return -float(np.log(lam).sum()) if lam.min() > 0 else np.inf

    def barrier_gradient(self, lam: Vector) -> Vector:
        return -1.0 / lam

    def barrier_hessian(self, lam: Vector) -> Vector:
        return 1.0 / lam**2

    def interior_form(self, n: int) -> InteriorForm:
        return PointForm(np.ones(1)) if n == 1 else BoundsForm(0.0, 1.0, n, 1.0)

    def affine_hull(self, n: int) -> tuple[Matrix, Vector]:
        return np.ones((1, n)), np.ones(1)

    def center(self, n: int) -> Vector:
        return np.full(n, 1.0 / n)

    # These are called several times per outer iteration on short vectors, where the overhead of NumPy's calls
    # dominates: argmax takes a third of the time of max, and dasum a fifth of that of sum.
    def support(self, z: Vector) -> tuple[float, Vector]:
        """The largest entry; equal largest entries share the weight equally."""
        top = z.item(z.argmax())
        lam = (z == top).astype(np.float64)
        ties = total_of(lam)
        return top, lam if ties == 1.0 else lam / ties

    def support_value(self, z: Vector) -> float:
        return z.item(z.argmax())

    def regret(self, lam: Vector, z: Vector) -> float:
        return -float(lam.dot(self.tangent_part(z)))

    def contains(self, lam: Vector, tol: float = 1e-12) -> bool:
        return bool(lam.min() >= -tol and abs(lam.sum() - 1.0) <= tol * max(1, lam.size))

    def restore(self, lam: Vector) -> Vector:
        lam = np.maximum(lam, 0.0)
        total = total_of(lam)
        return lam if total == 1.0 else lam / total

    def project(self, x: Vector) -> Vector:
        """max(x - theta, 0) with theta from the sorted entries (Held, Wolfe and Crowder 1974)."""
        x = self.tangent_part(x)
        theta = _threshold(x) if x.size > LOOP_UP_TO else _threshold_of_few(x)
        return self.restore(x - theta)

    def tilt(self, prior: Vector, z: Vector) -> Vector:
        """prior_j exp(z_j), normalized."""
        exponents = np.log(prior) + z
        return self.restore(np.exp(exponents - exponents.max()))

    def smooth_project(self, x: Vector) -> SmoothResponse:
        lam = self.project(x)
        return balanced_response(lam, (lam > 0.0).astype(np.float64))

    def smooth_tilt(self, prior: Vector, z: Vector) -> SmoothResponse:
        lam = self.tilt(prior, z)
        return balanced_response(lam, lam)

    def linear_constraints(self, n: int) -> LinearConstraints:
        E, e = self.affine_hull(n)
        return LinearConstraints(E, e, lower=np.zeros(n), upper=np.full(n, np.inf))


def _threshold(x: Vector) -> float:
    """theta with sum of max(x - theta, 0) = 1; nan where x is not a number."""
    u = np.sort(x)[::-1]
    excess = u.cumsum() - 1.0
    support = (u * np.arange(1, u.size + 1) > excess).nonzero()[0]
    if not support.size:
        return np.nan
    k = int(support[-1])
    return excess.item(k) / (k + 1.0)


def _threshold_of_few(x: Vector) -> float:
    """The same number, bit for bit, by a loop."""
    theta, total = np.nan, 0.0
    for k, entry in enumerate(sorted(x.tolist(), reverse=True), 1):
        total += entry
        if entry * k > total - 1.0:
            theta = (total - 1.0) / k
    return theta
