"""Several parameter vectors in one read of the table: the answers of as many evaluations."""

import numpy as np
import pytest
import scipy.sparse as sp

import saddleback as sb

LAYOUTS = {"narrow": np.asarray, "wide": lambda X: np.hstack([X] * 50), "sparse": sp.csr_array, "single": np.float32}


@pytest.mark.parametrize("loss", ["logistic", "squared", "softmax"])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_agrees_with_evaluate(layout, loss):
    rng = np.random.default_rng(0)
    X, y, groups = LAYOUTS[layout](rng.standard_normal((301, 4))), rng.integers(0, 3, 301), rng.integers(0, 4, 301)
    y = (y > 0).astype(int) if loss == "logistic" else y
    losses = sb.GroupedLinear(X, y, groups, loss=loss, l2=0.3, sample_weight=rng.random(301))
    W = rng.standard_normal((7, losses.n_params))
    f, G = losses.evaluate_many(W)
    assert f.shape == (7, 4)
    assert G.shape == (7, 4, losses.n_params)
    for w, of_w, slopes in zip(W, f, G, strict=True):
        expected, expected_slopes = losses.evaluate(w)
        np.testing.assert_allclose(of_w, expected, rtol=1e-12)
        np.testing.assert_allclose(slopes, expected_slopes, rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_bits_do_not_depend_on_the_number_of_vectors(layout, weighted):
    """Up to eight vectors are multiplied in other registers than more of them."""
    rng = np.random.default_rng(3)
    X, y, groups = LAYOUTS[layout](rng.standard_normal((237, 4))), rng.random(237) < 0.5, np.arange(237) % 5
    losses = sb.GroupedLinear(X, y, groups, sample_weight=rng.random(237) if weighted else None)
    W = rng.standard_normal((21, losses.n_params))
    whole = losses.evaluate_many(W)
    for k in (1, 2, 7, 8, 9, 16, 17, 20):
        for some, all_of_them in zip(losses.evaluate_many(W[:k]), whole, strict=True):
            np.testing.assert_array_equal(some, all_of_them[:k])


@pytest.mark.parametrize("W", [np.zeros(3), np.zeros((0, 3)), np.zeros((2, 4)), np.zeros((2, 3, 1))])
def test_a_wrong_shape_is_refused(W):
    losses = sb.GroupedLinear(np.eye(4, 2), [0, 1, 0, 1], [0, 0, 1, 1])
    with pytest.raises(sb.ProblemError, match=r"W must have shape \(k, 3\)"):
        losses.evaluate_many(W)


def test_rows_as_losses():
    losses = sb.GroupedLinear(np.eye(4, 2), [0, 1, 0, 1], "rows", l2=0.1)
    f, G = losses.evaluate_many(np.ones((2, 3)))
    expected, slopes = losses.evaluate(np.ones(3))
    np.testing.assert_allclose(f, [expected] * 2)
    np.testing.assert_allclose(G, [slopes] * 2)


@pytest.mark.parametrize("weights", ["equal", "of groups", "of rows"])
@pytest.mark.parametrize("scale", [1e-300, 1e-3, 50.0, 1e4])
@pytest.mark.parametrize("d", [3, 150])
def test_logistic_margins_of_any_size(d, scale, weights):
    """Rows of equal coefficients share logarithms; small losses and small slopes keep their digits."""
    rng = np.random.default_rng(1)
    n, groups = 1500, np.arange(1500) % 3
    of_rows = {"equal": np.ones(n), "of groups": 1.0 + groups, "of rows": rng.random(n) + 0.5}[weights]
    X, y = rng.standard_normal((n, d)) / np.sqrt(d), rng.integers(0, 2, n)
    # Half of the parameter vectors separate the labels: all of their losses are small.
    X[:, 0] = np.where(y > 0, 1.0, -1.0) * (1.0 + rng.random(n))
    losses = sb.GroupedLinear(X, y, groups, sample_weight=of_rows)
    W = scale * rng.standard_normal((17, losses.n_params))
    W[::2, 1:], W[::2, 0] = 0.0, scale
    # Margins are rounded in two orders, and the logarithm of a small loss is its margin.
    rtol = 1e-13 + 10.0 * scale * np.finfo(np.float64).eps
    for w, f, slopes in zip(W, *losses.evaluate_many(W), strict=True):
        expected, expected_slopes = losses.evaluate(w)
        np.testing.assert_allclose(f, expected, rtol=rtol)
        np.testing.assert_allclose(slopes, expected_slopes, rtol=100 * rtol, atol=1e-13)


def test_a_parameter_that_is_no_number_spoils_its_own_answer_only():
    rng = np.random.default_rng(2)
    X, y, groups = rng.standard_normal((50, 3)), rng.integers(0, 2, 50), np.arange(50) % 2
    losses, W = sb.GroupedLinear(X, y, groups), rng.standard_normal((5, 4))
    expected = losses.evaluate_many(W)
    W[2, 1] = np.nan
    got = losses.evaluate_many(W)
    for x, of_all in zip(got, expected, strict=True):
        assert np.isnan(x[2]).any()
        np.testing.assert_array_equal(np.delete(x, 2, axis=0), np.delete(of_all, 2, axis=0))
