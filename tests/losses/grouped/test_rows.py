"""GroupedLinear with groups="rows": the same losses as with one group per row, and a Jacobian that is not formed."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp

import saddleback as sb
from saddleback.capabilities import offers
from saddleback.errors import IncompatibleError, ProblemError
from saddleback.losses.base import HasLinearization, HasLossHessians, HasSampledHessian

LOSSES = ("logistic", "squared", "huber", "squared_hinge", "poisson", "quantile")


class LogCosh:
    convex, curvature_bound = True, 1.0

    def value_and_slope(self, eta, y):
        r = eta - y
        return np.logaddexp(r, -r) - np.log(2), np.tanh(r)

    def curvature(self, eta, y):
        return 1 - np.tanh(eta - y) ** 2


def table(loss, n=40, d=5, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)) * (rng.random((n, d)) < 0.7)
    eta = X @ rng.standard_normal(d) + rng.standard_normal(n)
    y = {"logistic": eta > 0, "squared_hinge": eta > 0, "poisson": rng.poisson(np.exp(0.3 * eta))}.get(loss, eta)
    return X, y, rng


def mapped(X, folder):
    np.save(folder / "X.npy", X)
    return np.load(folder / "X.npy", mmap_mode="r")


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("loss", [*LOSSES, LogCosh()], ids=[*LOSSES, "own"])
def test_the_losses_are_those_of_one_group_per_row(loss, intercept):
    X, y, rng = table(loss)
    offset = 0.1 * rng.standard_normal(len(X))
    options = {"loss": loss, "l2": 0.3, "fit_intercept": intercept, "offset": offset}
    rows, groups = sb.GroupedLinear(X, y, "rows", **options), sb.GroupedLinear(X, y, np.arange(len(X)), **options)
    w, lam, theta = rng.standard_normal(rows.n_params), rng.random(len(X)), rng.random(len(X))
    for mine, theirs in zip(rows.evaluate(w), groups.evaluate(w), strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(rows.values(w), groups.values(w), rtol=1e-12, atol=1e-13)
    H, G = groups.hessian(w, lam), groups.evaluate(w)[1]
    np.testing.assert_allclose(rows.hessian(w, lam), H, rtol=1e-11, atol=1e-12)
    jacobian = rows.linearize(w)[1]
    np.testing.assert_allclose(jacobian.hessian(lam, theta), H + (G.T * theta) @ G, rtol=1e-11, atol=1e-11)
    np.testing.assert_array_equal(rows.parameter_scales(), groups.parameter_scales())
    np.testing.assert_array_equal(rows.strong_convexity, groups.strong_convexity)
    assert (rows.n_losses, rows.convex, rows.bounded_below) == (len(X), groups.convex, groups.bounded_below)
    if loss != "poisson":
        assert 1.0 <= groups.smoothness() / rows.smoothness() * (1 + 1e-9) <= 1.11
    held_out, known = rows.on(X, y, "rows", offset=offset), groups.on(X, y, np.arange(len(X)), offset=offset)
    np.testing.assert_allclose(held_out.values(w), known.values(w), rtol=1e-12)
    np.testing.assert_allclose(rows.with_l2(2.0).values(w), groups.with_l2(2.0).values(w), rtol=1e-12)


@pytest.mark.parametrize("n_threads", [1, 3])
@pytest.mark.parametrize(
    "layout", ["C", "F", "float32", "csr", "very sparse", "mapped", "wide", "one row", "one column"]
)
def test_products_with_the_jacobian(layout, n_threads, tmp_path):
    n, d = {"wide": (30, 140), "one row": (1, 4), "one column": (30, 1)}.get(layout, (300, 6))
    rng = np.random.default_rng(1)
    X = rng.standard_normal((n, d))
    if layout == "very sparse":
        X *= rng.random((n, d)) < 0.02
    A = {
        "F": np.asfortranarray,
        "float32": np.float32,
        "csr": sp.csr_array,
        "very sparse": sp.csr_array,
        "mapped": lambda X: mapped(X, tmp_path),
    }.get(layout, np.asarray)(X)
    losses = sb.GroupedLinear(A, rng.standard_normal(n), "rows", loss="squared", l2=0.1, n_threads=n_threads)
    w, p, lam, theta = *rng.standard_normal((2, d + 1)), *rng.random((2, n))
    factors = 2.0 ** rng.integers(-5, 5, d + 1)
    G0 = losses.evaluate(w)[1]
    plain = losses.linearize(w)[1]
    H0 = losses.hessian(w, lam) + (G0.T * theta) @ G0
    in_other_units = plain.rescaled(factors), G0 / factors, H0 / np.outer(factors, factors)
    for jacobian, G, H in ((plain, G0, H0), in_other_units):
        assert jacobian.shape == G.shape
        np.testing.assert_allclose(jacobian.dense(), G, rtol=1e-12)
        which = np.unique(rng.integers(0, n, 5))
        np.testing.assert_allclose(jacobian.some_rows(which), G[which], rtol=1e-12)
        np.testing.assert_allclose(jacobian.slope(lam), lam @ G, rtol=1e-10, atol=1e-10)
        np.testing.assert_allclose(jacobian.change(p), G @ p, rtol=1e-10, atol=1e-10)
        np.testing.assert_allclose(jacobian.hessian(lam, theta), H, rtol=1e-10, atol=1e-10 * np.abs(H).max())
        exact = np.abs(G) @ np.abs(p), np.linalg.norm(G, axis=1), np.linalg.norm(G, axis=0)
        bounds = jacobian.magnitudes(p), jacobian.row_norms(), jacobian.column_norms()
        for bound, least in zip(bounds, exact, strict=True):
            assert (bound >= least * (1 - 1e-12)).all()


def test_names_are_row_numbers_without_a_list_of_them():
    X, y, _ = table("squared")
    losses = sb.GroupedLinear(X, y, "rows", loss="squared")
    assert losses.group_names == range(len(X))
    assert losses.group_sizes.tolist() == [1] * len(X)
    assert "every row a loss" in repr(losses)
    assert not offers(losses, HasLossHessians)
    assert not offers(losses, HasSampledHessian)


def test_groups_offer_no_linearization():
    X, y, _ = table("squared")
    losses = sb.GroupedLinear(X, y, np.arange(len(X)) % 3, loss="squared")
    assert not offers(losses, HasLinearization)
    with pytest.raises(IncompatibleError, match="linearize"):
        losses.linearize(np.zeros(losses.n_params))


def test_pickling_keeps_the_bits():
    X, y, rng = table("logistic")
    losses = sb.GroupedLinear(X, y, "rows")
    w = rng.standard_normal(losses.n_params)
    for mine, theirs in zip(losses.evaluate(w), pickle.loads(pickle.dumps(losses)).evaluate(w), strict=True):
        np.testing.assert_array_equal(mine, theirs)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"sample_weight": np.ones(40)}, "prior of the dual set"),
        ({"loss": "softmax"}, "one margin per row"),
        ({"groups": "row"}, "one label per row"),
    ],
)
def test_what_has_no_meaning_is_refused(options, message):
    X, y, _ = table("logistic")
    with pytest.raises(ProblemError, match=message):
        sb.GroupedLinear(**{"X": X, "y": y, "groups": "rows", **options})


def test_other_rows_are_rows_too():
    X, y, _ = table("logistic")
    losses = sb.GroupedLinear(X, y, "rows")
    assert losses.on(X[:7], y[:7], "rows").values(np.zeros(6)).shape == (7,)
    with pytest.raises(ProblemError, match="made with groups='rows'; got groups of type ndarray"):
        losses.on(X, y, np.arange(len(X)))
    with pytest.raises(ProblemError, match="got sample weights"):
        losses.on(X, y, "rows", sample_weight=np.ones(len(X)))


def test_the_contract_of_losses():
    X, y, _ = table("logistic")
    sb.testing.check_losses(sb.GroupedLinear(X, y, "rows", l2=0.1))
