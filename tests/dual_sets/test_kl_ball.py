"""The Kullback-Leibler ball."""

from __future__ import annotations

from decimal import Decimal, localcontext

import cvxpy as cp
import numpy as np
import pytest

from saddleback.dual_sets.kl_ball import KLBall

from .balls import EPS, BallSuite


class TestKLBall(BallSuite):
    kind = KLBall

    @staticmethod
    def cvxpy_divergence(lam, p):
        return cp.sum(cp.kl_div(lam, p))

    @staticmethod
    def dual_bound(p, z, rho, lam):
        """mu rho + mu log sum p exp(z / mu)."""
        kept = (lam > 1e-200) & (p > 1e-200)
        ratio, v = lam[kept] / p[kept], (lam[kept] - p[kept]) / p[kept]
        t = np.where(ratio > 0.5, np.log1p(np.maximum(v, -0.5)), np.log(ratio))
        y = z[kept] - lam[kept] @ z[kept] / lam[kept].sum()
        spread = lam[kept] @ y**2
        beta = (lam[kept] @ (t * y)) / spread if spread > 0.0 else 0.0
        if beta <= 0.0:
            return 0.0
        grown = p @ np.expm1(beta * z)
        log_sum = np.log1p(grown) if grown > -0.5 else np.log(p @ np.exp(beta * z))
        return min(0.0, (rho + log_sum) / beta)

    def test_divergence_does_not_cancel(self):
        v = np.concatenate([s * 10.0 ** np.linspace(-12, -1e-3, 200) for s in (1, -1)] + [np.linspace(0.05, 5, 99)])
        with localcontext() as context:
            context.prec = 60
            exact = [float((1 + x) * (1 + x).ln() - x) for x in map(Decimal, v.tolist())]
        np.testing.assert_allclose(KLBall.phi(v), exact, rtol=5e-15)
        np.testing.assert_array_equal(KLBall.phi(np.array([0.0, -1.0])), [0.0, 1.0])

    @pytest.mark.parametrize("less", [1e-15, 1e-9, 1e-3])
    def test_the_largest_loss_is_reached_at_minus_the_logarithm_of_its_mass(self, less):
        """KL of the prior restricted to the ties of the largest loss is -log of their mass."""
        p, z = np.array([0.1, 0.2, 0.3, 0.4]), np.array([1.0, 1.0, 0.0, -1.0])
        reach = -np.log(0.1 + 0.2)
        value, lam = KLBall(reach * (1 + 1e-14), p).support(z)
        assert value == 1.0
        np.testing.assert_allclose(lam, [1 / 3, 2 / 3, 0, 0], atol=2 * EPS)
        short = KLBall(reach * (1 - less), p).support(z)[0]
        assert 1.0 - less <= short <= 1.0

    def test_support_is_a_tilt(self):
        p, z = np.array([0.2, 0.3, 0.4, 0.1]), np.array([1.0, -2.0, 0.5, 3.0])
        lam = KLBall(0.1, p).support(z)[1]
        slopes = np.diff(np.log(lam / p)) / np.diff(z)
        np.testing.assert_allclose(slopes, slopes[0], rtol=1e-13)
        assert lam @ np.log(lam / p) == pytest.approx(0.1, rel=1e-14)
