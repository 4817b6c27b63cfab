"""Everything the library offers keeps the contracts that it asks of users."""

from __future__ import annotations

from inspect import isabstract
from types import ModuleType

import numpy as np
import pytest

import saddleback as sb
from saddleback import dual_sets, regularizers
from saddleback.dual_sets import DUAL_SETS
from saddleback.linalg import svec
from saddleback.regularizers import REGULARIZERS
from saddleback.testing import check_dual_set, check_losses, check_regularizer

SIZES = (1, 2, 5, 12)


def prior(n: int) -> np.ndarray:
    p = np.arange(1.0, n + 1)
    return p / p.sum()


def distributions(n: int) -> sb.Polytope:
    """The simplex with rows of its own."""
    rows = np.random.default_rng(n).standard_normal((3, n))
    b = rows @ prior(n) + [0.05, 0.2, 0.5]
    return sb.Polytope(np.vstack((-np.eye(n), rows)), np.concatenate((np.zeros(n), b)), np.ones((1, n)), [1.0])


def cut_box(n: int) -> sb.Polytope:
    rows = np.vstack((np.eye(n), -np.eye(n), np.random.default_rng(n).standard_normal((2, n))))
    return sb.Polytope(rows, np.concatenate((np.full(2 * n, 2.0), [0.3, 1.0])))


def parts(n: int) -> sb.Product:
    """Of non-negative weights, in every dimension; single points among them where n is small."""
    if n == 1:
        return sb.Product([sb.Box(0.5, 2.0)])
    if n < 4:
        return sb.Product([sb.Simplex(), sb.CappedSimplex(0.5)], [1, n - 1])
    return sb.Product([sb.Simplex(), sb.KLBall(0.2), sb.Box(0.0, 1.0)], [2, n - 3, 1])


def mixed_parts(n: int) -> sb.Product:
    if n < 5:
        return sb.Product([sb.Ball(0.0, 1.0)])
    return sb.Product([sb.Spectrahedron(), sb.Ball(0.0, 2.0), sb.TVBall(0.3)], [3, 1, n - 4])


SETS = {
    "simplex": lambda n: sb.Simplex(),
    "capped simplex": lambda n: sb.CappedSimplex(0.4),
    "capped simplex with a prior": lambda n: sb.CappedSimplex(0.7, prior(n)),
    "small share": lambda n: sb.CappedSimplex(0.01, prior(n)),
    "whole share": lambda n: sb.CappedSimplex(1.0, prior(n)),
    "contamination": lambda n: sb.Contamination(0.3),
    "contamination with a prior": lambda n: sb.Contamination(0.6, prior(n)),
    "little contamination": lambda n: sb.Contamination(1e-4, prior(n)),
    "no contamination": lambda n: sb.Contamination(0.0, prior(n)),
    "chi2 ball": lambda n: sb.Chi2Ball(0.3),
    "chi2 ball with a prior": lambda n: sb.Chi2Ball(1.7, prior(n)),
    "large chi2 ball": lambda n: sb.Chi2Ball(100.0, prior(n)),
    "small chi2 ball": lambda n: sb.Chi2Ball(1e-4, prior(n)),
    "TV ball": lambda n: sb.TVBall(0.2),
    "TV ball with a prior": lambda n: sb.TVBall(0.6, prior(n)),
    "small TV ball": lambda n: sb.TVBall(1e-4, prior(n)),
    "large TV ball": lambda n: sb.TVBall(2.0, prior(n)),
    "KL ball": lambda n: sb.KLBall(0.2),
    "KL ball with a prior": lambda n: sb.KLBall(1.0, prior(n)),
    "small KL ball": lambda n: sb.KLBall(1e-4, prior(n)),
    "large KL ball": lambda n: sb.KLBall(100.0, prior(n)),
    "prior alone": lambda n: sb.KLBall(0.0, prior(n)),
    "box": lambda n: sb.Box(-1.0, np.linspace(0.5, 3.0, n)),
    "positive box": lambda n: sb.Box(0.0, 1.0),
    "negative box": lambda n: sb.Box(-2.0, -0.5),
    "box that is a point": lambda n: sb.Box(1.0, np.ones(n)),
    "box with fixed weights": lambda n: sb.Box(np.zeros(n), np.arange(n) % 2 * 1.0),
    "ball": lambda n: sb.Ball(np.linspace(-1.0, 1.0, n), 1.5),
    "positive ball": lambda n: sb.Ball(1.0, 0.9),
    "ball that is a point": lambda n: sb.Ball(np.ones(n), 0.0),
    "polytope that is a point": lambda n: sb.Polytope(np.vstack((-np.eye(n), np.ones((1, n)))), np.zeros(n + 1)),
    "polytope of distributions": distributions,
    "polytope": cut_box,
    "product": parts,
    "mixed product": mixed_parts,
}
# On these sets an entropy is refused: they have points with negative weights.
SIGNED = ("box", "negative box", "ball", "polytope", "mixed product")
REGULARIZERS_OF = {
    "zero": lambda n: sb.Zero(),
    "quadratic": lambda n: sb.Quadratic(0.3),
    "quadratic with a center": lambda n: sb.Quadratic(2.0, np.linspace(-1.0, 2.0, n)),
    "entropy": lambda n: sb.Entropy(0.2),
    "entropy with a prior": lambda n: sb.Entropy(3.0, prior(n)),
}
# A linear program, or a run of the inner solver, for every best response.
COSTLY = ("polytope of distributions", "polytope")


