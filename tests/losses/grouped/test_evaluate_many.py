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
