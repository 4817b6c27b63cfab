"""Algorithm 1 to the letter: against a plain implementation, the paper's bound, its stop and its answer."""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass, field, replace
from itertools import combinations, pairwise
from types import SimpleNamespace

import numpy as np
import pytest
from problems import Convex, oracle_of, paper_logistic, quadratics, random_quadratics
from theory.tolerances import EPS, ROUNDING, accumulated

import saddleback as sb
from saddleback.engine.convexity_sampling import ConvexitySample
from saddleback.methods import AlgorithmOne
from saddleback.subproblem import DualSolution, DualSubproblem, TrustConstr

GAMMA = 0.05


@dataclass(frozen=True, eq=False)
class Recorder:
    """The method's own inner solver, with what was asked of it and what it answered."""

    asked: list[tuple[DualSubproblem, float, DualSolution]] = field(default_factory=list)
    name: str = "recorder"

    def solve(self, subproblem: DualSubproblem, tol: float, start: np.ndarray | None = None) -> DualSolution:
        assert start is None, "the paper's subproblems are not warm-started"
        solution = AlgorithmOne.own_inner.solve(subproblem, tol)
        self.asked.append((subproblem, tol, solution))
        return solution


def exact_qp(Q: np.ndarray, c: np.ndarray, gamma: float) -> np.ndarray:
    """argmin over the simplex of 1/2 lam'Q lam - c'lam + gamma/2 |lam - 1/J|^2: the best KKT point of a support."""
    J, best, least = len(c), None, np.inf
    H, b = Q + gamma * np.eye(J), c + gamma / J
    for k in range(1, J + 1):
        for support in map(list, combinations(range(J), k)):
            system = np.block([[H[np.ix_(support, support)], np.ones((k, 1))], [np.ones((1, k)), np.zeros((1, 1))]])
            lam = np.zeros(J)
            lam[support] = np.linalg.lstsq(system, np.append(b[support], 1.0), rcond=None)[0][:k]
            value = 0.5 * lam @ H @ lam - b @ lam
            if lam.min() >= -1e-12 and abs(lam.sum() - 1) < 1e-9 and value < least:
                best, least = lam, value
    assert best is not None
    return best


def plain_step(losses: Convex, gamma: float, w: np.ndarray, ag: np.ndarray, A: float, L: float):
    """One pass of the loop of Algorithm 1, from the paper's text."""
    alpha = (1 + np.sqrt(1 + 4 * L * A)) / (4 * L)
    A_new = A + alpha
    md = A / A_new * ag + alpha / A_new * w
    f, G = losses.evaluate(md)
    lam = exact_qp(alpha**2 / A_new * G @ G.T, f, gamma)
    w_new = w - alpha * G.T @ lam
    return w_new, A / A_new * ag + alpha / A_new * w_new, A_new


INSTANCES = {
    "quadratics": random_quadratics(0, J=3, d=4),
    "logistic": paper_logistic(seed=1, d=20, J=4, N=50),
}
N_STEPS = {"quadratics": 25, "logistic": 25}


def states_of(losses: Convex, gamma: float, n_steps: int, inner: object = None):
    method = AlgorithmOne(smoothness=losses.L)
    R = sb.Quadratic(gamma) if gamma else sb.Zero()
    oracle = oracle_of(losses, R, inner=AlgorithmOne.own_inner if inner is None else inner, w0=np.ones(losses.n_params))
    states = [method.init(oracle, oracle.w0)]
    for _ in range(n_steps):
        states.append(method.step(oracle, states[-1]))
    return oracle, states


@pytest.mark.parametrize("gamma", [0.0, GAMMA])
@pytest.mark.parametrize("name", INSTANCES)
def test_every_step_is_that_of_the_plain_implementation(name, gamma):
    """From the same state. A lam of gap e moves w+ by at most alpha sqrt(2 e A)/alpha: (D) is (alpha^2/A)-strongly
    convex in G' lam, and its optimality gap is at most e."""
    losses, L = INSTANCES[name], INSTANCES[name].L
    _, states = states_of(losses, gamma, N_STEPS[name])
    assert np.array_equal(states[0].w, states[0].point.w)
    for before, after in pairwise(states):
        w, ag, A = plain_step(losses, gamma, before.w, before.point.w, before.A, L)
        size = float(np.abs(after.point.f).max() + np.abs(w).max())
        moved = np.sqrt(2 * A * (after.inner_gap + ROUNDING * size)) + ROUNDING * size
        assert abs(after.A - A) <= ROUNDING * A
        assert np.linalg.norm(after.w - w) <= moved
        # ag+ moves by alpha/A of that, which is at most 1.
        assert np.linalg.norm(after.point.w - ag) <= (A - before.A) / A * moved + ROUNDING * size


