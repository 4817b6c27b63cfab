"""Parameter scales: their values, covariance with the units of the columns, and how much is read for them."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

import saddleback as sb
from saddleback.losses import AffineMatrix
from saddleback.losses.grouped import parameter_scales
from saddleback.losses.grouped.pointwise_losses import LOSSES
from saddleback.losses.grouped.tables import mapped_table

from .cases import LOSSES as NAMES
from .cases import make
from .own_losses import Cauchy, Foreign

# Sums of some thousand squares in different orders; twice as much for quotients of two of them.
ROUNDING = 1e-13
MATRICES = {
    "C": np.ascontiguousarray,
    "Fortran": np.asfortranarray,
    "csr": sp.csr_array,
    "csc": sp.csc_matrix,
}


def expected(case, intercept, rows=slice(None)):
    m = case.numbers[rows].std() if LOSSES[case.loss].response == "real" else 1.0
    of_columns = m / np.sqrt((np.asarray(case.X, dtype=np.float64)[rows] ** 2).mean(axis=0))
    K = case.n_classes or 1
    return np.concatenate([np.tile(of_columns, K), np.full(K * intercept, m)])


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("d", [7, 150])
@pytest.mark.parametrize("layout", MATRICES)
@pytest.mark.parametrize("loss", NAMES)
def test_formula(loss, layout, d, dtype, intercept):
    case = make(loss, d=d, dtype=dtype)
    case.X *= np.linspace(0.1, 10.0, d, dtype=dtype)
    case.X[case.X < -2.0] = 0.0
    scales = case.losses(MATRICES[layout](case.X), fit_intercept=intercept).parameter_scales()
    np.testing.assert_allclose(scales, expected(case, intercept), rtol=ROUNDING)


@pytest.mark.parametrize("layout", MATRICES)
@pytest.mark.parametrize("d", [7, 150])
def test_every_row_of_a_group_counts_once(layout, d):
    """In several groups or in one; rows of no group do not count."""
    case = make("squared", n=300, d=d)
    m = case.rng.random((300, 4)) < 0.5
    m[::3] = False
    losses = case.losses(MATRICES[layout](case.X), m, sample_weight=case.rng.random(300) + 0.1)
    np.testing.assert_allclose(losses.parameter_scales(), expected(case, False, m.any(axis=1)), rtol=ROUNDING)


@pytest.mark.parametrize("layout", MATRICES)
@pytest.mark.parametrize("entries", [100, 1 << 18])
def test_multiplying_a_column_by_u_divides_its_scale_by_u(monkeypatch, layout, entries):
    """From magnitudes at which squares underflow to those at which they overflow."""
    monkeypatch.setattr(parameter_scales, "COPIED_ENTRIES", entries)
    case = make("logistic", d=9)
    u = 10.0 ** np.array([-200, -160, -7, 0, 3, 7, 150, 200, 290])
    plain = case.losses(MATRICES[layout](case.X)).parameter_scales()
    scaled = case.losses(MATRICES[layout](case.X * u)).parameter_scales()
    np.testing.assert_allclose(scaled * u, plain, rtol=ROUNDING)


def test_large_and_small_numbers_in_one_column():
    X = np.array([[1e200, 1e-200], [1.0, 0.0], [1e-200, 1e-220], [0.0, 0.0]])
    for matrix in (X, sp.csr_array(X), np.tile(X, (30, 1)), sp.csc_array(np.tile(X, (40_000, 1)))):
        n = matrix.shape[0]
        losses = sb.GroupedLinear(matrix, np.arange(n) % 2, np.arange(n) % 2, fit_intercept=False)
        np.testing.assert_allclose(losses.parameter_scales(), [2e-200, 2e200], rtol=1e-12)


@pytest.mark.parametrize("u", [1e-200, 1.0, 1e95])
def test_the_unit_of_real_responses(u):
    case = make("squared")
    case.y, case.numbers = case.y * u, case.numbers * u
    plain = make("squared").losses(fit_intercept=True).parameter_scales()
    np.testing.assert_allclose(case.losses(fit_intercept=True).parameter_scales() / u, plain, rtol=ROUNDING)


@pytest.mark.parametrize(("y", "m"), [(0.0, 1.0), (0.1, 0.1), (-1e99, 1e99)])
def test_constant_responses(y, m):
    losses = sb.GroupedLinear(np.full((50, 1), 2.0), np.full(50, y), [0] * 50, loss="squared", fit_intercept=True)
    np.testing.assert_allclose(losses.parameter_scales(), [m / 2, m], rtol=1e-15)


@pytest.mark.parametrize("layout", MATRICES)
def test_columns_of_zeros_are_as_the_others(layout):
    case = make("logistic", d=4)
    case.X[:, 1] = 0.0
    scales = case.losses(MATRICES[layout](case.X)).parameter_scales()
    assert scales[1] == np.median(scales[[0, 2, 3]])
    nothing = case.losses(MATRICES[layout](0 * case.X), fit_intercept=True).parameter_scales()
    np.testing.assert_array_equal(nothing, np.ones(5))


def test_scales_stay_finite_and_positive():
    X = np.array([[5e-324, 1.7e308], [5e-324, 1.7e308]])
    losses = sb.GroupedLinear(X, [-1e99, 1e99], [0, 1], loss="squared", fit_intercept=False)
    assert np.isfinite(losses.parameter_scales()).all()
    assert (losses.parameter_scales() > 0).all()


def test_own_losses():
    case = make("squared")
    reference = case.losses().parameter_scales()
    losses = sb.GroupedLinear(case.X, case.y, case.groups, loss=Cauchy(), fit_intercept=False)
    np.testing.assert_array_equal(losses.parameter_scales(), reference)
    binary = make("logistic")
    losses = sb.GroupedLinear(binary.X, binary.y, binary.groups, loss=Foreign("logistic"), fit_intercept=False)
    np.testing.assert_array_equal(losses.parameter_scales(), binary.losses().parameter_scales())


# --- samples ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def sampled(monkeypatch):
    monkeypatch.setattr(parameter_scales, "EXACT_ENTRIES", 1000)


@pytest.mark.usefixtures("sampled")
@pytest.mark.parametrize("layout", ["C", "Fortran", "mapped", "mapped integers"])
@pytest.mark.parametrize("d", [9, 150])
def test_large_tables_are_sampled(tmp_path, monkeypatch, layout, d):
    """Within the accuracy of 500 rows, and covariant; all entries of a rare column are read."""
    monkeypatch.setattr(mapped_table, "PIECE_BYTES", 64 * 1024)
    case = make("logistic", n=4000, d=d)
    case.X = np.round(100 * case.X)
    case.X[:, 2] = 0.0
    case.X[1234, 2] = 7.0
    case.X[:, 5] = 0.0
    u = 2.0 ** np.random.default_rng(1).integers(0, 20, d)

    def scales(X, name):
        if "mapped" in layout:
            np.save(tmp_path / name, X.astype(np.int64) if "integers" in layout else X)
            X = np.load(tmp_path / name, mmap_mode="r")
        return case.losses(MATRICES.get(layout, lambda X: X)(X)).parameter_scales()

    plain = scales(case.X, "plain.npy")
    usual = np.arange(d) != 5
    exact = 1 / np.sqrt((case.X[:, usual] ** 2).mean(axis=0))
    # The relative error of a root mean square of 500 normal numbers is 1/sqrt(1000): five times that.
    np.testing.assert_allclose(plain[usual], exact, rtol=0.16)
    assert np.abs(plain[usual] / exact - 1).max() > 1e-6
    assert plain[2] == pytest.approx(1 / np.sqrt(49 / 4000), rel=ROUNDING)
    np.testing.assert_allclose((scales(case.X * u, "scaled.npy") * u)[usual], plain[usual], rtol=ROUNDING)


@pytest.mark.usefixtures("sampled")
def test_few_rows_are_all_read():
    case = make("logistic", n=200, d=150)
    np.testing.assert_allclose(case.losses().parameter_scales(), expected(case, False), rtol=ROUNDING)


def test_asked_for_once():
    losses = make("logistic").losses()
    assert losses.parameter_scales() is losses.parameter_scales()
    assert not losses.parameter_scales().flags.writeable


# --- convexity --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("loss", NAMES)
def test_our_losses_are_convex(loss):
    assert make(loss).losses().convex is True
    assert make(loss).losses(l2=0.1).convex is True


def test_affine_matrices_are_convex():
    assert AffineMatrix(np.eye(2), [np.eye(2)]).convex is True
