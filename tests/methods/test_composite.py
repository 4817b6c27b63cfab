"""The composite model: a second-order model of every loss, minimized by (D)."""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path

import cvxpy as cp
import numpy as np
import pytest
from checkpoints import bits, forge, quiet_solve
from hypothesis import given
from hypothesis import strategies as st

import saddleback as sb
from saddleback.engine.oracle import Oracle
from saddleback.machine.clock import Clock
from saddleback.methods import composite_model, loss_hessians, model_dual
from saddleback.methods.composite_model import CompositeModel, minimize_model
from saddleback.methods.loss_hessians import LossHessians
from saddleback.methods.model_dual import maximize_dual
from saddleback.methods.newton import Newton
from saddleback.subproblem import Auto


class Polynomials:
    """f_j = b_j'w + 1/2 w'A_j w + c_j/4 |w|^4; convex where the A_j are."""

    def __init__(self, seed: int, J: int, d: int, *, least: float = 0.1, quartic: float = 1.0, unit: float = 1.0):
        rng = np.random.default_rng(seed)
        self.n_losses, self.n_params = J, d
        self.b = unit * rng.standard_normal((J, d))
        Q = np.linalg.qr(rng.standard_normal((J, d, d)))[0]
        self.A = unit * (Q * rng.uniform(least, 3.0, (J, 1, d))) @ Q.transpose(0, 2, 1)
        self.c = unit * quartic * rng.uniform(0.5, 2.0, J)
        self.asked: list[list[int]] = []

    def evaluate(self, w):
        Aw, square = self.A @ w, w @ w
        return self.b @ w + 0.5 * Aw @ w + self.c * square**2 / 4, self.b + Aw + np.outer(self.c * square, w)

    def hessian(self, w, lam):
        return np.tensordot(lam, self.loss_hessians(w, np.arange(self.n_losses)), 1)

    def loss_hessians(self, w, which):
        self.asked.append(which.tolist())
        quartic = w @ w * np.eye(self.n_params) + 2 * np.outer(w, w)
        return self.A[which] + self.c[which, None, None] * quartic


def table(seed: int = 0, n: int = 300, d: int = 4, J: int = 3, **options) -> sb.GroupedLinear:
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    y = (X @ rng.standard_normal(d) + rng.standard_normal(n) > 0).astype(int)
    return sb.GroupedLinear(X, y, rng.integers(0, J, n), **{"l2": 1e-3, **options})


def oracle_of(losses: object, w0: np.ndarray, **parts) -> Oracle:
    return Oracle(sb.Problem(losses, **parts), Auto(), w0, 1e-9, Clock())


@given(
    seed=st.integers(0, 10**6),
    J=st.integers(2, 6),
    d=st.integers(1, 5),
    sigma=st.sampled_from([0.0, 0.3]),
    gamma=st.sampled_from([0.0, 0.1]),
)
def test_the_model_is_minimized(seed: int, J: int, d: int, sigma: float, gamma: float) -> None:
    """Against Clarabel, on the simplex: min over (p, t) of t (+ the conjugate of R) with J quadratic constraints."""
    losses, w0 = Polynomials(seed, J, d), np.random.default_rng(seed).standard_normal(d)
    oracle = oracle_of(losses, w0, regularizer=sb.Quadratic(gamma))
    at = oracle.evaluate(w0)
    H = LossHessians.all_at(oracle, w0)
    model = CompositeModel(H, np.full(J, 1 / J))
    system = model.system(at.G, sigma)
    assert system is not None
    minimum = minimize_model(oracle, at, model, system, sigma, 1e-12, at.lam, 1e-15)
    p, u = cp.Variable(d), cp.Variable(J)
    model_losses = cp.hstack(
        [at.f[j] + at.G[j] @ p + 0.5 * cp.quad_form(p, cp.psd_wrap(A)) for j, A in enumerate(H.rows.reshape(J, d, d))]
    )
    t = cp.Variable()
    # h(z) = min over t and u of t + <u, 1>/J + |u|^2/(2 gamma) with z - u <= t.
    smooth = cp.sum_squares(u) / (2 * gamma) + cp.sum(u) / J if gamma > 0 else 0.0
    constraints = [model_losses - (u if gamma > 0 else 0.0) <= t]
    optimum = cp.Problem(cp.Minimize(t + smooth + 0.5 * sigma * cp.sum_squares(p)), constraints).solve("CLARABEL")
    assert minimum.point.value >= optimum - 1e-6
    if minimum.complete:
        share = composite_model.CONTROL.accuracy
        assert minimum.point.value - optimum <= share * (at.value - optimum) + 1e-6
    exact = at.f + at.G @ minimum.point.p + 0.5 * H.times(minimum.point.p) @ minimum.point.p
    np.testing.assert_allclose(minimum.point.f, exact, rtol=1e-12, atol=1e-12)