@pytest.mark.parametrize("gamma", [0.0, GAMMA])
@pytest.mark.parametrize("name", INSTANCES)
def test_the_bound_of_the_theorem_holds_with_the_papers_accuracies(name, gamma):
    """g(ag_{T+1}) - g(w) <= (|w - w_1|^2/2 + sum A_t eps_t)/A_T with eps_t = L/t^4, for several w and every T."""
    losses, recorder = INSTANCES[name], Recorder()
    oracle, states = states_of(losses, gamma, N_STEPS[name], recorder)
    eps = [tol if solution.converged else max(tol, solution.gap) for _, tol, solution in recorder.asked]
    assert [tol for _, tol, _ in recorder.asked] == [losses.L / t**4 for t in range(1, len(states))]
    assert sum(solution.converged for *_, solution in recorder.asked) >= 15
    A = np.array([state.A for state in states[1:]])
    values = np.array([state.point.value for state in states[1:]])
    near = sb.solve(oracle.problem, oracle.w0, tol=1e-9).w
    for w in (near, oracle.w0, 0.5 * (near + oracle.w0)):
        bound = (0.5 * (w - oracle.w0) @ (w - oracle.w0) + np.cumsum(A * eps)) / A
        slack = [accumulated(t, 1.0 + abs(v)) for t, v in enumerate(values)]
        assert np.all(values - oracle.problem.value(w) <= bound + slack)


def conditions_hold(subproblem: DualSubproblem, lam: np.ndarray, tol: float) -> bool:
    """Whether some 1/tau <= eps_tau satisfies the lemma's conditions at lam, up to rounding, by search over 1/tau."""
    J, gradient = len(lam), subproblem.gradient(lam)
    if lam.min() <= 0:
        return False
    inverse = tol / (2 * J) * np.append(0.0, np.geomspace(1e-9, 1.0, 4000))
    r = gradient - inverse[:, None] / lam
    return bool((0.5 * np.ptp(r, axis=1)).min() <= tol / 4 * 1.01 + ROUNDING * subproblem.scale)


def test_the_stop_is_the_lemmas_and_bounds_the_frank_wolfe_gap():
    """Each lam that counts as solved satisfies the KKT conditions, so that its gap is at most J eps_tau + 2 eps_g. The
    measured gap alone is reached earlier: SciPy's run that stops on it violates the conditions on most subproblems."""
    recorder = Recorder()
    states_of(INSTANCES["logistic"], GAMMA, 15, recorder)
    violated = 0
    for subproblem, tol, solution in recorder.asked:
        if not solution.converged:
            continue
        J = len(solution.lam)
        assert subproblem.frank_wolfe_gap(solution.lam) <= J * tol / (2 * J) + 2 * tol / 4 + ROUNDING * subproblem.scale
        assert conditions_hold(subproblem, solution.lam, tol)
        violated += not conditions_hold(subproblem, TrustConstr().solve(subproblem, tol).lam, tol)
    assert violated >= 5


def test_accuracies_are_not_raised_to_what_float64_can_reach():
    """At t = 10^4, L/t^4 is below the rounding of (D): it is asked for, missed, counted, and the run goes on."""
    losses, recorder = INSTANCES["logistic"], Recorder()
    oracle, states = states_of(losses, 0.0, 3, recorder)
    late = replace(states[-1], t=10_000 - 1)
    after = AlgorithmOne(smoothness=losses.L).step(oracle, late)
    subproblem, tol, solution = recorder.asked[-1]
    assert tol == losses.L / 10_000**4
    assert tol < subproblem.rounding_floor
    assert not solution.converged
    assert "rounding" in solution.message
    assert solution.gap <= 1e-3 * subproblem.scale
    assert np.isfinite(after.w).all()
    problem = sb.Problem(losses)
    with pytest.warns(sb.ConvergenceWarning, match=r"\d+ dual subproblems ended above the requested gap"):
        sb.solve(problem, method=AlgorithmOne(smoothness=1e-9 * losses.L), max_iter=2, tol=0.0)


def bowl() -> Convex:
    """Two parabolas with the same minimum, 0: with the first alone, ag overshoots it again and again."""
    return quadratics(np.array([[[1.0]], [[0.5]]]), np.zeros((2, 1)), np.zeros(2))


