"""Losses that keep the contract pass; each promise that losses break is named."""

from __future__ import annotations

import re
import warnings

import numpy as np
import pytest
from scipy.sparse import csc_array, csr_array

import saddleback as sb
from saddleback.losses.grouped.pointwise_losses import LOSSES
from saddleback.losses.matrices import AffineMatrix, from_matrix_functions
from saddleback.testing import check_losses

from .broken import failures, numbers, vector

RESPONSES = {
    "logistic": lambda rng, n: rng.integers(2, size=n),
    "squared": lambda rng, n: rng.standard_normal(n),
    "huber": lambda rng, n: rng.standard_normal(n),
    "squared_hinge": lambda rng, n: rng.integers(2, size=n),
    "poisson": lambda rng, n: rng.poisson(2.0, size=n),
    "quantile": lambda rng, n: rng.standard_normal(n),
    "softmax": lambda rng, n: rng.integers(3, size=n),
}


def grouped(loss, d=4, n=200, **options):
    rng = np.random.default_rng(0)
    return sb.GroupedLinear(
        rng.standard_normal((n, d)), RESPONSES[loss](rng, n), rng.integers(3, size=n), loss=loss, **options
    )


@pytest.mark.parametrize("loss", RESPONSES)
@pytest.mark.parametrize("options", [{"fit_intercept": False}, {"l2": 0.1}], ids=["plain", "penalized"])
def test_grouped_linear_losses_pass(loss, options):
    assert check_losses(grouped(loss, **options)) is None


def overlapping(n: int) -> np.ndarray:
    """Weights of the rows in three groups that overlap."""
    M = np.random.default_rng(1).uniform(0.0, 2.0, (n, 3))
    return M * (M > 0.7)


LAYOUTS = {
    "sparse": lambda X, y, groups, loss: sb.GroupedLinear(csr_array(X * (X > 0)), y, groups, loss=loss, l2=0.1),
    "sparse, by columns": lambda X, y, groups, loss: sb.GroupedLinear(csc_array(X * (X > 0)), y, groups, loss=loss),
    "Fortran": lambda X, y, groups, loss: sb.GroupedLinear(np.asfortranarray(X), y, groups, loss=loss),
    "single precision": lambda X, y, groups, loss: sb.GroupedLinear(X.astype(np.float32), y, groups, loss=loss),
    "memberships": lambda X, y, groups, loss: sb.GroupedLinear(X, y, overlapping(len(y)), loss=loss, l2=0.1),
    "weights": lambda X, y, groups, loss: sb.GroupedLinear(
        X, y, groups, loss=loss, sample_weight=np.arange(len(y)) % 3
    ),
    "one group": lambda X, y, groups, loss: sb.GroupedLinear(X, y, np.zeros(len(y)), loss=loss),
    "rows": lambda X, y, groups, loss: sb.GroupedLinear(X[:9], y[:9], "rows", loss=loss, l2=0.1),
}


def test_every_loss_is_here():
    assert set(RESPONSES) == set(LOSSES)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("loss", RESPONSES)
def test_every_layout_of_a_table_passes(loss, layout):
    rng = np.random.default_rng(0)
    X, y, groups = rng.standard_normal((60, 3)), RESPONSES[loss](rng, 60), rng.integers(3, size=60)
    if (loss, layout) == ("softmax", "rows"):
        with pytest.raises(sb.ProblemError, match="softmax"):
            LAYOUTS[layout](X, y, groups, loss)
    else:
        check_losses(LAYOUTS[layout](X, y, groups, loss), n_points=3)


def test_many_parameters_pass():
    check_losses(grouped("logistic", d=150, l2=0.01))


def test_sampled_hessians_pass():
    losses = grouped("logistic", d=20, n=20_000)
    assert losses.sampled_hessian is not None
    check_losses(losses, n_points=2)


def test_a_point_on_a_kink_passes():
    """|x'w - y| = delta in every row: differences say half the curvature, and are not believed."""
    X = np.random.default_rng(0).standard_normal((50, 3))
    losses = sb.GroupedLinear(X, np.resize([-1.0, 1.0], 50), np.resize([0, 1, 1], 50), loss="huber")
    check_losses(losses)


