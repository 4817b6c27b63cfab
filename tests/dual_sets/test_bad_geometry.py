"""Sets, regularizers and matrices that cannot be right: refused by name, before the losses are evaluated."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from calls import Calls
from calls import quadratics as three_losses
from scipy.sparse import csr_matrix

import saddleback as sb
from saddleback.linalg import svec

NAN, INF = np.nan, np.inf


class Plain:
    """Three losses of two parameters that count how often they are asked."""

    n_losses, n_params = 3, 2

    def __init__(self):
        self.evaluate = Calls(three_losses)


class Matrix(Plain):
    """The same as the coordinates of a matrix of order two."""

    matrix_size = 2


def refused(error: type[Exception], match: str, make, losses: type = Plain) -> None:
    """``make`` gives keywords of a Problem; whichever step refuses, it does so before any loss is evaluated."""
    asked = losses()
    with pytest.raises(error, match=match):
        sb.solve(sb.Problem(asked, **make()))
    assert asked.evaluate.n == 0
    if losses is Plain:
        fun = Calls(three_losses)
        with pytest.raises(error, match=match):
            sb.minimax(fun, [0.0, 0.0], jac=True, **make())
        # minimax may call once, at w0, to learn how many losses there are.
        assert fun.n <= 1


def box_rows(n: int = 3) -> tuple[np.ndarray, np.ndarray]:
    return np.vstack((np.eye(n), -np.eye(n))), np.concatenate((np.ones(n), np.zeros(n)))


# --- parameters of sets -----------------------------------------------------------------------------------------------

BALLS = [sb.Chi2Ball, sb.TVBall, sb.KLBall]
WITH_PRIOR = [*BALLS, sb.CappedSimplex, sb.Contamination, sb.Entropy]


@pytest.mark.parametrize("alpha", [0.0, -0.1, 1.0001, 5.0, NAN, INF, -INF, None, "half", [0.1, 0.2]])
def test_alpha_is_a_share(alpha):
    refused(sb.ProblemError, "alpha of CappedSimplex must be", lambda: {"dual_set": sb.CappedSimplex(alpha)})


@pytest.mark.parametrize("share", [-0.1, 1.0001, 5.0, NAN, INF, -INF, None, "half", [0.1, 0.2]])
def test_the_worst_weight_is_a_share(share):
    match = "worst_weight of Contamination must be"
    refused(sb.ProblemError, match, lambda: {"dual_set": sb.Contamination(share)})


@pytest.mark.parametrize("ball", BALLS)
@pytest.mark.parametrize("rho", [-1e-12, -1.0, NAN, INF, None, "much", [0.1, 0.2]])
def test_rho_is_a_size(ball, rho):
    match = f"rho of {ball.__name__} must be a (finite )?number"
    refused(sb.ProblemError, match, lambda: {"dual_set": ball(rho)})


def with_prior(kind: type, prior) -> dict[str, object]:
    component = kind(0.5, prior)
    return {"regularizer" if kind is sb.Entropy else "dual_set": component}


@pytest.mark.parametrize("kind", WITH_PRIOR)
@pytest.mark.parametrize(
    ("prior", "match"),
    [
        ([0.5, 0.5, 0.5], "must be positive and sum to one; got least entry 0.5, sum 1.5"),
        ([0.5, 0.5, 0.0], "must be positive and sum to one; got least entry 0"),
        ([1.2, -0.1, -0.1], "must be positive and sum to one; got least entry -0.1"),
        ([0.5, 0.5, NAN], "must be finite; got nan at position 2"),
        ([0.5, 0.5, INF], "must be finite; got inf at position 2"),
        ([[0.5, 0.5]], "must be a non-empty vector"),
        ([], "must be a non-empty vector"),
        ("uniform", "must be a vector of numbers"),
        ([0.5, None, 0.5], "must be a vector of numbers"),
    ],
)
def test_priors_are_distributions(kind, prior, match):
    refused(sb.ProblemError, f"prior of {kind.__name__} {match}", lambda: with_prior(kind, prior))


@pytest.mark.parametrize("kind", WITH_PRIOR)
@pytest.mark.parametrize("n", [1, 2, 4])
def test_priors_have_one_entry_per_loss(kind, n):
    match = f"prior of {kind.__name__} has {n} entries for 3 losses"
    refused(sb.ProblemError, match, lambda: with_prior(kind, np.full(n, 1 / n)))


@pytest.mark.parametrize("kind", [sb.Quadratic, sb.Entropy, sb.VonNeumann])
@pytest.mark.parametrize("gamma", [-1.0, NAN, INF, None, "some"])
def test_gamma_is_a_size(kind, gamma):
    match = f"gamma of {kind.__name__} must be a (finite )?number"
    refused(sb.ProblemError, match, lambda: {"regularizer": kind(gamma)})


@pytest.mark.parametrize(
    ("center", "match"),
    [([0.0, NAN, 0.0], "must be finite; got nan at position 1"), ([0.5, 0.5], "must have length 3; got length 2")],
)
def test_the_center_of_a_quadratic(center, match):
    refused(sb.ProblemError, f"center of Quadratic {match}", lambda: {"regularizer": sb.Quadratic(0.1, center)})


@pytest.mark.parametrize(
    ("lower", "upper", "match"),
    [
        (1.0, 0.0, "Box is empty: its lower bound 1 is above its upper bound 0"),
        ([0.0, 0.0, 2.0], 1.0, "Box is empty: .* at position 2"),
        (0.0, [1.0, 1.0], "bounds of Box have 2 entries for 3 losses"),
        ([0.0, 0.0], [1.0, 1.0, 1.0], "bounds of Box must have equal lengths; got 2 lower and 3 upper"),
        (NAN, 1.0, "lower bound of Box must be"),
        (0.0, INF, "upper bound of Box must be"),
        (0.0, [1.0, NAN, 1.0], "upper bound of Box must be finite"),
        ("low", 1.0, "lower bound of Box must be"),
    ],
)
def test_boxes(lower, upper, match):
    refused((sb.ProblemError, sb.IncompatibleError), match, lambda: {"dual_set": sb.Box(lower, upper)})


@pytest.mark.parametrize(
    ("center", "radius", "match"),
    [
        (0.0, -1.0, "radius of Ball must be a finite number >= 0"),
        (0.0, NAN, "radius of Ball must be a finite number"),
        (0.0, INF, "radius of Ball must be a finite number"),
        (NAN, 1.0, "center of Ball must be a finite number"),
        ([0.0, NAN, 0.0], 1.0, "center of Ball must be finite"),
        ([0.0, 0.0], 1.0, "center of Ball has 2 entries for 3 losses"),
        (np.zeros((3, 1)), 1.0, "center of Ball must be a non-empty vector"),
    ],
)
def test_balls(center, radius, match):
    refused(sb.ProblemError, match, lambda: {"dual_set": sb.Ball(center, radius)})


# --- polytopes --------------------------------------------------------------------------------------------------------


def polytope(A, b, A_eq=None, b_eq=None):
    return lambda: {"dual_set": sb.Polytope(A, b, A_eq, b_eq)}


def test_empty_polytopes():
    A, b = box_rows()
    refused(sb.ProblemError, "(?i)polytope.*empty", polytope(A, -b - 1))
    refused(sb.ProblemError, "(?i)polytope.*empty", polytope(A, b, np.ones((1, 3)), [4.0]))
    refused(sb.ProblemError, "(?i)polytope.*empty", polytope(A, b, [[1, 0, 0], [1, 0, 0]], [0.1, 0.2]))


def test_unbounded_polytopes():
    refused(sb.ProblemError, "(?i)polytope.*bounded", polytope(-np.eye(3), np.zeros(3)))
    refused(sb.ProblemError, "(?i)polytope.*bounded", polytope(np.eye(3), np.ones(3), [[1.0, 0.0, 0.0]], [0.0]))
    refused(sb.ProblemError, "(?i)polytope.*bounded", polytope([[1.0, 1.0, 1.0]], [1.0]))


@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        (box_rows(2), r"Polytope lies in R\^2, for 3 losses"),
        ((np.eye(3), np.ones(2)), "b"),
        ((np.full((3, 3), NAN), np.ones(3)), "A of Polytope must be finite"),
        ((box_rows()[0], np.append(np.ones(5), INF)), "b of Polytope must be finite"),
        (([[1.0, 2.0], [3.0]], [1.0, 1.0]), "A of Polytope"),
        ((*box_rows(), np.ones((1, 2)), [1.0]), "A and A_eq of Polytope must have as many columns; got 3 and 2"),
        ((*box_rows(), np.ones((1, 3)), None), "Polytope got A_eq but no b_eq"),
        ((*box_rows(), None, [1.0]), "Polytope got b_eq but no A_eq"),
        ((*box_rows(), np.ones((1, 3)), [NAN]), "b_eq of Polytope must be finite"),
    ],
)
def test_polytopes_that_are_no_systems(arguments, match):
    refused(sb.ProblemError, match, polytope(*arguments))


# --- products ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sets", "sizes", "match"),
    [
        ([sb.Simplex(), sb.Simplex()], [2, 2], r"Product has dimension 4 \(sizes \[2, 2\]\); got 3 losses"),
        ([sb.Simplex(), sb.Simplex()], [3], "sizes of Product must be 2 whole numbers >= 1"),
        ([sb.Simplex(), sb.Simplex()], [3, 0], "sizes of Product must be 2 whole numbers >= 1"),
        ([sb.Simplex(), sb.Simplex()], [1.5, 1.5], "sizes of Product must be 2 whole numbers >= 1"),
        ([sb.Simplex(), sb.Simplex()], None, "Product: 3 losses cannot be shared equally among 2 sets"),
        ([sb.Simplex(), sb.Box([0.0, 0.0], 1.0)], [2, 1], "bounds of Box have 2 entries for 1 losses"),
        ([sb.Ball([0.0, 0.0], 1.0), sb.Ball([0.0, 0.0], 1.0)], None, "Product has dimension 4"),
        ([sb.Spectrahedron(), sb.Box(0, 1)], [3, 4], r"got 3 losses\. A set of k x k .* pass sizes=\[6, 4\]\."),
        ([sb.Spectrahedron(), sb.Simplex()], [2, 1], r"the spectrahedron has k\(k\+1\)/2 coordinates.*got 2"),
        ([], None, "Product needs at least one set"),
        ([sb.Simplex(), sb.Simplex], None, r"sets\[1\] of Product must be a DualSet"),
        ([sb.Simplex(), 3], None, r"sets\[1\] of Product must be a DualSet; got 3"),
        (sb.Simplex(), None, "sets of Product must be a sequence"),
    ],
)
def test_products(sets, sizes, match):
    refused(sb.ProblemError, match, lambda: {"dual_set": sb.Product(sets, sizes)})


def test_equal_shares_of_different_sets_are_told():
    def fun(w):
        return [w @ w, 1.0 - w[0], w[0], w[1]], np.array([2.0 * w, [-1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])

    with pytest.warns(UserWarning, match=r"Product of Simplex and Box without sizes: its sets have 2, 2 of the 4"):
        shared = sb.minimax(fun, [0.5, 0.5], jac=True, dual_set=sb.Product([sb.Simplex(), sb.Box(0.0, 9.0)]))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        told = sb.minimax(fun, [0.5, 0.5], jac=True, dual_set=sb.Product([sb.Simplex(), sb.Box(0.0, 9.0)], [2, 2]))
        sb.minimax(fun, [0.5, 0.5], jac=True, dual_set=sb.Product([sb.Simplex(), sb.Simplex()]))
    assert shared.fun == told.fun


# --- matrices ---------------------------------------------------------------------------------------------------------

EYE = np.eye(2)
ASYMMETRIC = np.array([[1.0, 2.0], [3.0, 4.0]])


@pytest.mark.parametrize(
    ("F0", "Fs", "match"),
    [
        (ASYMMETRIC, [EYE], r"F0 must be symmetric; entries \(0, 1\) and \(1, 0\) are 2 and 3"),
        (EYE, [EYE, ASYMMETRIC], r"Fs\[1\] must be symmetric; entries \(0, 1\) and \(1, 0\) are 2 and 3"),
        (csr_matrix(ASYMMETRIC), [EYE], "F0 must be symmetric"),
        (EYE, [EYE, csr_matrix(ASYMMETRIC)], r"Fs\[1\] must be symmetric"),
        (np.ones((2, 3)), [EYE], r"F0 must be square and not empty; got shape \(2, 3\)"),
        (EYE, np.ones((1, 2, 3)), r"Fs must be square and not empty; got shape \(1, 2, 3\)"),
        ([[1.0, 2.0], [2.0]], [EYE], "F0 must be a matrix of numbers"),
        (EYE, [EYE, [[1.0, 2.0], [2.0]]], "Fs must be a matrix of numbers"),
        (EYE, [EYE, np.eye(3)], "Fs must"),
        (EYE, [csr_matrix(EYE), np.eye(3)], "Fs must hold matrices of one shape"),
        (EYE, [np.eye(3)], r"Fs must hold matrices of shape \(2, 2\), as F0; got \(3, 3\)"),
        (EYE, [csr_matrix(np.eye(3))], r"Fs must hold matrices of shape \(2, 2\), as F0; got \(3, 3\)"),
        (EYE, EYE, r"Fs must hold one matrix per parameter, shape \(d, k, k\); got shape \(2, 2\)"),
        (EYE, csr_matrix(EYE), "Fs must be a sequence of matrices"),
        (EYE, [], "Fs must be square and not empty"),
        (np.full((2, 2), NAN), [EYE], "F0 must be finite"),
        (EYE, [np.full((2, 2), INF)], "Fs must be finite"),
        (EYE, [[["a", "b"], ["b", "a"]]], "Fs must be a matrix of numbers"),
        (EYE + 0j, [EYE], "F0 must be a matrix of numbers"),
        (None, [EYE], "F0 must be a matrix of numbers"),
    ],
)
def test_affine_matrices(F0, Fs, match):
    with pytest.raises(sb.ProblemError, match=match):
        sb.AffineMatrix(F0, Fs)


@pytest.mark.parametrize(
    ("F", "match"),
    [
        (ASYMMETRIC, r"F\(w0\) must be symmetric"),
        (np.ones((2, 3)), r"F\(w0\) must be square"),
        (np.ones((4, 2, 2)), r"F\(w0\) must be one matrix; got shape \(4, 2, 2\)"),
        (np.ones(3), r"F\(w0\) must be square"),
        (np.full((2, 2), NAN), r"F\(w0\) must be finite"),
        ([[1.0, 2.0], [2.0]], r"F\(w0\) must be a matrix of numbers"),
    ],
)
def test_matrix_functions_at_the_start(F, match):
    with pytest.raises(sb.ProblemError, match=match):
        sb.from_matrix_functions(lambda w: F, [0.0], lambda w: [EYE])


@pytest.mark.parametrize(("fun", "jac", "name"), [(None, lambda w: [EYE], "fun"), (lambda w: EYE, None, "jac")])
def test_matrix_functions_are_functions(fun, jac, name):
    with pytest.raises(sb.ProblemError, match=f"{name} must be callable; got NoneType"):
        sb.from_matrix_functions(fun, [0.0], jac)


@pytest.mark.parametrize(
    ("derivative", "match"),
    [
        (EYE, r"the derivative of F must have shape \(d, k, k\) = \(1, 2, 2\); got \(2, 2\)"),
        ([EYE, EYE], r"the derivative of F must have shape \(d, k, k\) = \(1, 2, 2\); got \(2, 2, 2\)"),
        ([np.eye(3)], r"the derivative of F must have shape \(d, k, k\) = \(1, 2, 2\); got \(1, 3, 3\)"),
        ([ASYMMETRIC], r"the derivative of F\[0\] must be symmetric"),
    ],
)
def test_derivatives_of_matrix_functions(derivative, match):
    losses = sb.from_matrix_functions(lambda w: EYE, [0.0], lambda w: derivative)
    with pytest.raises(sb.ProblemError, match=match):
        sb.solve(sb.Problem(losses, sb.Spectrahedron()))


def test_a_matrix_function_that_changes_its_shape():
    losses = sb.from_matrix_functions(lambda w: np.eye(2 if w[0] == 0 else 3), [0.0], lambda w: [EYE])
    with pytest.raises(sb.ProblemError, match=r"F\(w\) must have shape \(2, 2\) at every w; got \(3, 3\)"):
        sb.Problem(losses, sb.Spectrahedron()).value([1.0])


# --- pairs that do not fit --------------------------------------------------------------------------------------------


def test_the_spectrahedron_wants_matrices():
    match = "Spectrahedron needs losses that are matrices.*got Plain.*use Simplex"
    asked = Plain()
    with pytest.raises(sb.ProblemError, match=match):
        sb.solve(sb.Problem(asked, sb.Spectrahedron()))
    assert asked.evaluate.n == 0
    with pytest.raises(sb.ProblemError, match="Spectrahedron needs losses that are matrices"):
        sb.minimax(three_losses, [0.0, 0.0], jac=True, dual_set=sb.Spectrahedron())


@pytest.mark.parametrize(
    "dual_set",
    [sb.Simplex(), sb.CappedSimplex(0.5), sb.Contamination(0.5), sb.Box(0.0, 1.0), sb.Ball(0.0, 1.0)],
    ids=str,
)
def test_matrices_want_the_spectrahedron(dual_set):
    refused(sb.ProblemError, r"needs dual_set=Spectrahedron\(\)", lambda: {"dual_set": dual_set}, Matrix)
    with pytest.raises(sb.ProblemError, match=r"AffineMatrix is a matrix of losses and needs dual_set=Spectrahedron"):
        sb.Problem(sb.AffineMatrix(EYE, [EYE]), dual_set)


def test_a_matrix_size_that_does_not_fit():
    class Wrong(Plain):
        matrix_size = 2
        n_losses = 4

    refused(sb.ProblemError, "the spectrahedron has", lambda: {"dual_set": sb.Spectrahedron()}, Wrong)


@pytest.mark.parametrize(
    "dual_set",
    [
        sb.Simplex(),
        sb.CappedSimplex(0.5),
        sb.Contamination(0.5),
        sb.KLBall(0.1),
        sb.Box(0.0, 1.0),
        sb.Product([sb.Simplex()]),
        sb.Ball(2.0, 1.0),
    ],
    ids=lambda s: type(s).__name__,
)
@pytest.mark.parametrize("gamma", [0.1, 0.0])
def test_von_neumann_wants_the_spectrahedron(dual_set, gamma):
    match = "VonNeumann is an entropy of matrices and needs a Spectrahedron; got .*Use Entropy"
    refused(sb.IncompatibleError, match, lambda: {"dual_set": dual_set, "regularizer": sb.VonNeumann(gamma)})


@pytest.mark.parametrize(
    ("dual_set", "weight", "least"),
    [
        (sb.Box(-1.0, 1.0), 0, -1),
        (sb.Box([0.0, 0.0, -0.5], 1.0), 2, -0.5),
        (sb.Ball(0.0, 1.0), 0, -1),
        (sb.Ball([3.0, 0.5, 3.0], 1.0), 1, -0.5),
        (sb.Polytope(box_rows()[0], np.append(np.ones(5), 0.25)), 0, -1),
        (sb.Product([sb.Simplex(), sb.Box(-2.0, 0.0)], [2, 1]), 2, -2),
    ],
    ids=lambda x: type(x).__name__,
)
def test_entropy_wants_weights_that_are_not_negative(dual_set, weight, least):
    match = f"Entropy needs weights that are not negative; on .* weight {weight} goes down to {least:g}.*Use Quadratic"
    refused(sb.IncompatibleError, match, lambda: {"dual_set": dual_set, "regularizer": sb.Entropy(0.1)})


def test_entropy_of_matrices_points_to_von_neumann():
    match = r"Entropy needs weights that are not negative; on Spectrahedron\(\).*VonNeumann"
    pair = {"dual_set": sb.Spectrahedron(), "regularizer": sb.Entropy(0.1)}
    refused(sb.IncompatibleError, match, lambda: pair, Matrix)


@pytest.mark.parametrize("kind", [sb.Simplex, sb.Spectrahedron, sb.CappedSimplex, sb.Contamination, sb.Box, sb.Product])
def test_classes_are_no_sets(kind):
    refused(sb.ProblemError, f"expected a DualSet; got .*{kind.__name__}.*instance", lambda: {"dual_set": kind})


@pytest.mark.parametrize("kind", [sb.Zero, sb.Quadratic, sb.Entropy, sb.VonNeumann])
def test_classes_are_no_regularizers(kind):
    refused(sb.ProblemError, f"expected a Regularizer; got .*{kind.__name__}", lambda: {"regularizer": kind})


@pytest.mark.parametrize("thing", ["simplex", 3, np.ones(3), sb.Zero()], ids=["name", "number", "array", "regularizer"])
def test_other_things_are_no_sets(thing):
    refused(sb.ProblemError, "expected a DualSet; got", lambda: {"dual_set": thing})


@pytest.mark.parametrize("thing", ["entropy", 3, sb.Simplex()], ids=["name", "number", "set"])
def test_other_things_are_no_regularizers(thing):
    refused(sb.ProblemError, "expected a Regularizer; got", lambda: {"regularizer": thing})


@pytest.mark.parametrize(
    ("z", "match"),
    [
        (np.ones((2, 3)), r"z must be a symmetric matrix of shape \(2, 2\); got shape \(2, 3\)"),
        (ASYMMETRIC, r"z must be symmetric"),
        (np.eye(3), r"z must be a symmetric matrix of shape \(2, 2\); got shape \(3, 3\)"),
        (np.full((2, 2), NAN), "z must be finite"),
        (np.ones(4), "z must have length 3"),
    ],
)
def test_losses_of_another_shape(z, match):
    problem = sb.Problem(sb.AffineMatrix(EYE, [EYE]), sb.Spectrahedron())
    with pytest.raises(sb.ProblemError, match=match):
        problem.best_response(z)
    assert problem.best_response(svec.pack(EYE)).value == pytest.approx(1.0)


RAGGED, MASKED = [[1.0], [1.0, 2.0]], [1.0, np.ma.masked]


@pytest.mark.parametrize("what", [RAGGED, MASKED], ids=["ragged", "masked"])
@pytest.mark.parametrize(
    "make",
    [
        lambda x: sb.Ball(x, 1.0),
        lambda x: sb.Box(x, 1.0),
        lambda x: sb.Quadratic(1.0, center=x),
        lambda x: sb.Entropy(1.0, prior=x),
        lambda x: sb.minimax(lambda w: ([w @ w], [2 * w]), np.zeros(2), jac=True, metric=x),
        lambda x: sb.Problem(sb.AffineMatrix(np.eye(2), [np.eye(2)]), sb.Spectrahedron()).best_response(x),
    ],
    ids=["Ball", "Box", "Quadratic", "Entropy", "metric", "Spectrahedron"],
)
def test_what_is_no_array_is_refused_by_name(make, what):
    with pytest.raises(sb.ProblemError, match="must be a vector of numbers; got list"):
        make(what)


@pytest.mark.parametrize("ceiling", ["a", np.nan, np.inf, 0.0, -1, None, [1]])
def test_the_ceiling_of_an_entropy_is_a_size(ceiling):
    with pytest.raises(sb.ProblemError, match="ceiling of Entropy must be a"):
        sb.Entropy(0.1, None, ceiling=ceiling)


@pytest.mark.parametrize(
    "make",
    [
        lambda x: sb.Ball(0.0, x),
        lambda x: sb.Ball(x, 1.0),
        lambda x: sb.Ball([0.0, -x], 1.0),
        lambda x: sb.Box(0.0, x),
        lambda x: sb.Box([-x, 0.0], 1.0),
        lambda x: sb.Polytope(np.vstack([np.eye(2), -np.eye(2)]), [x, x, 0.0, 0.0]),
    ],
)
def test_weights_whose_squares_overflow(make):
    make(1e150)
    with pytest.raises(
        sb.ProblemError, match=r"must be at most 1e\+150 in absolute value; got 1e\+155. Multiply the losses"
    ):
        make(1e155)
