"""Resamples of the rows: the losses of rows with as many sample weights, without a table of their own."""

import dask.array as da
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import saddleback as sb
from saddleback.losses.grouped.reader import ROWS_PER_CALL
from saddleback.losses.resampled import ResampledLosses

from .own_losses import Foreign

FORMS = {
    "narrow": np.asarray,
    "wide": lambda X: np.hstack([X] * 40),
    "single": np.float32,
    "sparse": sp.csr_array,
}
LOSSES = {"logistic": "logistic", "softmax": "softmax", "squared": "squared", "own": Foreign("logistic")}


def table(loss="logistic", n=301, seed=0, *, overlap=False):
    rng = np.random.default_rng(seed)
    X, groups = rng.standard_normal((n, 4)), rng.integers(0, 3, n)
    y = rng.integers(0, 3, n)
    members = np.column_stack([groups == 0, groups != 0, rng.random(n) < 0.3]) if overlap else groups
    return X, y if loss in ("softmax", "squared") else (y > 0).astype(int), members, rng


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("form", [*FORMS, "overlap", "weights and offset"])
def test_losses_are_those_of_sample_weights(form, loss):
    X, y, groups, rng = table(loss, overlap=form == "overlap")
    options = {"loss": LOSSES[loss], "l2": 0.3}
    weight = rng.random(301) if form == "weights and offset" else np.ones(301)
    if form == "weights and offset":
        options["offset"] = rng.standard_normal((301, 3) if loss == "softmax" else 301)
    X = FORMS.get(form, np.asarray)(X)
    losses = sb.GroupedLinear(X, y, groups, sample_weight=weight, **options)
    times, which = rng.poisson(1.0, (5, 301)), [4, 0, 4, 1, 2, 3, 0]
    resamples, W = losses.resamples(times), rng.standard_normal((7, losses.n_params)) / 3
    f, G = losses.evaluate_many(W, resamples=resamples[which])
    for i, r in enumerate(which):
        weighted = sb.GroupedLinear(X, y, groups, sample_weight=weight * times[r], **options)
        own = losses.on_resample(resamples, r)
        for of_w, slopes in ((f[i], G[i]), own.evaluate(W[i])):
            expected, expected_slopes = weighted.evaluate(W[i])
            np.testing.assert_allclose(of_w, expected, rtol=1e-11)
            np.testing.assert_allclose(slopes, expected_slopes, rtol=1e-10, atol=1e-12)
        np.testing.assert_allclose(own.values(W[i]), weighted.values(W[i]), rtol=1e-11)
        lam = rng.random(3)
        np.testing.assert_allclose(own.hessian(W[i], lam), weighted.hessian(W[i], lam), rtol=1e-9, atol=1e-11)
        pair = [2, 0]
        H = weighted.loss_hessians(W[i], pair)
        np.testing.assert_allclose(own.loss_hessians(W[i], pair), H, rtol=1e-9, atol=1e-11)
        np.testing.assert_array_equal(own.group_sizes, weighted.group_sizes)
        np.testing.assert_allclose(own.group_weights, weighted.group_weights, rtol=1e-12)
    if loss == "logistic":
        assert own.smoothness() == pytest.approx(weighted.smoothness(), rel=0.1)


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10**6), k=st.integers(1, 20), own=st.booleans())
def test_an_answer_does_not_depend_on_the_others(seed, k, own):
    """To the last bit; and where every row counts once it is that of no resamples, up to the sum of its weights."""
    X, y, groups, rng = table(seed=seed)
    losses = sb.GroupedLinear(X, y, groups, loss=LOSSES["own" if own else "logistic"])
    times = rng.integers(0, 4, (6, 301))
    times[0] = 1
    resamples, which = losses.resamples(times), rng.integers(0, 6, k)
    W, i = rng.standard_normal((k, 5)), int(rng.integers(k))
    together, alone = (losses.evaluate_many(W[s], resamples=resamples[which[s]]) for s in (slice(None), [i]))
    for of_many, of_one in zip(together, alone, strict=True):
        np.testing.assert_array_equal(of_many[i], of_one[0])
    first = resamples[np.zeros(k, dtype=np.intp)]
    for of_many, plain in zip(losses.evaluate_many(W, resamples=first), losses.evaluate_many(W), strict=True):
        np.testing.assert_allclose(of_many, plain, rtol=1e-12, atol=1e-14)


def test_combinations_on_resamples():
    X, y, groups, rng = table()
    losses = sb.GroupedLinear(X, y, groups, l2=0.1)
    W, maps = rng.standard_normal((4, 5)), rng.random((4, 2, 3))
    resamples = losses.resamples(rng.integers(0, 3, (4, 301)))
    f, G = losses.evaluate_many(W, resamples=resamples)
    combined, slopes = losses.evaluate_many(W, maps, resamples)
    np.testing.assert_allclose(combined, np.einsum("kij,kj->ki", maps, f), rtol=1e-12)
    np.testing.assert_allclose(slopes, np.einsum("kij,kjp->kip", maps, G), rtol=1e-10, atol=1e-13)