class Plain:
    """|w - 1|^2 + w_2, sum exp w, -w_0 + w_1, 2 |w|^2."""

    n_losses, n_params = 4, 3
    strong_convexity = 0.0

    def values(self, w):
        return np.array([(w - 1.0) @ (w - 1.0) + w[2], np.exp(w).sum(), w[1] - w[0], 2.0 * w @ w])

    def jacobian(self, w):
        return np.array([2.0 * (w - 1.0) + [0, 0, 1], np.exp(w), [-1.0, 1.0, 0.0], 4.0 * w])

    def evaluate(self, w):
        return self.values(w), self.jacobian(w)

    def hessian(self, w, lam):
        return 2.0 * (lam[0] + 2.0 * lam[3]) * np.eye(3) + lam[1] * np.diag(np.exp(w))


@pytest.mark.parametrize("w", [None, [0.5, -2.0, 1.0], [8.0, 0.0, 1e-3]])
def test_plain_losses_pass(w):
    check_losses(Plain(), w)


def test_functions_pass():
    plain = Plain()
    check_losses(sb.from_functions(plain.values, np.zeros(3), plain.jacobian))
    check_losses(sb.from_functions(plain.evaluate, np.zeros(3), jac=True))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        differences = sb.from_functions(plain.values, np.zeros(3))
    check_losses(differences, [0.1, 0.2, 0.3])


def test_losses_in_single_precision_pass():
    class Single(Plain):
        def values(self, w):
            return super().values(w.astype(np.float32)).astype(np.float32)

        def jacobian(self, w):
            return super().jacobian(w.astype(np.float32)).astype(np.float32)

    check_losses(Single())
    check_losses(Single(), [0.5, -2.0, 1.0])


def test_losses_with_a_domain_pass():
    class Logarithm:
        n_losses, n_params = 2, 2

        def evaluate(self, w):
            return np.array([-np.log(w[0]), w[1]]), np.array([[-1.0 / w[0], 0.0], [0.0, 1.0]])

    check_losses(Logarithm(), [0.01, 0.0])


@pytest.mark.parametrize(
    ("scales", "message"),
    [
        ([1.0], r"parameter_scales\(\) has shape \(1,\); expected \(2,\)"),
        ([1.0, 0.0], r"parameter_scales\(\)\[1\] is 0; expected a finite number > 0"),
        ([np.nan, 1.0], r"parameter_scales\(\)\[0\] is nan"),
        ([1.0, np.inf], r"parameter_scales\(\)\[1\] is inf"),
    ],
)
def test_scales_are_one_positive_number_per_parameter(scales, message):
    class Sized:
        n_losses, n_params = 2, 2

        def evaluate(self, w):
            return np.array([w[0] ** 2, w[1]]), np.array([[2 * w[0], 0.0], [0.0, 1.0]])

        def parameter_scales(self):
            return np.array(scales)

    assert re.search(message, failures(check_losses, Sized(), [1.0, 2.0])["parameter_scales"])


def test_matrices_of_losses_pass():
    S = np.random.default_rng(0).standard_normal((4, 3, 3))
    S = S + S.transpose(0, 2, 1)
    check_losses(AffineMatrix(S[0], S[1:]))
    A, B = np.diag([1.0, 2.0]), np.array([[0.0, 1.0], [1.0, 0.0]])
    check_losses(from_matrix_functions(lambda w: w[0] ** 2 * A + w[0] * B, [1.0], lambda w: [2 * w[0] * A + B]), [1.0])


def test_a_matrix_that_is_convex_in_no_order():
    A, B = np.diag([1.0, 2.0]), np.array([[0.0, 1.0], [1.0, 0.0]])
    losses = from_matrix_functions(lambda w: w[0] ** 2 * B + w[0] * A, [1.0], lambda w: [2 * w[0] * B + A])
    assert "a direction of the matrix of losses is not convex" in failures(check_losses, losses, [1.0])["convex"]


# --- protocol ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "size"), [("n_losses", 0), ("n_params", 3.0), ("n_losses", None)])
def test_wrong_sizes(name, size):
    losses = Plain()
    setattr(losses, name, size)
    assert f"{name} is {size!r}" in failures(check_losses, losses)["protocol"]


def test_a_transposed_jacobian_of_another_shape():
    class Transposed(Plain):
        def jacobian(self, w):
            return super().jacobian(w).T

    message = failures(check_losses, Transposed())["protocol"]
    assert "has shape (3, 4); expected (4, 3). It is transposed" in message