def test_the_answer_is_the_last_point_also_where_an_earlier_one_was_lower():
    losses, seen = bowl(), []
    _, states = states_of(losses, 0.0, 12)
    values = [state.point.value for state in states]
    T = next(t for t in range(2, 13) if values[t] > 2 * min(values[:t]) and values[t] > 1e-6)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sb.ConvergenceWarning)
        result = sb.solve(
            sb.Problem(losses),
            np.ones(1),
            method=AlgorithmOne(smoothness=losses.L),
            tol=0.0,
            max_iter=T,
            callback=seen.append,
        )
    assert result.n_iter == T
    np.testing.assert_array_equal(result.w, states[T].point.w)
    assert result.value == values[T] == result.history.value[-1] > result.history.value.min()
    np.testing.assert_array_equal(result.history.value, values[: T + 1])
    assert [now.value for now in seen] == values[: T + 1]
    np.testing.assert_array_equal(seen[-1].w, result.w)
    # The certificate is that of the returned point: the optimum 0 lies within it.
    assert result.lower_bound <= 0.0 <= result.value
    assert result.gap == result.value - result.lower_bound
    assert result.history.gap[-1] == result.gap


def test_a_run_converges_by_its_certificate():
    losses = INSTANCES["quadratics"]
    R = sb.Quadratic(GAMMA)
    result = sb.solve(sb.Problem(losses, regularizer=R), method=AlgorithmOne(smoothness=losses.L), tol=1e-3)
    reference = sb.solve(sb.Problem(losses, regularizer=R), tol=1e-9)
    assert result.certified
    assert result.lower_bound - EPS <= reference.value <= result.value <= reference.value + 1e-3


@pytest.mark.parametrize(
    ("problem", "options", "message"),
    [
        ({"dual_set": sb.CappedSimplex(0.5)}, {}, "algorithm-1 needs a dual set of type Simplex; CappedSimplex"),
        ({"regularizer": sb.Entropy(0.1)}, {}, "algorithm-1 needs a regularizer with a quadratic form"),
        (
            {},
            {"method": "algorithm-1"},
            "algorithm-1 needs losses with smoothness(); Unused has no 'smoothness', and no L is given, as in",
        ),
        ({}, {"inner": "qp"}, "algorithm-1 solves (D) by TrustConstr(max_iter=500, stop='kkt'), as a part of"),
        ({}, {"inner": "trust-constr"}, "Leave inner at 'auto', or use Accelerated(steps='paper'"),
    ],
)
def test_what_it_does_not_solve_is_refused_before_work(problem, options, message):
    class Unused:
        n_losses, n_params = 4, 3

        def evaluate(self, w):
            pytest.fail("evaluated")

    with pytest.raises(sb.IncompatibleError, match=re.escape(message)) as caught:
        sb.solve(sb.Problem(Unused(), **problem), **{"method": AlgorithmOne(smoothness=1.0), **options})
    assert re.search(r"\. (Use|Leave|Give) ", str(caught.value)), "no remedy"


def test_affine_losses_have_no_L_to_take():
    losses = sb.from_functions(lambda w: ([w[0], -w[0]], [[1.0], [-1.0]]), np.zeros(1), jac=True)
    losses = type(
        "Affine", (), {"n_losses": 2, "n_params": 1, "evaluate": losses.evaluate, "smoothness": lambda _: 0.0}
    )()
    with pytest.raises(sb.IncompatibleError, match="algorithm-1 needs L > 0"):
        sb.solve(sb.Problem(losses), method="algorithm-1")


def test_the_own_inner_solver_may_be_named():
    losses = INSTANCES["quadratics"]
    problem, method = sb.Problem(losses), AlgorithmOne(smoothness=losses.L)
    first, second = (sb.solve(problem, method=method, inner=i, tol=0.1) for i in ("auto", sb.TrustConstr(stop="kkt")))
    assert first.value == second.value


@pytest.mark.parametrize("found", ["by samples", "along a flat step"])
def test_a_lower_point_found_elsewhere_does_not_start_it_again(found, monkeypatch):
    """Other methods take a lower point that the run has found before its end, and start again there."""
    # Without a known strong convexity the bound is about a region, so that a probe looks for flat directions.
    losses, calls = replace(bowl(), strong_convexity=0.0), []
    _, states = states_of(losses, 0.0, 8)
    problem = sb.Problem(losses)
    lowest = oracle_of(losses).evaluate(np.zeros(1))

    def sampled(*arguments):
        calls.append(arguments)
        return ConvexitySample("the losses are not convex", lowest.point)

    def flat(*arguments):
        calls.append(arguments)
        return SimpleNamespace(value=-np.inf, point=lowest.point)

    name, stand_in = {
        "by samples": ("sample_convexity", sampled),
        "along a flat step": ("lower_along_flat_step", flat),
    }[found]
    monkeypatch.setattr(f"saddleback.engine.stop_decision.{name}", stand_in)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sb.ConvergenceWarning)
        result = sb.solve(problem, np.ones(1), method=AlgorithmOne(smoothness=losses.L), tol=0.2, max_iter=8)
    assert calls, "no lower point was offered"
    np.testing.assert_array_equal(result.history.value, [state.point.value for state in states][: result.n_iter + 1])
    np.testing.assert_array_equal(result.w, states[result.n_iter].point.w)
