"""The two forms of BFGS: the same matrix, the same steps."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from theory.tolerances import EPS

from saddleback.linalg.gram import orthonormal
from saddleback.methods.bfgs import DenseBFGS
from saddleback.methods.limited_bfgs import LimitedBFGS

ACCURATE = 1e5 * EPS


def pairs(rng: np.random.Generator, d: int, k: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Pairs of a positive definite H."""
    H = np.cov(rng.standard_normal((d, 4 * d))) + 0.1 * np.eye(d)
    return [(s, H @ s) for s in rng.standard_normal((k, d))]


def textbook(B: np.ndarray, of: list[tuple[np.ndarray, np.ndarray]]) -> np.ndarray:
    """Nocedal and Wright 2006, eq. 6.19, one pair after the other."""
    for s, y in of:
        Bs = B @ s
        B = B - np.outer(Bs, Bs) / (s @ Bs) + np.outer(y, y) / (y @ s)
    return B


@given(seed=st.integers(0, 10**6), d=st.integers(1, 12), k=st.integers(1, 6), sigma=st.sampled_from([0.0, 0.3, 50.0]))
def test_compact_form_is_bfgs(seed: int, d: int, k: int, sigma: float) -> None:
    rng = np.random.default_rng(seed)
    known = pairs(rng, d, k)
    limited = LimitedBFGS.start(d, 3.0)
    for s, y in known:
        limited = limited.updated(s, y, memory=k)
    P = textbook(limited.delta * np.eye(d), known) + sigma * np.eye(d)
    G, lam = rng.standard_normal((4, d)), rng.dirichlet(np.ones(4))
    system = limited.system(G, sigma)
    assert system is not None
    scale = np.linalg.cond(P)
    np.testing.assert_allclose(system.Q, G @ np.linalg.solve(P, G.T), rtol=0, atol=ACCURATE * scale * (G**2).sum())
    np.testing.assert_allclose(
        system.direction(lam), -np.linalg.solve(P, lam @ G), rtol=0, atol=ACCURATE * scale * np.abs(G).sum()
    )


@given(seed=st.integers(0, 10**6), d=st.integers(3, 12), k=st.integers(0, 5))
def test_known_directions_come_before_the_pairs(seed: int, d: int, k: int) -> None:
    rng = np.random.default_rng(seed)
    U = np.linalg.qr(rng.standard_normal((d, 2)))[0].T
    c, known = np.array([0.5, 20.0]), pairs(rng, d, k)
    limited = LimitedBFGS.start(d, 3.0)
    for s, y in known:
        limited = limited.updated(s, y, memory=10)
    B0 = limited.delta * np.eye(d) + U.T @ np.diag(c - limited.delta) @ U
    P = textbook(B0, known) + 0.1 * np.eye(d)
    G = rng.standard_normal((3, d))
    system = limited.with_gradients(U, 1).with_initial(np.eye(2), c).system(G, 0.1)
    assert system is not None
    atol = ACCURATE * np.linalg.cond(P) * (G**2).sum()
    np.testing.assert_allclose(system.Q, G @ np.linalg.solve(P, G.T), rtol=0, atol=atol)


@pytest.mark.parametrize("k", [0, 1, 6])
def test_more_losses_than_parameters_get_a_factor(k: int) -> None:
    """F F' = G P^-1 G', without a matrix of the size of the losses."""
    rng = np.random.default_rng(k)
    d, known = 9, pairs(rng, 9, k)
    U, c = np.linalg.qr(rng.standard_normal((d, 2)))[0].T, np.array([0.5, 20.0])
    limited = LimitedBFGS.start(d, 3.0)
    for s, y in known:
        limited = limited.updated(s, y, memory=10)
    P = textbook(limited.delta * np.eye(d) + U.T @ np.diag(c - limited.delta) @ U, known) + 0.1 * np.eye(d)
    G, lam = rng.standard_normal((50, d)), rng.dirichlet(np.ones(50))
    system = limited.with_gradients(U, 1).with_initial(np.eye(2), c).system(G, 0.1)
    assert system is not None
    assert system.Q is None
    atol = ACCURATE * np.linalg.cond(P) * (G**2).sum()
    np.testing.assert_allclose(system.factor @ system.factor.T, G @ np.linalg.solve(P, G.T), rtol=0, atol=atol)
    np.testing.assert_allclose(system.direction(lam), -np.linalg.solve(P, lam @ G), rtol=0, atol=atol)