def test_a_transposed_jacobian_of_the_same_shape():
    M = np.array([[1.0, 2.0], [-3.0, 0.5]])
    losses = sb.from_functions(lambda w: M @ w, np.zeros(2), lambda w: M.T)
    assert "Its transpose is right" in failures(check_losses, losses)["jacobian"]


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda x: np.ma.masked_array(x, mask=np.arange(x.size).reshape(x.shape) == 1), "it holds masked entries"),
        (lambda x: x.astype(str).astype(object), "it holds '"),
        (lambda x: x + 0j, "complex128"),
    ],
)
def test_losses_that_are_no_numbers(spoil, words):
    class Values(Plain):
        def evaluate(self, w):
            f, G = super().evaluate(w)
            return spoil(f), G

    class Jacobian(Plain):
        def evaluate(self, w):
            f, G = super().evaluate(w)
            return f, spoil(G)

    for losses, name in ((Values(), "values"), (Jacobian(), "Jacobian")):
        message = failures(check_losses, losses)["protocol"]
        assert f"the {name} that evaluate(w) returns must be numbers" in message
        assert words in message


def test_losses_that_are_not_finite():
    class Undefined(Plain):
        def values(self, w):
            return super().values(w) / [1.0, 1.0, w[0], 1.0]

    assert "for loss 2" in failures(check_losses, Undefined())["protocol"]


def test_evaluate_that_writes_into_w():
    class Writer(Plain):
        def evaluate(self, w):
            w[1] *= 2.0
            return super().evaluate(w)

    message = failures(check_losses, Writer())["evaluate"]
    assert "evaluate(w) writes into w: coordinate 1" in message


def test_evaluate_that_overwrites_what_it_returned():
    class Buffered(Plain):
        buffer = np.zeros((4, 3))

        def jacobian(self, w):
            self.buffer[:] = super().jacobian(w)
            return self.buffer

    assert "overwrites the Jacobian" in failures(check_losses, Buffered())["evaluate"]


def test_evaluate_that_is_random():
    class Random(Plain):
        rng = np.random.default_rng(0)

        def values(self, w):
            return super().values(w) + 1e-6 * self.rng.standard_normal(4)

    assert "not deterministic" in failures(check_losses, Random())["evaluate"]


def test_values_of_other_losses():
    class Other(Plain):
        def evaluate(self, w):
            f, G = super().evaluate(w)
            return f + np.array([0.0, 0.0, 1e-6, 0.0]), G

    assert "in loss 2" in failures(check_losses, Other())["values"]


# --- derivatives ------------------------------------------------------------------------------------------------------


def test_a_wrong_row_names_loss_direction_and_coordinate():
    class Wrong(Plain):
        def jacobian(self, w):
            G = super().jacobian(w)
            G[1, 2] *= 1.001
            return G

    found = failures(check_losses, Wrong())
    message = found["jacobian"]
    assert "row 1 of the Jacobian is not the gradient of loss 1" in message
    assert "worst coordinate is 2: expected 1, got 1.001" in message
    assert "Rows that disagree: [1]" in message
    np.testing.assert_allclose(np.abs(vector(message, "in the direction")), [0.0, 0.0, 1.0], atol=1e-5)
    expected, got = numbers(message, "differences give #, the row #. ")
    assert got / expected == pytest.approx(1.001, rel=1e-6)


def test_a_wrong_coordinate_among_many_is_found():
    class Wide:
        n_losses, n_params = 2, 300

        def evaluate(self, w):
            G = np.array([np.exp(w), 2.0 * w + 1.0])
            f = np.array([np.exp(w).sum(), w @ w + w.sum()])
            G[1, 217] += 0.01
            return f, G

    message = failures(check_losses, Wide())["jacobian"]
    assert "row 1 of the Jacobian" in message
    assert "worst coordinate is 217: expected 1, got 1.01" in message


def test_a_loss_that_is_nowhere_smooth():
    class Jagged(Plain):
        def values(self, w):
            # A sawtooth finer than any step.
            f = super().values(w)
            f[2] += 0.1 * abs((1e7 * w.sum() / np.pi) % 1.0 - 0.5)
            return f

    message = failures(check_losses, Jagged())
    assert "loss 2" in message["jacobian"]


DIRECTION = np.array([2.0, -1.0, 2.0]) / 3.0