@given(seed=st.integers(0, 10**6), J=st.integers(2, 5), d=st.integers(2, 6), sigma=st.sampled_from([0.0, 1e-3]))
def test_the_dual_of_the_model_is_maximized_where_a_loss_is_flat(seed: int, J: int, d: int, sigma: float) -> None:
    """The first loss has curvature along one direction, and a penalty of 1e-4: against Clarabel."""
    rng = np.random.default_rng(seed)
    losses, w0 = Polynomials(seed, J, d, quartic=0.0), np.zeros(d)
    flat = rng.standard_normal(d)
    losses.A[0] = np.outer(flat, flat) + 1e-4 * np.eye(d)
    oracle = oracle_of(losses, w0)
    at = oracle.evaluate(w0)
    H = LossHessians.all_at(oracle, w0)
    model = CompositeModel(H, 0.999 * np.eye(J)[0] + 0.001 / J)
    system = model.system(at.G, sigma)
    assert system is not None
    first = minimize_model(oracle, at, model, system, sigma, 1e-12, at.lam, 1e-15)
    minimum = maximize_dual(oracle, at, model, sigma, 1e-12, 1e-15, first)
    p, t = cp.Variable(d), cp.Variable()
    constraints = [at.G[j] @ p + 0.5 * cp.quad_form(p, cp.psd_wrap(A)) <= t for j, A in enumerate(losses.A)]
    with warnings.catch_warnings():
        # Clarabel reaches half of its digits on some of these.
        warnings.filterwarnings("ignore", "Solution may be inaccurate")
        optimum = cp.Problem(cp.Minimize(t + 0.5 * sigma * cp.sum_squares(p)), constraints).solve("CLARABEL")
    assert minimum.complete
    assert minimum.point.value <= first.point.value
    scale = 1 + abs(optimum)
    assert optimum - 1e-5 * scale <= minimum.point.value
    assert minimum.point.value - optimum <= composite_model.CONTROL.accuracy * (at.value - optimum) + 1e-5 * scale


@pytest.mark.parametrize("sigma", [0.0, 0.4])
def test_the_dual_of_the_model_is_its_least_lagrangian(sigma: float) -> None:
    """min over p of <lam, f + G p + 1/2 [p'H_j p]_j> + sigma/2 |p|^2 - R(lam), for quadratics in closed form."""
    losses, w0 = Polynomials(1, 3, 4, quartic=0.0), np.ones(4)
    oracle = oracle_of(losses, w0, regularizer=sb.Quadratic(0.2))
    at = oracle.evaluate(w0)
    model = CompositeModel(LossHessians.all_at(oracle, w0), np.full(3, 1 / 3))
    lam = np.array([0.2, 0.5, 0.3])
    point = model_dual._dual_point(oracle, at, model, sigma, lam)
    assert point is not None
    P, slope = np.tensordot(lam, losses.A, 1) + sigma * np.eye(4), lam @ at.G
    least = lam @ at.f - 0.5 * slope @ np.linalg.solve(P, slope) - oracle.adversary.regularizer.value(lam)
    assert point.value == pytest.approx(least)