def test_memory_forgets_the_oldest() -> None:
    known = pairs(np.random.default_rng(0), 8, 7)
    limited = LimitedBFGS.start(8, 1.0)
    for s, y in known:
        limited = limited.updated(s, y, memory=3)
    np.testing.assert_array_equal(limited.S, [s for s, _ in known[-3:]])
    assert limited.delta == pytest.approx(np.mean([y @ y / (s @ y) for s, y in known[-3:]]))


@given(seed=st.integers(0, 10**6), d=st.integers(2, 12), k=st.integers(1, 20))
def test_dense_form_satisfies_the_secant_equation_and_stays_positive(seed: int, d: int, k: int) -> None:
    dense = DenseBFGS.start(d, 2.0)
    for s, y in pairs(np.random.default_rng(seed), d, k):
        dense = dense.updated(s, y)
        np.testing.assert_allclose(
            dense.matrix @ s, y, rtol=0, atol=ACCURATE * np.linalg.norm(dense.matrix) * np.linalg.norm(s)
        )
        assert np.linalg.eigvalsh(dense.matrix)[0] > 0


@pytest.mark.parametrize("start", [DenseBFGS.start, LimitedBFGS.start])
def test_obsolete_pairs_are_dropped(start) -> None:
    """Beside second derivatives 20 orders of magnitude larger, those of a new pair would be lost to rounding."""
    model = start(3, 1.0)
    more = {} if isinstance(model, DenseBFGS) else {"memory": 5}
    model = model.updated(np.array([1.0, 1.0, 0.0]), 1e20 * np.array([1.0, 1.0, 0.0]), **more)
    model = model.updated(np.array([0.0, 0.0, 1.0]), np.array([0.0, 0.0, 2.0]), **more)
    system = model.system(np.eye(3), 0.0)
    assert system is not None
    Q = system.Q if system.Q is not None else system.factor @ system.factor.T
    np.testing.assert_allclose(Q, np.eye(3) / 2)


def test_a_flat_direction_makes_steps_ten_times_longer() -> None:
    G = np.array([[1.0, 2.0]])
    for model in (DenseBFGS.start(2, 4.0), LimitedBFGS.start(2, 4.0)):
        before, after = model.system(G, 0.0), model.scaled_down().system(G, 0.0)
        assert before is not None
        assert after is not None
        lam = np.ones(1)
        np.testing.assert_allclose(after.direction(lam), 10 * before.direction(lam))


@given(seed=st.integers(0, 10**6), d=st.integers(1, 9), memory=st.integers(1, 4), blocks=st.integers(0, 6))
def test_inner_products_follow_the_rows(seed: int, d: int, memory: int, blocks: int) -> None:
    """After any order of pairs, gradients and removals the Gram matrix is that of the rows which are left."""
    rng = np.random.default_rng(seed)
    limited = LimitedBFGS.start(d, 3.0)
    for s, y in pairs(rng, d, 8):
        kind, rows = rng.integers(5), rng.standard_normal((2, d))
        if kind == 0 and blocks:
            limited = limited.with_gradients(rows, blocks)
        elif kind == 1 and limited.gradients:
            limited = limited.without_gradients(int(rng.choice([-1, 1])))
        elif kind == 2:
            limited = limited.scaled_down()
        elif kind == 3 and blocks:
            limited = limited.updated(s, y, memory, rows, blocks)
            np.testing.assert_array_equal(limited.gradients[-1], rows)
        else:
            limited = limited.updated(s, y, memory)
        assert len(limited.S) <= memory
        assert len(limited.gradients) <= blocks
        Z = np.concatenate((limited.S, limited.Y, *limited.gradients))
        np.testing.assert_allclose(limited.gram, Z @ Z.T, rtol=0, atol=ACCURATE * (1 + (Z**2).sum()))


def test_gradients_that_end_with_the_jacobian_give_the_same_system() -> None:
    rng = np.random.default_rng(5)
    d, G, lam = 12, rng.standard_normal((3, 12)), np.array([0.2, 0.5, 0.3])
    limited = LimitedBFGS.start(d, 3.0).with_gradients(rng.standard_normal((2, d)), 4)
    for s, y in pairs(rng, d, 5):
        limited = limited.updated(s, y, memory=3)
    limited = limited.with_gradients(G, 4)
    E = orthonormal(limited.gram[6:, 6:], 1e-8)
    model = limited.with_initial(E, np.arange(1.0, 6.0))
    known, computed = model.system(G, 0.1), model.system(G * (1 + 1e-13), 0.1)
    assert known is not None
    assert computed is not None
    np.testing.assert_allclose(known.Q, computed.Q, rtol=1e-9)
    np.testing.assert_allclose(known.direction(lam), computed.direction(lam), rtol=1e-9)
    np.testing.assert_allclose(known.Q @ lam, -G @ known.direction(lam), rtol=1e-9)
