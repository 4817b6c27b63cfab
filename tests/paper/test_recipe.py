"""The data of the paper's experiments."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import log1p

import saddleback as sb
from saddleback.paper import Recipe
from saddleback.paper.recipe import SLACK


def test_moments_are_the_papers() -> None:
    """x ~ N(0.1 mu_j, I/d) with mu_j ~ N(0, I/d): the mean of a group has length about 0.1, its rows variance 1/d."""
    d, J, N = 40, 3, 4000
    data = Recipe(d, J, N, seed=1).generate()
    X = data.X.reshape(J, N, d).astype(float)
    np.testing.assert_allclose(X.var(axis=1).mean() * d, 1.0, atol=5 * np.sqrt(2 / (J * N * d)))
    lengths = np.linalg.norm(X.mean(axis=1), axis=1)
    # |0.1 mu_j|^2 = 0.01 chi2_d/d, and the mean of N rows adds 1/N to it.
    np.testing.assert_allclose(lengths**2, 0.01 + 1 / N, rtol=5 * np.sqrt(2 / d))
    assert set(np.unique(data.y)) == {-1.0, 1.0}
    assert (np.diff(data.groups) >= 0).all()


def test_labels_follow_the_true_weights_as_far_as_the_noise_lets_them() -> None:
    """P(y = sign <x, w>) = 1/2 + arctan(s)/pi where <x, w> has the standard deviation s and the noise 1; d small."""
    data = Recipe(4, 1, 20_000, seed=0).generate()
    w_true = np.random.default_rng(0).normal(scale=np.sqrt(20 / 4), size=4)
    margins = data.X.astype(float) @ w_true
    agreement = (np.sign(margins) == data.y).mean()
    assert agreement == pytest.approx(0.5 + np.arctan(margins.std()) / np.pi, abs=0.02)


def test_seeded_and_of_the_asked_precision() -> None:
    small = Recipe(7, 2, 5, seed=3)
    np.testing.assert_array_equal(small.generate().X, small.generate().X)
    assert not np.array_equal(small.generate().X, Recipe(7, 2, 5, seed=4).generate().X)
    assert small.generate().X.dtype == np.float32
    assert Recipe(7, 2, 5, dtype="float64").generate().X.dtype == np.float64
    assert small.nbytes == small.generate().X.nbytes


def test_losses_are_the_papers_formula() -> None:
    data = Recipe(6, 3, 20, seed=0, dtype="float64").generate()
    w = np.random.default_rng(0).standard_normal(6)
    expected = [log1p(np.exp(-data.y * (data.X @ w)))[data.groups == j].mean() for j in range(3)]
    np.testing.assert_allclose(data.losses.evaluate(w)[0], expected, rtol=1e-12)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_L_is_the_papers_from_above_and_tight(dtype: str) -> None:
    data = Recipe(60, 4, 80, seed=5, dtype=dtype).generate()
    groups = data.X.astype(float).reshape(4, 80, 60)
    L = max(np.linalg.norm(X, 2) ** 2 / (4 * 80) for X in groups)
    assert L <= data.L <= SLACK * L * (1 + 1e-6)
    # The library's own bound is coarser.
    assert data.L <= data.losses.smoothness() <= 1.1 * L


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"d": 0}, "d must be a whole number >= 1; got 0"),
        ({"J": 2.5}, "J must be a whole number >= 1; got 2.5"),
        ({"N": True}, "N must be a whole number"),
        ({"seed": -1}, "seed must be a whole number >= 0; got -1"),
        ({"dtype": "int8"}, "dtype must be one of float32, float64; got 'int8'"),
    ],
)
def test_bad_recipes_are_refused(change: dict[str, object], message: str) -> None:
    with pytest.raises(sb.ProblemError, match=message):
        Recipe(**({"d": 3, "J": 2, "N": 4} | change))