@pytest.mark.parametrize("seed", range(40))
def test_a_worst_group_of_two_rows_takes_tens_of_iterations(seed: int) -> None:
    """Two rows give curvature along two directions of twelve, and the other groups' small weights decide the rest."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((122, 12)) * (rng.random((122, 12)) < 0.3)
    y = rng.poisson(np.exp(np.clip(X @ rng.standard_normal(12), -3, 3)))
    losses = sb.GroupedLinear(X, y, np.repeat([0, 1, 2], [60, 60, 2]), loss="poisson", l2=1e-6)
    result = sb.solve(sb.Problem(losses), method="newton", max_iter=60)
    assert result.certified


def test_quadratic_losses_take_few_steps() -> None:
    """The model is exact: only the accuracy of its minimization is left to the next step."""
    for seed in range(10):
        result = sb.solve(sb.Problem(Polynomials(seed, 4, 5, quartic=0.0)), method="newton", w0=np.ones(5), tol=1e-10)
        assert result.success
        assert result.n_evals <= 20
        assert result.history.value.size <= 5


@pytest.mark.parametrize("regularizer", [sb.Zero(), sb.Quadratic(0.01), sb.Entropy(0.1)], ids=repr)
@pytest.mark.parametrize("dual_set", [sb.Simplex(), sb.CappedSimplex(0.6), sb.Contamination(0.4)], ids=repr)
def test_same_optimum_as_with_the_sum_of_hessians(dual_set: sb.DualSet, regularizer: sb.Regularizer) -> None:
    losses = table()
    problem = sb.Problem(losses, dual_set=dual_set, regularizer=regularizer)
    composite = sb.solve(problem, method="newton", tol=1e-10)
    other = sb.solve(problem, method="quasi-newton", tol=1e-10)
    assert composite.certified
    assert composite.value == pytest.approx(other.value, abs=1e-9)


def test_only_hessians_of_losses_with_a_weight_are_computed_again() -> None:
    losses = Polynomials(3, 8, 3)
    result = sb.solve(sb.Problem(losses), method="newton", w0=np.full(3, 2.0), tol=1e-10)
    first, *later = losses.asked
    assert first == list(range(8))
    active = set(np.flatnonzero(result.dual > 1e-6).tolist())
    assert len(active) < 8
    assert set(later[-1]) == active


def test_a_null_step_computes_no_hessian_twice() -> None:
    losses, w0 = Polynomials(3, 8, 3), np.ones(3)
    oracle = oracle_of(losses, w0)
    H = LossHessians.all_at(oracle, w0)
    losses.asked.clear()
    assert H.at(oracle, w0, np.full(8, 1 / 8)) is H
    lam = np.eye(8)[2]
    moved = H.at(oracle, 2 * w0, lam)
    again = moved.at(oracle, 2 * w0, (lam + np.eye(8)[5]) / 2)
    assert losses.asked == [[2], [5]]
    assert moved.cover(lam)
    assert not moved.cover(np.full(8, 1 / 8))
    np.testing.assert_array_equal(again.rows[: 2 * 3], H.rows[: 2 * 3])
    np.testing.assert_array_equal(again.weighted(lam), losses.loss_hessians(2 * w0, np.array([2]))[0])


def test_a_run_goes_on_from_its_file_to_the_same_bits(tmp_path: Path) -> None:
    problem = sb.Problem(table(J=5), regularizer=sb.Quadratic(0.001))
    options = {"method": "newton", "w0": np.full(5, 3.0), "tol": 1e-11}
    whole = quiet_solve(problem, **options)
    assert whole.n_iter > 3
    for stop in range(1, whole.n_iter):
        path = tmp_path / f"{stop}.ckpt"
        quiet_solve(problem, **options, checkpoint=path, max_iter=stop)
        assert bits(quiet_solve(problem, **options, checkpoint=path, resume=True)) == bits(whole)


def test_hessians_of_another_size_in_a_file_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "run.ckpt"
    problem = sb.Problem(table())
    quiet_solve(problem, method="newton", checkpoint=path, max_iter=2)
    forge(path, lambda texts, arrays, sizes: arrays.update({"state.hessians.rows": np.zeros((7, 5))}))
    with pytest.raises(sb.ProblemError, match="7 rows for 3 Hessians of 5 parameters"):
        sb.solve(problem, method="newton", checkpoint=path, resume=True)


@pytest.mark.parametrize("unit", [1e-100, 1e-10, 1e10, 1e100])
def test_units_of_the_losses_do_not_matter(unit: float) -> None:
    def run(unit: float) -> sb.Result:
        return sb.solve(sb.Problem(Polynomials(1, 4, 3, unit=unit)), method="newton", w0=np.ones(3), tol=1e-10 * unit)

    result, expected = run(unit), run(1.0)
    assert result.n_iter == expected.n_iter
    np.testing.assert_allclose(result.w, expected.w, rtol=1e-7)


@given(seed=st.integers(0, 10**6))
def test_losses_that_are_not_convex_end_without_a_false_certificate(seed: int) -> None:
    losses = Polynomials(seed, 3, 3, least=-3.0)
    result = quiet_solve(sb.Problem(losses), method="newton", w0=np.full(3, 0.5), tol=1e-8, max_iter=60)
    assert (np.diff(result.history.value) <= 0).all()
    rng = np.random.default_rng(seed)
    lowest = min(losses.evaluate(w)[0].max() for w in result.w + 0.3 * rng.standard_normal((200, 3)))
    assert not result.certified or lowest >= result.value - 1e-7


def test_the_sum_of_hessians_is_taken_where_it_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    """One loss, weights that cannot change, and Hessians beyond the limit."""
    for losses, dual_set in ((Polynomials(0, 1, 3), sb.Simplex()), (Polynomials(0, 3, 3), sb.Contamination(0.0))):
        oracle = oracle_of(losses, np.ones(3), dual_set=dual_set)
        state = Newton().init(oracle, np.ones(3))
        assert Newton().step(oracle, state).hessians is None
    small = replace(loss_hessians.CONTROL, most_entries=26)
    monkeypatch.setattr(loss_hessians, "CONTROL", small)
    oracle = oracle_of(Polynomials(0, 3, 3), np.ones(3))
    assert Newton().step(oracle, Newton().init(oracle, np.ones(3))).hessians is None
