"""The sampled Hessian: its accuracy, and when it is offered."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import saddleback as sb
from saddleback.capabilities import lack, offers
from saddleback.losses.base import HasSampledHessian, HasSampledLossHessians
from saddleback.losses.combined import CombinedLosses
from saddleback.losses.grouped.sample_sizes import SampleSizes
from saddleback.losses.grouped.sampled_hessian import LONGEST_RUN, evenly_spaced
from saddleback.testing import hessian_checks
from saddleback.testing.losses_sample import LossesSample

# A quantile loss has curvature only near its kink: a wide one, so that a sample contains some of it.
QUANTILE = sb.losses.Quantile(smoothing=3.0)
LOSSES = ("logistic", "squared", "huber", "squared_hinge", "poisson", QUANTILE, "softmax")


def losses_of(loss, X, fit_intercept=False) -> sb.GroupedLinear:
    n = X.shape[0]
    rng = np.random.default_rng(1)
    y = {
        "softmax": rng.integers(0, 3, n),
        "poisson": rng.poisson(2.0, n),
        "logistic": rng.integers(0, 2, n),
        "squared_hinge": rng.integers(0, 2, n),
    }.get(loss, rng.normal(size=n))
    return sb.GroupedLinear(X, y, np.arange(n) % 4, loss=loss, l2=0.01, fit_intercept=fit_intercept)


def table(n: int = 16_000, d: int = 20) -> np.ndarray:
    rng = np.random.default_rng(0)
    return rng.normal(size=(n, d)) * np.logspace(0, 1, d)


@pytest.mark.parametrize("fit_intercept", [False, True])
@pytest.mark.parametrize("loss", LOSSES, ids=str)
def test_close_to_the_exact_hessian_in_its_own_metric(loss, fit_intercept: bool) -> None:
    """25 rows per parameter: relative errors of about sqrt(1/25), those of the worst direction within three times."""
    losses = losses_of(loss, table(), fit_intercept=fit_intercept)
    rng = np.random.default_rng(2)
    w, lam = 0.01 * rng.normal(size=losses.n_params), rng.dirichlet(np.ones(4))
    # Adding one number to all intercepts of softmax changes nothing: the Hessian is singular.
    eye = np.eye(losses.n_params)
    exact = losses.hessian(w, lam) + 0.01 * eye
    for directions in (None, eye):
        sampled = losses.sampled_hessian(w, lam, directions) + 0.01 * eye
        eigenvalues = scipy.linalg.eigh(sampled, exact, eigvals_only=True)
        assert eigenvalues[0] >= 0.4
        assert eigenvalues[-1] <= 1.8


def test_on_a_subspace_it_is_the_projection() -> None:
    losses = losses_of("logistic", table())
    V = np.random.default_rng(3).normal(size=(3, 20))
    w, lam = np.full(20, 0.02), np.full(4, 0.25)
    full = losses.sampled_hessian(w, lam, np.eye(20))
    # Single precision within the sample.
    np.testing.assert_allclose(losses.sampled_hessian(w, lam, V), V @ full @ V.T, rtol=1e-4, atol=1e-4)


def test_layouts_agree() -> None:
    X = table()
    X[np.abs(X) < 0.5] = 0.0
    w, lam, V = np.full(20, 0.02), np.array([0.7, 0.1, 0.1, 0.1]), np.eye(20)
    reference = losses_of("logistic", X).sampled_hessian(w, lam, V)
    for other in (X.astype(np.float32), np.asfortranarray(X), sp.csr_matrix(X), sp.csc_array(X)):
        np.testing.assert_allclose(
            losses_of("logistic", other).sampled_hessian(w, lam, V), reference, rtol=1e-4, atol=1e-4
        )


def test_absent_where_there_are_few_rows() -> None:
    few = losses_of("logistic", table(n=500))
    assert lack(few, HasSampledHessian) == "the table has too few rows for a sample"
    with pytest.raises(sb.IncompatibleError, match=r"does not offer sampled_hessian.*too few rows"):
        few.sampled_hessian(np.zeros(20), np.full(4, 0.25))
    assert offers(losses_of("logistic", table()), HasSampledHessian)


def test_every_group_is_in_the_sample() -> None:
    """A group of one row among thousands keeps its curvature."""
    X = table()
    groups = np.zeros(16_000, dtype=int)
    groups[-1] = 1
    losses = sb.GroupedLinear(X, np.arange(16_000) % 2, groups, fit_intercept=False)
    H = losses.sampled_hessian(np.zeros(20), np.array([0.0, 1.0]), np.eye(20))
    np.testing.assert_allclose(H, np.outer(X[-1], X[-1]) / 4, rtol=1e-5)


def test_newton_with_samples_ends_where_newton_without_ends() -> None:
    losses = losses_of("logistic", table(), fit_intercept=True)
    plain = type("Plain", (), {name: getattr(losses, name) for name in ("n_losses", "n_params", "strong_convexity")})()
    plain.evaluate, plain.hessian = losses.evaluate, losses.hessian
    a, b = (sb.solve(sb.Problem(f), method="newton", tol=1e-10) for f in (losses, plain))
    assert a.success
    assert b.success
    assert a.value == pytest.approx(b.value, abs=2e-10)


@given(st.integers(1, 200_000), st.integers(1, 30_000))
def test_evenly_spaced_rows_are_runs_of_neighbors(size: int, count: int) -> None:
    rows = evenly_spaced(size, count)
    assert rows.size == min(size, count)
    assert rows[0] == 0
    assert rows[-1] == size - 1 or count == 1
    steps = np.diff(rows)
    assert (steps >= 1).all()
    if count < size:
        runs = np.diff(np.flatnonzero(np.concatenate(([True], steps > 1, [True]))))
        # Two runs touch where there is no row between them.
        assert runs.size >= min(count, 200) * (1 - count / size) / 2
        # Every stretch of rows that is longer than two runs and the space between has one of them.
        longest = min(max(1, count // 256), LONGEST_RUN)
        assert steps.max(initial=1) <= 1 + np.ceil((size - count) / max(1, -(-count // longest) - 1))


def test_samples_grow_with_the_table_up_to_their_limit() -> None:
    sizes = np.full(4, 250_000)
    rows = [4 * SampleSizes.of(k * sizes, k * 1_000_000, k * 100_000_000, 100).hessians for k in (1, 10, 100)]
    # 16 MB in double precision.
    assert rows == [20_968] * 3
    assert 4 * SampleSizes.of(sizes // 10, 100_000, 10_000_000, 100).hessians == 12_500
    # A large group does not take the place of a small one.
    assert SampleSizes.of(np.array([990_000, 10_000]), 1_000_000, 100_000_000, 100).hessians == 10_485
    # 25 rows for each of 300 parameters and of 4 groups, where an eighth of the rows are enough for that.
    assert SampleSizes.of(sizes, 1_000_000, 300_000_000, 300) == (1875, 250)
    assert SampleSizes.of(sizes // 10, 100_000, 30_000_000, 300) == (1875, 250)
    assert SampleSizes.of(sizes // 20, 50_000, 15_000_000, 300) == (None, 250)
    # 128 MB at most.
    assert SampleSizes.of(np.full(1, 10**8), 10**8, 10**11, 1000) == (None, 1000)


def large_table(n: int = 40_000, d: int = 100) -> np.ndarray:
    return np.random.default_rng(4).normal(size=(n, d)) * np.logspace(0, -1, d)


@pytest.mark.parametrize("layout", [np.asarray, np.float32, sp.csr_array], ids=["float64", "float32", "sparse"])
@pytest.mark.parametrize("fit_intercept", [False, True])
def test_hessians_of_single_losses_from_a_sample(layout, fit_intercept: bool) -> None:
    """Of 40,000 rows in 4 groups 5,000: 12 rows per parameter in each group, errors up to about 2/sqrt(12)."""
    losses = losses_of("logistic", layout(large_table()), fit_intercept)
    rng = np.random.default_rng(5)
    w, lam, which = 0.1 * rng.normal(size=losses.n_params), rng.dirichlet(np.ones(4)), np.array([3, 0])
    sampled, exact = losses.sampled_loss_hessians(w, np.arange(4)), losses.loss_hessians(w, np.arange(4))
    for a, b in zip(sampled, exact, strict=True):
        eigenvalues = scipy.linalg.eigh(a, b, eigvals_only=True)
        assert eigenvalues[0] >= 0.4
        assert eigenvalues[-1] <= 1.8
    np.testing.assert_allclose(losses.sampled_loss_hessians(w, which), sampled[which], rtol=1e-10, atol=1e-12)
    total = np.tensordot(lam, sampled, axes=1)
    np.testing.assert_allclose(losses.sampled_hessian(w, lam), total, rtol=1e-9, atol=1e-11)
    M = np.array([[0.5, 0.5, 0.0, 0.0], [0.1, 0.2, 0.3, 0.4]])
    combined = CombinedLosses(losses, M)
    assert offers(combined, HasSampledLossHessians)
    np.testing.assert_allclose(
        combined.sampled_loss_hessians(w, np.array([1])), [np.tensordot(M[1], sampled, axes=1)], rtol=1e-9, atol=1e-11
    )


def rare(kind: str) -> np.ndarray:
    """40,000 x 100, where 20 rows decide about one direction: of a column, or of two columns that are else equal."""
    X, rows = large_table(), np.arange(20) * 1999 + 7
    column = np.zeros(len(X))
    column[rows] = 1.0
    X[:, 7] = column if kind == "column" else X[:, 8] + 0.01 * column
    return X


@pytest.mark.parametrize("kind", ["column", "difference"])
@pytest.mark.parametrize("layout", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
def test_a_sample_with_few_rows_of_some_direction_is_not_used(kind: str, layout) -> None:
    losses = losses_of("logistic", layout(rare(kind)))
    assert np.isnan(losses.sampled_loss_hessians(np.zeros(100), np.arange(4))).all()
    assert np.isnan(losses.sampled_hessian(np.zeros(100), np.full(4, 0.25))).all()
    # Along directions that a method asks for the estimate is as good as ever.
    assert np.isfinite(losses.sampled_hessian(np.zeros(100), np.full(4, 0.25), np.eye(100)[:3])).all()
    sample = LossesSample.of(losses, sb.Simplex(), np.zeros(100), 0, 1)
    assert not list(hessian_checks.sampled_hessian(sample))


class Counted:
    """Losses that count the rows of exact Hessians."""

    def __init__(self, losses: sb.GroupedLinear, *capabilities: str) -> None:
        self.losses, self.exact = losses, 0
        for name in ("n_losses", "n_params", "n_entries", "strong_convexity", "convex", "evaluate", *capabilities):
            setattr(self, name, getattr(losses, name))

    def hessian(self, w, lam):
        self.exact += 1
        return self.losses.hessian(w, lam)

    def loss_hessians(self, w, which):
        self.exact += 1
        return self.losses.loss_hessians(w, which)


@pytest.mark.parametrize("tol", [1e-4, 1e-8])
@pytest.mark.parametrize("n_groups", [1, 5])
def test_newton_takes_one_exact_hessian_of_a_large_table(tol: float, n_groups: int) -> None:
    """And as many evaluations as without a sample, but for two."""
    rng = np.random.default_rng(6)
    X, groups = large_table(), np.arange(40_000) % n_groups
    y = rng.random(40_000) < 1.0 / (1.0 + np.exp(-X @ rng.normal(size=100) / 3.0 - 0.3 * groups))
    table = sb.GroupedLinear(X, y, groups, l2=1e-3, fit_intercept=False)
    with_sample = Counted(table, "sampled_hessian", "sampled_loss_hessians")
    sampled = sb.solve(sb.Problem(with_sample), method="newton", tol=tol)
    without = Counted(table)
    exact = sb.solve(sb.Problem(without), method="newton", tol=tol)
    assert sampled.certified
    assert exact.certified
    assert abs(sampled.value - exact.value) <= tol
    assert with_sample.exact <= 1 < without.exact
    assert sampled.n_evals <= exact.n_evals + 2


@pytest.mark.parametrize("kind", ["column", "difference"])
def test_rare_directions_do_not_lead_newton_astray(kind: str) -> None:
    """Without a penalty, steps with a sample that misses a direction would go far too far along it."""
    rng = np.random.default_rng(7)
    X = rare(kind)
    y = rng.random(40_000) < 1.0 / (1.0 + np.exp(-X @ rng.normal(size=100) / 3.0))
    table = sb.GroupedLinear(X, y, np.arange(40_000) % 3, fit_intercept=False)
    sampled, exact = (
        sb.solve(sb.Problem(losses), method="newton", tol=1e-6)
        for losses in (Counted(table, "sampled_hessian", "sampled_loss_hessians"), Counted(table))
    )
    assert sampled.success
    assert sampled.n_evals == exact.n_evals
    assert sampled.value == exact.value


def test_runs_with_a_sample_are_resumed_with_the_same_bits(tmp_path) -> None:
    losses, path = losses_of("logistic", large_table()), tmp_path / "run.ckpt"
    options = {"method": "newton", "tol": 1e-12}
    straight = sb.solve(sb.Problem(losses), **options)
    with pytest.warns(UserWarning, match="max_iter"):
        sb.solve(sb.Problem(losses), **options, max_iter=2, checkpoint=path)
    again = sb.solve(sb.Problem(losses), **options, checkpoint=path, resume=True)
    assert straight.n_iter > 2
    assert (again.value, again.n_iter) == (straight.value, straight.n_iter)
    np.testing.assert_array_equal(again.w, straight.w)


@pytest.mark.parametrize(("scale", "weight"), [(0.03, 1e6), (0.1, 1e4)])
def test_heavy_rows_outside_of_the_sample_cost_newton_two_steps(scale: float, weight: float) -> None:
    """The Hessian of the sample is far too large: its steps are good, each of them, and far too short."""
    rng = np.random.default_rng(0)
    X, weights = rng.standard_normal((40_000, 75)), np.ones(40_000)
    w = rng.standard_normal(75) / np.sqrt(75)
    # Between two runs of the sample.
    heavy = np.arange(1843, 1970)
    X[heavy] *= scale
    weights[heavy] = weight
    y = X @ w / scale + rng.standard_normal(40_000)
    losses = sb.GroupedLinear(X, y, np.zeros(40_000), loss="squared", sample_weight=weights)
    result = sb.solve(sb.Problem(losses), method="newton", tol=1e-6)
    assert result.certified
    assert result.n_iter <= 4