def test_a_wrong_hessian_names_the_direction():
    class Wrong(Plain):
        def hessian(self, w, lam):
            H = super().hessian(w, lam)
            return H + 0.01 * (DIRECTION @ H @ DIRECTION) * np.outer(DIRECTION, DIRECTION)

    message = failures(check_losses, Wrong())["hessian"]
    np.testing.assert_allclose(vector(message, "in the direction"), DIRECTION, atol=1e-4)
    expected, got = numbers(message, "quadratic form #, the formula #. ")
    assert got == pytest.approx(1.01 * expected, rel=1e-5)


def test_a_hessian_that_forgets_the_weights():
    class Unweighted(Plain):
        def hessian(self, w, lam):
            return super().hessian(w, np.ones(4) / 4.0)

    assert "hessian is wrong" in failures(check_losses, Unweighted())["hessian"]


def test_a_hessian_that_is_not_symmetric():
    class Crooked(Plain):
        def hessian(self, w, lam):
            H = super().hessian(w, lam)
            H[0, 2] += 0.1
            return H

    assert "not symmetric" in failures(check_losses, Crooked())["hessian"]


@pytest.mark.parametrize(
    ("estimate", "words"),
    [
        (lambda w, lam, V: np.eye(3), "has shape (3, 3); expected (1, 1)"),
        (lambda w, lam, V: np.triu(np.ones((3, 3))) if V is None else V @ V.T, "with V = None is not symmetric"),
        (lambda w, lam, V: np.diag([1.0, 1.0, np.nan]) if V is None else V @ V.T, "with V = None is not finite"),
    ],
)
def test_a_wrong_sampled_hessian(estimate, words):
    losses = Plain()
    losses.sampled_hessian = estimate
    assert words in failures(check_losses, losses)["sampled_hessian"]


def test_losses_without_an_estimate_of_the_whole_hessian_pass():
    losses = Plain()
    losses.sampled_hessian = lambda w, lam, V: np.full((3, 3), np.nan) if V is None else V @ V.T
    losses.sampled_loss_hessians = lambda w, which: np.full((which.size, 3, 3), np.nan)
    check_losses(losses)


@pytest.mark.parametrize(
    ("estimate", "words"),
    [
        (lambda w, which: np.eye(3), "sampled_loss_hessians with 4 numbers has shape (3, 3); expected (4, 3, 3)"),
        (lambda w, which: np.tile(np.triu(np.ones((3, 3))), (4, 1, 1)), "estimate of loss 0 in sampled_loss_hessians"),
        (lambda w, which: np.tile(2 * np.eye(3), (4, 1, 1)), "is not sampled_hessian with equal weights"),
    ],
)
def test_wrong_estimates_of_single_losses(estimate, words):
    losses = Plain()
    losses.sampled_hessian = lambda w, lam, V: lam.sum() * (np.eye(3) if V is None else V @ V.T)
    losses.sampled_loss_hessians = lambda w, which: np.tile(np.eye(3), (which.size, 1, 1))
    check_losses(losses)
    losses.sampled_loss_hessians = estimate
    assert words in failures(check_losses, losses)["sampled_hessian"]


@pytest.mark.parametrize(
    ("margins", "words"),
    [(lambda V: V[0], "sampled_margins has shape"), (lambda V: 2 * V, "is not sampled_hessian(w, lam, V)")],
)
def test_a_sampled_hessian_in_wrong_parts(margins, words):
    losses = Plain()
    losses.sampled_hessian = lambda w, lam, V: np.eye(3) if V is None else V @ V.T
    losses.hessian_on_margins = lambda w, lam, T: T @ T.T
    losses.penalty_diagonal = lambda: np.zeros(3)
    losses.sampled_margins = lambda V: V
    check_losses(losses)
    losses.sampled_margins = margins
    assert words in failures(check_losses, losses)["sampled_hessian"]


class WithLossHessians(Plain):
    def loss_hessians(self, w, which):
        return np.array([super(WithLossHessians, self).hessian(w, np.eye(4)[j]) for j in which])


