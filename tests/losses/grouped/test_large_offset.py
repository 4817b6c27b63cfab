"""A large offset: rounding errors of margins are not taken for a lack of convexity, nor do they spoil an answer."""

from __future__ import annotations

import numpy as np
import pytest

import saddleback as sb

from .cases import LOSSES, make
from .own_losses import LogCosh

TOL = 1e-6


@pytest.mark.parametrize("size", [1e6, 1e9, 1e12])
@pytest.mark.parametrize("loss", ["squared", "huber", "quantile"])
def test_responses_around_it(loss, size):
    """y - offset is exact here, so that the run is that of the small numbers, bit by bit."""
    case = make(loss, d=4)
    small = np.round(64 * case.y) / 64
    offset = np.full(203, size)
    near = sb.solve(sb.Problem(sb.GroupedLinear(case.X, small, case.groups, loss=loss, l2=0.1)), tol=TOL)
    far = sb.GroupedLinear(case.X, offset + small, case.groups, loss=loss, l2=0.1, offset=offset)
    result = sb.solve(sb.Problem(far), tol=TOL)
    assert result.success, result.message
    np.testing.assert_array_equal(result.w, near.w)
    held_out = far.on(case.X, offset + small, case.groups, offset=offset)
    penalty = 0.05 * result.w[:4] @ result.w[:4]
    np.testing.assert_allclose(held_out.values(result.w) + penalty, result.losses, rtol=1e-12)
    np.testing.assert_allclose(held_out.margins(result.w) / size, 1.0, rtol=1e-4)


@pytest.mark.parametrize("size", [1e6, 1e9, 1e12])
def test_the_same_number_for_all_classes(size):
    case = make("softmax", d=4)
    plain = sb.solve(sb.Problem(case.losses(l2=0.1, fit_intercept=True)), tol=TOL)
    losses = case.losses(l2=0.1, fit_intercept=True, offset=np.full((203, 3), size))
    result = sb.solve(sb.Problem(losses), tol=TOL)
    assert result.success, result.message
    np.testing.assert_array_equal(result.w, plain.w)


@pytest.mark.filterwarnings("ignore::saddleback.ConvergenceWarning")
@pytest.mark.parametrize("method", ["newton", "quasi-newton"])
@pytest.mark.parametrize("size", [1e3, 1e6, 1e9])
@pytest.mark.parametrize("sign", [-1.0, 1.0])
@pytest.mark.parametrize("loss", [name for name in LOSSES if name not in ("poisson", "softmax")])
def test_a_constant(loss, sign, size, method):
    """The intercept takes it back; before it has, every margin is large."""
    case = make(loss, d=4)
    losses = case.losses(l2=0.1, fit_intercept=True, offset=np.full(203, sign * size))
    result = sb.solve(sb.Problem(losses), tol=TOL * size, method=method, max_iter=200)
    assert "not convex" not in result.message
    assert result.status not in (sb.Status.STATIONARY, sb.Status.NUMERICAL_ERROR, sb.Status.UNBOUNDED), result.message


@pytest.mark.parametrize("size", [30.0, -30.0, -300.0])
def test_a_constant_exposure(size):
    """Poisson: the mean is exp(offset + x'w), and the intercept takes the offset back."""
    case = make("poisson", d=4)
    plain = sb.solve(sb.Problem(case.losses(l2=0.1, fit_intercept=True)), tol=TOL)
    losses = case.losses(l2=0.1, fit_intercept=True, offset=np.full(203, size))
    start = np.append(np.zeros(4), -size)
    result = sb.solve(sb.Problem(losses), w0=start, tol=TOL)
    assert result.success, result.message
    assert result.value == pytest.approx(plain.value, abs=2 * TOL)


@pytest.mark.parametrize("size", [1e3, 1e6])
def test_ones_own_loss_that_declares_itself_convex(size):
    case = make("squared", d=4)
    offset = np.full(203, size)
    losses = sb.GroupedLinear(case.X, offset + case.y, case.groups, loss=LogCosh(), l2=0.1, offset=offset)
    result = sb.solve(sb.Problem(losses), tol=TOL)
    assert result.success, result.message


def test_the_largest_numbers():
    """1e100 is accepted: squares are finite, and nothing is NaN."""
    for loss in LOSSES:
        case = make(loss)
        for sign in (-1.0, 1.0):
            offset = np.full(203 if case.n_classes is None else (203, 3), sign * 1e100)
            losses = case.losses(offset=offset)
            f, _ = losses.evaluate(case.point(losses))
            assert not np.isnan(f).any()
            if loss != "poisson":
                assert np.isfinite(f).all()