@pytest.mark.parametrize("loss", ["logistic", "own"])
def test_a_group_that_a_resample_leaves_empty(loss):
    """Its loss is 0, and losses of the others are as without it."""
    X, y, groups, rng = table()
    losses = sb.GroupedLinear(X, y, groups, loss=LOSSES[loss])
    times = rng.integers(1, 3, (2, 301))
    times[1, groups == 1] = 0
    resamples, W = losses.resamples(times), rng.standard_normal((2, 5))
    assert resamples.totals[1].tolist()[1] == 0.0
    f, G = losses.evaluate_many(W, resamples=resamples)
    kept = groups != 1
    expected, slopes = sb.GroupedLinear(X[kept], y[kept], groups[kept], sample_weight=times[1, kept]).evaluate(W[1])
    np.testing.assert_allclose(f[1], [expected[0], 0.0, expected[1]], rtol=1e-11)
    np.testing.assert_allclose(G[1], [slopes[0], np.zeros(5), slopes[1]], rtol=1e-10, atol=1e-13)
    own = losses.on_resample(resamples, 1)
    np.testing.assert_allclose(own.values(W[1]), f[1], rtol=1e-11)
    assert own.group_sizes[1] == 0
    assert own.hessian(W[1], np.array([0.0, 1.0, 0.0])).tolist() == np.zeros((5, 5)).tolist()


def test_a_row_that_does_not_count_may_have_an_infinite_loss():
    X, y = np.array([[1.0], [1e6], [2.0], [3.0]]), [1, 2, 3, 0]
    for loss in ("poisson", Foreign("poisson")):
        losses = sb.GroupedLinear(X, y, [0, 0, 0, 0], loss=loss, fit_intercept=False)
        f, G = losses.evaluate_many([[1.0]], resamples=losses.resamples([[1, 0, 1, 1]]))
        expected = sb.GroupedLinear(X[[0, 2, 3]], [1, 3, 0], [0, 0, 0], loss="poisson", fit_intercept=False)
        np.testing.assert_allclose(f[0], expected.evaluate(np.ones(1))[0], rtol=1e-12)
        np.testing.assert_allclose(G[0], expected.evaluate(np.ones(1))[1], rtol=1e-12)


def test_rows_of_several_calls_of_a_loss_in_python():
    n = 2 * ROWS_PER_CALL + 5
    rng = np.random.default_rng(0)
    X, y, groups = rng.standard_normal((n, 2)), rng.integers(0, 2, n), rng.integers(0, 2, n)
    W, times = rng.standard_normal((2, 3)), rng.integers(0, 3, n)
    answers = []
    for loss in ("logistic", Foreign("logistic")):
        losses = sb.GroupedLinear(X, y, groups, loss=loss)
        answers.append(losses.evaluate_many(W, resamples=losses.resamples([times])[[0, 0]]))
    for x, expected in zip(*answers, strict=True):
        np.testing.assert_allclose(x, expected, rtol=1e-11, atol=1e-14)


def test_losses_of_a_resample_are_losses():
    X, y, groups, rng = table()
    losses = sb.GroupedLinear(X, y, groups)
    resamples, M = losses.resamples(rng.integers(0, 3, (2, 301))), rng.dirichlet(np.ones(3), 2)
    own, w, lam = losses.on_resample(resamples, 1), rng.standard_normal(5), rng.random(2)
    resampled = ResampledLosses(losses, M, resamples=resamples, place=1)
    for x, expected in zip(resampled.evaluate(w), own.evaluate(w), strict=True):
        np.testing.assert_allclose(x, M @ expected, rtol=1e-12)
    np.testing.assert_allclose(resampled.values(w), M @ own.values(w), rtol=1e-12)
    np.testing.assert_allclose(resampled.hessian(w, lam), own.hessian(w, lam @ M), rtol=1e-12)
    np.testing.assert_allclose(resampled.loss_hessians(w, np.array([1]))[0], own.hessian(w, M[1]), rtol=1e-12)
    sb.testing.check_losses(resampled, w)


@pytest.mark.parametrize(
    ("times", "said"),
    [
        (np.ones((2, 300), dtype=int), r"whole numbers of shape \(R, 301\), one row per resample; got int64"),
        (np.ones(301, dtype=int), "one row per resample"),
        (np.ones((1, 301)), "whole numbers .* got float64"),
        (np.full((1, 301), -1), "times must be from 0 to 255; got -1 to -1"),
        (np.full((1, 301), 256), "times must be from 0 to 255; got 256 to 256"),
    ],
)
def test_wrong_times_are_refused(times, said):
    X, y, groups, _ = table()
    with pytest.raises(sb.ProblemError, match=said):
        sb.GroupedLinear(X, y, groups).resamples(times)


def test_other_numbers_of_resamples_and_rows_elsewhere_are_refused():
    X, y, groups, _ = table()
    losses = sb.GroupedLinear(X, y, groups)
    resamples = losses.resamples(np.ones((3, 301), dtype=int))
    with pytest.raises(sb.ProblemError, match="resamples must name one for each of the 2 rows of W; got 3"):
        losses.evaluate_many(np.zeros((2, 5)), resamples=resamples)
    with pytest.raises(sb.ProblemError, match="which must hold numbers from 0 to 2"):
        resamples[[3]]
    for elsewhere in (sb.GroupedLinear(da.from_array(X), y, groups), sb.GroupedLinear(X, y, "rows")):
        with pytest.raises(sb.IncompatibleError, match="resamples are of groups of rows in memory"):
            elsewhere.resamples(np.ones((3, 301), dtype=int))