def test_hessians_of_single_losses_pass():
    check_losses(WithLossHessians())


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda H, which: H[0], "has shape (3, 3); expected (4, 3, 3)"),
        (lambda H, which: H[np.argsort(which)], "in loss_hessians is wrong: in the direction"),
        (lambda H, which: H + np.triu(np.ones((3, 3))), "in loss_hessians is not symmetric"),
        (lambda H, which: 1.001 * H, "in loss_hessians is wrong"),
    ],
    ids=["one alone", "in their own order", "crooked", "too large"],
)
def test_wrong_hessians_of_single_losses(change, words):
    class Wrong(WithLossHessians):
        def loss_hessians(self, w, which):
            return change(super().loss_hessians(w, which), which)

    assert words in failures(check_losses, Wrong())["loss_hessians"]


def test_hessians_of_single_losses_that_do_not_add_up():
    class Halved(WithLossHessians):
        def hessian(self, w, lam):
            return 0.5 * super().hessian(w, lam)

    assert "loss_hessians and hessian differ" in failures(check_losses, Halved())["loss_hessians"]


# --- constants and convexity ------------------------------------------------------------------------------------------


class Quadratics:
    """1/2 w'H_j w with largest and least eigenvalues 8 and 1/2; the largest is that of loss 1."""

    n_losses, n_params = 2, 6
    H = (np.diag([1.0, 2.0, 3.0, 2.0, 1.0, 0.5]), np.diag([1.0, 1.0, 8.0, 1.0, 1.0, 1.0]))
    strong_convexity = 0.5

    def evaluate(self, w):
        return np.array([0.5 * w @ H @ w for H in self.H]), np.array([H @ w for H in self.H])

    def smoothness(self):
        return 8.0


def test_right_constants_pass():
    check_losses(Quadratics())


def test_a_smoothness_that_is_too_small():
    losses = Quadratics()
    losses.smoothness = lambda: 7.9
    message = failures(check_losses, losses)["smoothness"]
    assert "smoothness() = 7.9 is too small" in message
    assert "the gradient of loss 1" in message
    assert np.argmax(np.abs(vector(message, "in the direction"))) == 2
    assert 7.9 < numbers(message, "changes by # per unit")[0] <= 8.0 + 1e-6


def test_a_strong_convexity_that_is_too_large():
    losses = Quadratics()
    losses.strong_convexity = 0.51
    message = failures(check_losses, losses)["strong_convexity"]
    assert "strong_convexity = 0.51 is too large" in message
    assert "loss 0 curves by 0.5 only" in message
    assert np.argmax(np.abs(vector(message, "in the direction"))) == 5


def test_a_strong_convexity_per_coordinate():
    losses = Quadratics()
    losses.strong_convexity = np.array([1.0, 1.0, 3.0, 1.0, 1.0, 0.5])
    check_losses(losses)
    losses.strong_convexity = np.array([1.0, 1.1, 3.0, 1.0, 1.0, 0.5])
    assert "loss 1 curves by 1 only" in failures(check_losses, losses)["strong_convexity"]
    losses.strong_convexity = np.ones(5)
    assert "one per parameter (6)" in failures(check_losses, losses)["strong_convexity"]


def test_a_loss_that_is_not_convex():
    losses = sb.from_functions(lambda w: ([w @ w, np.sin(w).sum()], [2.0 * w, np.cos(w)]), np.full(2, 0.5), jac=True)
    message = failures(check_losses, losses, np.full(2, 0.5))["convex"]
    assert "loss 1 is not convex" in message
    assert "in the direction" in message


def test_negative_weights_need_affine_losses():
    losses = Quadratics()
    check_losses(losses)
    from .sets import Disk

    assert "is not convex" in failures(check_losses, losses, dual_set=Disk(2))["convex"]


def test_a_narrow_saddle_is_found_by_its_hessian():
    """Negative curvature in one of many directions that are no coordinates."""

    class Saddle:
        n_losses, n_params = 1, 60
        v = np.random.default_rng(5).standard_normal(60) / np.sqrt(60.0)

        def evaluate(self, w):
            return np.array([0.5 * w @ w - (self.v @ w) ** 2]), (w - 2.0 * (self.v @ w) * self.v)[None, :]

        def hessian(self, w, lam):
            return np.eye(60) - 2.0 * np.outer(self.v, self.v)

    message = failures(check_losses, Saddle())["convex"]
    assert "loss 0 is not convex" in message


def test_the_same_seed_gives_the_same_message():
    class Wrong(Plain):
        def jacobian(self, w):
            return 1.01 * super().jacobian(w)

    messages = [failures(check_losses, Wrong(), seed=seed)["jacobian"] for seed in (0, 0)]
    assert messages[0] == messages[1]