def n_points(name: str) -> int:
    return 2 if name in COSTLY else 3


def exported(module: ModuleType, kind: type) -> set[type]:
    """The shipped classes of a kind, whatever the module's own tuple of them says."""
    classes = {value for value in vars(module).values() if isinstance(value, type) and issubclass(value, kind)}
    return {cls for cls in classes if cls is not kind and not isabstract(cls)}


def test_every_set_and_regularizer_is_here():
    """A set or regularizer that is exported and not in the registries below fails here."""
    sets = {type(make(5)) for make in SETS.values()} | {sb.Spectrahedron}
    assert sets == set(DUAL_SETS) == exported(dual_sets, sb.dual_sets.DualSet)
    kinds = {type(make(4)) for make in REGULARIZERS_OF.values()} | {sb.VonNeumann}
    assert kinds == set(REGULARIZERS) == exported(regularizers, sb.Regularizer)


@pytest.mark.slow
@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("name", SETS)
def test_sets_pass(name, n):
    check_dual_set(SETS[name](n), n, n_points=n_points(name))


@pytest.mark.parametrize("k", [1, 2, 4])
def test_the_spectrahedron_passes(k):
    check_dual_set(sb.Spectrahedron(), svec.length(k), n_points=4)


@pytest.mark.slow
@pytest.mark.parametrize("regularizer", REGULARIZERS_OF)
@pytest.mark.parametrize("name", SETS)
def test_regularizers_pass_on_every_set(name, regularizer):
    """Or are refused, where the set has negative weights and R is an entropy."""
    n = 2 if name in COSTLY else 4
    R, dual_set = REGULARIZERS_OF[regularizer](n), SETS[name](n)
    if name in SIGNED and isinstance(R, sb.Entropy):
        with pytest.raises(sb.IncompatibleError, match="not negative"):
            check_regularizer(R, dual_set, n, n_points=2)
    else:
        check_regularizer(R, dual_set, n, n_points=2)


@pytest.mark.parametrize("regularizer", REGULARIZERS_OF)
@pytest.mark.parametrize("name", ["simplex", "TV ball", "positive box", "product"])
def test_regularizers_pass_on_one_loss(name, regularizer):
    check_regularizer(REGULARIZERS_OF[regularizer](1), SETS[name](1), 1, n_points=2)


