"""The chi-square ball."""

from __future__ import annotations

import cvxpy as cp
import numpy as np
import pytest

from saddleback.dual_sets.chi2_ball import Chi2Ball

from .balls import EPS, BallSuite


class TestChi2Ball(BallSuite):
    kind = Chi2Ball

    @staticmethod
    def cvxpy_divergence(lam, p):
        return cp.sum(cp.multiply(1.0 / p, cp.square(lam - p)))

    @staticmethod
    def dual_bound(p, z, rho, lam):
        """theta + mu rho + mu sum p s (1 + s / 4), s = (z - theta) / mu; -1 replaces the term where s < -2."""
        kept = lam > 1e-12 * p
        m = p[kept] @ z[kept] / p[kept].sum()
        y, v = z[kept] - m, lam[kept] / p[kept]
        fall = p[kept] @ y**2
        slope = (p[kept] @ (y * v)) / fall if fall > 0.0 else 0.0
        if slope <= 0.0:
            return 0.0
        mu, theta = 0.5 / slope, m - (1.0 / p[kept].sum() - 1.0) / slope
        s = (z - theta) / mu
        return min(0.0, theta + mu * rho + mu * p @ np.where(s > -2.0, s * (1.0 + 0.25 * s), -1.0))

    @pytest.mark.parametrize("rho", [1e-12, 1e-10, 1e-6, 1e-3])
    def test_support_away_from_the_boundary_is_mean_plus_deviation(self, rho):
        p, z = np.array([0.2, 0.3, 0.4, 0.1]), np.array([1.0, -2.0, 0.5, 3.0])
        deviation = np.sqrt(p @ (z - p @ z) ** 2)
        assert Chi2Ball(rho, p).support(z)[0] == pytest.approx(p @ z + np.sqrt(rho) * deviation, rel=0, abs=8 * EPS)

    def test_support_by_hand(self):
        """From (1/2, 1/2) the ball of radius rho reaches (1 + sqrt(rho)) / 2."""
        value, lam = Chi2Ball(0.25).support(np.array([0.0, 1.0]))
        assert value == pytest.approx(0.75, abs=2 * EPS)
        np.testing.assert_allclose(lam, [0.25, 0.75], atol=2 * EPS)

    def test_support_next_to_a_prior_without_mass(self):
        """On the first two entries, lam_0 = p_0 + sqrt(rho p_0 (1 - p_0)) when the others have no mass to give."""
        p = np.array([1e-12, 1.0 - 1e-12])
        rho = 400.0
        lam = Chi2Ball(rho, p).support(np.array([1.0, 0.0]))[1]
        assert lam[0] == pytest.approx(p[0] + np.sqrt(rho * p[0] * p[1]), rel=1e-14)


@pytest.mark.parametrize("J", range(2, 12))
def test_radii_at_which_entries_leave_are_no_exceptions(J: int) -> None:
    """At rho = J/k - 1 the best point may be uniform on k entries: no room is left, and others are exactly zero."""
    for k in range(1, J + 1):
        rho = J / k - 1
        z = np.where(np.arange(J) < k, 0.0, -1.0) - 1e-9 * np.arange(J)
        for radius in (rho, np.nextafter(rho, 0), np.nextafter(rho, 9)):
            value, lam = Chi2Ball(max(radius, 0.0)).support(z)
            # The uniform distribution on the k best is feasible, up to rounding.
            assert value >= z[:k].mean() - 1e-7
            assert value == pytest.approx(lam @ z, abs=1e-14)