@pytest.mark.parametrize("k", [1, 2, 4])
@pytest.mark.parametrize(
    "regularizer", [sb.Zero(), sb.Quadratic(0.3), sb.VonNeumann(0.01), sb.VonNeumann(1.0), sb.VonNeumann(50.0)], ids=str
)
def test_regularizers_pass_on_matrices(regularizer, k):
    check_regularizer(regularizer, sb.Spectrahedron(), svec.length(k), n_points=3)


def symmetric(rng: np.random.Generator, *shape: int) -> np.ndarray:
    S = rng.standard_normal(shape)
    return S + S.swapaxes(-1, -2)


@pytest.mark.parametrize(("d", "k"), [(1, 1), (1, 4), (5, 1), (4, 3), (12, 6)])
def test_affine_matrices_pass(d, k):
    rng = np.random.default_rng(d)
    losses = sb.AffineMatrix(symmetric(rng, k, k), symmetric(rng, d, k, k))
    check_losses(losses)
    check_losses(losses, rng.standard_normal(d))


@pytest.mark.parametrize(("d", "k"), [(1, 1), (1, 3), (3, 2), (6, 5)])
def test_convex_matrix_functions_pass(d, k):
    """sum_i w_i^2 A_i + w_i B_i + C with A_i positive semidefinite, and exp(a'w) I."""
    rng = np.random.default_rng(k)
    R = rng.standard_normal((d, k, k))
    A, B, C, a = R @ R.transpose(0, 2, 1), symmetric(rng, d, k, k), symmetric(rng, k, k), rng.standard_normal(d)

    def fun(w):
        return np.einsum("i,ijk->jk", w**2, A) + np.einsum("i,ijk->jk", w, B) + C + np.exp(a @ w) * np.eye(k)

    def jac(w):
        return 2 * w[:, None, None] * A + B + np.exp(a @ w) * a[:, None, None] * np.eye(k)

    check_losses(sb.from_matrix_functions(fun, np.zeros(d), jac), 0.3 * rng.standard_normal(d))


def test_losses_are_judged_by_the_weights_of_the_set():
    """-|w|^2 with a weight that is never positive is convex; on the simplex it is not."""

    def pair(w):
        return [w @ w, -(w @ w)], [2 * w, -2 * w]

    losses = sb.from_functions(pair, np.ones(2), jac=True)
    check_losses(losses, dual_set=sb.Box([0.0, -1.0], [1.0, 0.0]))
    for dual_set in (sb.Simplex(), sb.Box(0.0, 1.0), sb.TVBall(0.3)):
        with pytest.raises(sb.testing.ContractError, match="convex"):
            check_losses(losses, dual_set=dual_set)


RARE = np.array([1e-6, 0.3, 0.7 - 1e-6])


@pytest.mark.slow
@pytest.mark.parametrize(
    "dual_set",
    [
        sb.CappedSimplex(0.3, RARE),
        sb.Contamination(0.3, RARE),
        sb.Chi2Ball(0.5, RARE),
        sb.TVBall(0.5, RARE),
        sb.KLBall(0.5, RARE),
        sb.Contamination(1e-6),
        sb.Contamination(1 - 1e-12, RARE),
        sb.Chi2Ball(1e-6),
        sb.TVBall(1e-6),
        sb.KLBall(1e-6),
        sb.Box(999.0, 1000.0),
        sb.Ball(1000.0, 1e-3),
    ],
    ids=str,
)
def test_sets_of_extreme_shape_raise_no_false_alarm(dual_set: sb.DualSet) -> None:
    """Curvatures of very different size, and sets so small that what varies on them is close to rounding."""
    check_dual_set(dual_set, 3, n_points=8)
    for regularizer in (sb.Zero(), sb.Quadratic(0.1), sb.Entropy(0.1)):
        check_regularizer(regularizer, dual_set, 3, n_points=8)
