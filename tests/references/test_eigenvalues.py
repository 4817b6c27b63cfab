"""Largest eigenvalues: graphs with known bounds, and CVXPY with Clarabel."""

from __future__ import annotations

import warnings
from itertools import combinations

import cvxpy as cp
import numpy as np
import pytest
from scipy.linalg import null_space
from scipy.sparse import coo_array, csr_array, csr_matrix

import saddleback as sb
from saddleback.linalg import svec

ACCURACY = 1e-6
ROUNDING = 1e-9
TIGHT = {"tol_gap_abs": 1e-10, "tol_gap_rel": 1e-10, "tol_feas": 1e-10}


def clarabel(problem: cp.Problem) -> float:
    with warnings.catch_warnings():
        # Clarabel may miss 1e-10 and say so; the comparison is to 1e-6.
        warnings.filterwarnings("ignore", message="Solution may be inaccurate")
        problem.solve(solver=cp.CLARABEL, **TIGHT)
    assert problem.status in (cp.OPTIMAL, cp.OPTIMAL_INACCURATE)
    return float(problem.value)


def check_dual(result: sb.Result, k: int) -> None:
    """A density matrix to rounding."""
    assert result.dual.shape == (k, k)
    assert np.array_equal(result.dual, result.dual.T)
    assert abs(np.trace(result.dual) - 1) <= 1e-14
    assert np.linalg.eigvalsh(result.dual)[0] >= -1e-15


def check_certified(result: sb.Result, truth: float) -> None:
    assert result.success, result.message
    assert result.gap <= ACCURACY
    assert result.value == pytest.approx(truth, abs=ACCURACY)
    assert result.lower_bound - ROUNDING <= truth <= result.value + ROUNDING


# --- graphs -----------------------------------------------------------------------------------------------------------

Edges = list[tuple[int, int]]


def cycle(n: int) -> tuple[int, Edges]:
    return n, [(i, (i + 1) % n) for i in range(n)]


def kneser(n: int, k: int) -> tuple[int, Edges]:
    """Subsets of size k, adjacent where they are disjoint."""
    subsets = list(combinations(range(n), k))
    pairs = combinations(range(len(subsets)), 2)
    return len(subsets), [(i, j) for i, j in pairs if not set(subsets[i]) & set(subsets[j])]


def petersen() -> tuple[int, Edges]:
    """A pentagon, a pentagram, and spokes between them."""
    outer = [(i, (i + 1) % 5) for i in range(5)]
    return 10, outer + [(5 + i, 5 + (i + 2) % 5) for i in range(5)] + [(i, 5 + i) for i in range(5)]


def complete(n: int) -> tuple[int, Edges]:
    return n, list(combinations(range(n), 2))


def paley(q: int) -> tuple[int, Edges]:
    squares = {x * x % q for x in range(1, q)}
    return q, [(i, j) for i, j in combinations(range(q), 2) if (j - i) % q in squares]


def complement(graph: tuple[int, Edges]) -> tuple[int, Edges]:
    n, edges = graph
    present = {frozenset(edge) for edge in edges}
    return n, [pair for pair in combinations(range(n), 2) if frozenset(pair) not in present]


def union(*graphs: tuple[int, Edges]) -> tuple[int, Edges]:
    n, edges = 0, []
    for m, more in graphs:
        edges += [(n + i, n + j) for i, j in more]
        n += m
    return n, edges


def symmetric_unit(n: int, i: int, j: int) -> np.ndarray:
    E = np.zeros((n, n))
    E[i, j] = E[j, i] = 1.0
    return E


def theta_losses(graph: tuple[int, Edges]) -> sb.AffineMatrix:
    """Ones everywhere, free entries at the edges (Lovasz 1979, Theorem 3)."""
    n, edges = graph
    # A graph without edges leaves nothing to choose: a parameter that does nothing.
    Fs = [symmetric_unit(n, i, j) for i, j in edges] or [np.zeros((n, n))]
    return sb.AffineMatrix(np.ones((n, n)), Fs)


def lovasz(graph: tuple[int, Edges]) -> sb.Result:
    losses = theta_losses(graph)
    # The optimal entries lie between -n and 1.
    radius = graph[0] * np.sqrt(losses.n_params)
    return sb.solve(sb.Problem(losses, sb.Spectrahedron()), tol=ACCURACY, radius=radius)


def odd_cycle_theta(n: int) -> float:
    return n * np.cos(np.pi / n) / (1 + np.cos(np.pi / n))


THETA = {
    "5-cycle": (cycle(5), np.sqrt(5)),
    "Petersen": (petersen(), 4.0),
    "Kneser(5, 2)": (kneser(5, 2), 4.0),
    "Kneser(6, 2)": (kneser(6, 2), 5.0),
    **{f"K{n}": (complete(n), 1.0) for n in (2, 3, 6)},
    **{f"{n} points": ((n, []), float(n)) for n in (1, 2, 7)},
    **{f"odd cycle {n}": (cycle(n), odd_cycle_theta(n)) for n in (3, 7, 9, 11)},
    "even cycle 6": (cycle(6), 3.0),
    "path of 4": ((4, [(0, 1), (1, 2), (2, 3)]), 2.0),
    "Paley 13": (paley(13), np.sqrt(13)),
    "5-cycle and triangle": (union(cycle(5), complete(3)), np.sqrt(5) + 1),
    "complement of 7-cycle": (complement(cycle(7)), 7 / odd_cycle_theta(7)),
}


@pytest.mark.parametrize("name", THETA)
def test_lovasz_theta(name):
    graph, truth = THETA[name]
    result = lovasz(graph)
    check_certified(result, truth)
    check_dual(result, graph[0])


def test_theta_of_relabelled_graphs_is_the_same():
    n, edges = cycle(7)
    order = np.random.default_rng(0).permutation(n)
    relabelled = lovasz((n, [(int(order[i]), int(order[j])) for i, j in edges]))
    assert relabelled.value == pytest.approx(lovasz((n, edges)).value, abs=ACCURACY)


def laplacian(graph: tuple[int, Edges]) -> np.ndarray:
    n, edges = graph
    A = sum(symmetric_unit(n, i, j) for i, j in edges)
    return np.diag(A.sum(axis=0)) - A


def max_cut_losses(graph: tuple[int, Edges]) -> sb.AffineMatrix:
    """n/4 (L + diag u), sum u = 0 (Delorme and Poljak 1993), u in an orthonormal basis."""
    L = laplacian(graph)
    n = len(L)
    basis = null_space(np.ones((1, n)))
    return sb.AffineMatrix(n / 4 * L, [n / 4 * np.diag(column) for column in basis.T])


MAX_CUT = {
    "5-cycle": (cycle(5), (25 + 5 * np.sqrt(5)) / 8),
    "Petersen": (petersen(), 12.5),
    "6-cycle": (cycle(6), 6.0),
    "K4": (complete(4), 4.0),
    "star": ((5, [(0, i) for i in range(1, 5)]), 4.0),
}


@pytest.mark.parametrize("start", ["zero", "random"])
@pytest.mark.parametrize("name", MAX_CUT)
def test_max_cut_bound(name, start):
    graph, truth = MAX_CUT[name]
    losses = max_cut_losses(graph)
    w0 = np.zeros(losses.n_params) if start == "zero" else np.random.default_rng(1).standard_normal(losses.n_params)
    result = sb.solve(sb.Problem(losses, sb.Spectrahedron()), w0, tol=ACCURACY, radius=10.0)
    check_certified(result, truth)
    check_dual(result, graph[0])


def test_max_cut_bound_of_a_random_graph_against_its_semidefinite_program():
    """max 1/4 tr(L X), X positive semidefinite with ones on its diagonal."""
    rng = np.random.default_rng(3)
    graph = (9, [pair for pair in combinations(range(9), 2) if rng.random() < 0.5])
    X = cp.Variable((9, 9), symmetric=True)
    truth = clarabel(cp.Problem(cp.Maximize(cp.trace(laplacian(graph) @ X) / 4), [X >> 0, cp.diag(X) == 1]))
    result = sb.solve(sb.Problem(max_cut_losses(graph), sb.Spectrahedron()), tol=ACCURACY, radius=20.0)
    assert result.gap <= ACCURACY
    assert result.value == pytest.approx(truth, abs=ACCURACY)
    assert result.lower_bound <= truth + 1e-7
    check_dual(result, 9)


# --- larger graphs, whose matrices stay sparse ------------------------------------------------------------------------


def sparse_unit(n: int, i: int, j: int) -> csr_array:
    return csr_array(([1.0, 1.0], ([i, j], [j, i])), shape=(n, n))


def sparse_theta(graph: tuple[int, Edges]) -> sb.Problem:
    n, edges = graph
    return sb.Problem(sb.AffineMatrix(np.ones((n, n)), [sparse_unit(n, i, j) for i, j in edges]), sb.Spectrahedron())


def sparse_max_cut(graph: tuple[int, Edges]) -> sb.Problem:
    """n/4 (L + diag u) with sum u = 0: the last u is minus the sum of the others."""
    L = laplacian(graph)
    n = len(L)
    Fs = [csr_array(([n / 4, -n / 4], ([i, n - 1], [i, n - 1])), shape=(n, n)) for i in range(n - 1)]
    return sb.Problem(sb.AffineMatrix(n / 4 * L, Fs), sb.Spectrahedron())


def random_graph(n: int, m: int, seed: int = 0) -> tuple[int, Edges]:
    pairs = list(combinations(range(n), 2))
    return n, [pairs[i] for i in np.random.default_rng(seed).choice(len(pairs), m, replace=False)]


LARGER = {
    "theta of the 101-cycle": (sparse_theta, cycle(101), odd_cycle_theta(101)),
    "theta of the 100-cycle": (sparse_theta, cycle(100), 50.0),
    "theta of ten Petersen graphs": (sparse_theta, union(*[petersen()] * 10), 40.0),
    "theta of K40": (sparse_theta, complete(40), 1.0),
    "theta of Kneser(8, 2)": (sparse_theta, kneser(8, 2), 7.0),
    "cut of the 100-cycle": (sparse_max_cut, cycle(100), 100.0),
    "cut of the 75-cycle": (sparse_max_cut, cycle(75), 75 * (1 + np.cos(np.pi / 75)) / 2),
    "cut of K50": (sparse_max_cut, complete(50), 625.0),
}


@pytest.mark.parametrize("name", LARGER)
def test_larger_graphs(name):
    make, graph, truth = LARGER[name]
    problem = make(graph)
    result = sb.solve(problem, tol=ACCURACY)
    assert result.certified
    assert result.n_iter <= 1
    check_certified(result, truth)
    check_dual(result, graph[0])
    # The bound by hand: <Lam, F(w)> less the radius times the slope.
    slope = np.array([float((F.multiply(result.dual)).sum()) for F in _matrices(problem)])
    reach = float(np.linalg.norm(slope * result.reach))
    assert result.lower_bound <= float((result.dual * result.losses).sum()) - reach + ROUNDING * abs(truth)


def _matrices(problem: sb.Problem) -> list[csr_array]:
    columns = problem.losses.linearize(np.zeros(problem.n_params))[1].dense().T
    return [csr_array(F) for F in svec.unpack(np.ascontiguousarray(columns))]


@pytest.mark.parametrize("make", [sparse_theta, sparse_max_cut])
def test_larger_random_graphs_against_clarabel(make):
    graph = random_graph(30, 70)
    problem = make(graph)
    n, L = 30, laplacian(graph)
    X = cp.Variable((n, n), symmetric=True)
    if make is sparse_theta:
        zeros = [X[i, j] == 0 for i, j in graph[1]]
        truth = clarabel(cp.Problem(cp.Maximize(cp.sum(X)), [X >> 0, cp.trace(X) == 1, *zeros]))
    else:
        truth = clarabel(cp.Problem(cp.Maximize(cp.trace(L @ X) / 4), [X >> 0, cp.diag(X) == 1]))
    result = sb.solve(problem, tol=1e-7)
    assert result.certified
    assert result.value == pytest.approx(truth, abs=ACCURACY)
    assert result.lower_bound <= truth + 1e-7


@pytest.mark.parametrize("tol", [1e-2, 1e-4, 1e-8, 1e-10])
def test_tolerances(tol):
    result = sb.solve(sparse_theta(cycle(51)), tol=tol)
    assert result.certified
    assert abs(result.value - odd_cycle_theta(51)) <= max(tol, 1e-9)


def test_units_of_losses_and_parameters():
    """The same answer in other units; powers of two change no digit."""
    n, edges = random_graph(20, 45, seed=2)
    Fs = [sparse_unit(n, i, j) for i, j in edges]
    plain = sb.solve(sb.Problem(sb.AffineMatrix(np.ones((n, n)), Fs), sb.Spectrahedron()))
    assert plain.certified
    scaled = sb.AffineMatrix(2.0**40 * np.ones((n, n)), [2.0**40 * F for F in Fs])
    large = sb.solve(sb.Problem(scaled, sb.Spectrahedron()), tol=2.0**40 * 1e-6)
    assert large.value == 2.0**40 * plain.value
    factors = 10.0 ** np.random.default_rng(0).uniform(-6, 6, len(Fs))
    other = sb.AffineMatrix(np.ones((n, n)), [u * F for u, F in zip(factors, Fs, strict=True)])
    result = sb.solve(sb.Problem(other, sb.Spectrahedron()))
    assert result.certified
    assert result.value == pytest.approx(plain.value, abs=1e-6)


@pytest.mark.parametrize("k", [3, 20, 60])
def test_unbounded_below(k):
    """Every diagonal entry is free, or the identity is."""
    for Fs in (np.array([np.diag(e) for e in np.eye(k)]), np.eye(k)[None]):
        with pytest.warns(sb.ConvergenceWarning):
            result = sb.solve(sb.Problem(sb.AffineMatrix(laplacian(cycle(k)), Fs), sb.Spectrahedron()))
        assert result.status is sb.Status.UNBOUNDED
        assert not result.certified


def test_an_infimum_that_no_point_attains():
    """F0 with a free first diagonal entry: the largest eigenvalue of the rest, as the entry tends to minus infinity."""
    F0 = laplacian(random_graph(20, 60, seed=1))
    F1 = np.zeros((20, 20))
    F1[0, 0] = 1.0
    result = sb.solve(sb.Problem(sb.AffineMatrix(F0, F1[None]), sb.Spectrahedron()))
    truth = float(np.linalg.eigvalsh(F0[1:, 1:])[-1])
    assert result.success
    assert truth - ROUNDING <= result.value <= truth + 1e-5


def test_resumed_runs_are_the_same(tmp_path):
    """From the checkpoint after no step, and after one that is too short to end the run."""
    problem = sparse_max_cut(random_graph(40, 100))
    path = tmp_path / "run.ckpt"
    whole = sb.solve(problem, tol=1e-13, max_iter=4)
    for n_iter in (0, 1, 2):
        sb.solve(problem, tol=1e-13, max_iter=4, checkpoint=path, callback=lambda now, n=n_iter: now.n_iter >= n)
        resumed = sb.solve(problem, tol=1e-13, max_iter=4, checkpoint=path, resume=True)
        assert resumed.n_iter == whole.n_iter
        assert np.array_equal(resumed.w, whole.w)
        assert np.array_equal(resumed.dual, whole.dual)
        path.unlink()


def test_the_time_limit_holds():
    with pytest.warns(sb.ConvergenceWarning, match="TIME_LIMIT"):
        result = sb.solve(sparse_max_cut(random_graph(60, 150)), time_limit=0.0)
    assert result.status is sb.Status.TIME_LIMIT
    assert np.isfinite(result.value)


# --- statistics -------------------------------------------------------------------------------------------------------


def covariances(seed: int, groups: int, k: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((groups, 3 * k, k)) * rng.uniform(0.3, 2.0, (groups, 1, k))
    return X.transpose(0, 2, 1) @ X / (3 * k)


def test_principal_components_that_explain_all_groups_alike():
    """max over density matrices P of t with <A_j, P> = t: the dual is the largest eigenvalue of sum_j mu_j A_j with
    sum mu = 1, an affine matrix of the other groups' weights.
    """
    A = covariances(0, 4, 5)
    P, t = cp.Variable((5, 5), symmetric=True), cp.Variable()
    equal = [cp.trace(A_j @ P) == t for A_j in A]
    truth = clarabel(cp.Problem(cp.Maximize(t), [P >> 0, cp.trace(P) == 1, *equal]))
    result = sb.solve(sb.Problem(sb.AffineMatrix(A[0], A[1:] - A[0]), sb.Spectrahedron()), tol=ACCURACY, radius=10.0)
    assert result.gap <= ACCURACY
    assert result.value == pytest.approx(truth, abs=ACCURACY)
    assert result.lower_bound <= truth + 1e-7
    check_dual(result, 5)
    # The dual is such a P.
    explained = np.array([np.trace(A_j @ result.dual) for A_j in A])
    np.testing.assert_allclose(explained, truth, atol=1e-4)


class Design:
    """-M(w) = -sum_i w_i x_i x_i' with sum w = 1, in svec coordinates, and -w_i for the penalties of w >= 0."""

    def __init__(self, X: np.ndarray) -> None:
        m, k = X.shape
        basis = null_space(np.ones((1, m)))
        outer = svec.pack(np.einsum("ni,nj->nij", X, X))
        self.constant = np.concatenate((-outer.mean(axis=0), np.full(m, -1 / m)))
        self.jacobian = np.concatenate((-outer.T @ basis, -basis))
        self.basis, self.matrix_coordinates = basis, svec.length(k)
        self.n_losses, self.n_params = self.jacobian.shape

    def evaluate(self, w):
        return self.constant + self.jacobian @ w, self.jacobian


def test_e_optimal_design():
    """max of the least eigenvalue of M(w) over the simplex: w >= 0 by an exact penalty, whose multipliers
    t - x_i'Lam x_i are at most t <= max |x|^2.
    """
    X = np.random.default_rng(4).standard_normal((8, 3))
    w = cp.Variable(8, nonneg=True)
    M = sum(w[i] * np.outer(x, x) for i, x in enumerate(X))
    truth = clarabel(cp.Problem(cp.Maximize(cp.lambda_min(M)), [cp.sum(w) == 1]))
    losses = Design(X)
    dual_set = sb.Product([sb.Spectrahedron(), sb.Box(0.0, float((X**2).sum(axis=1).max()))], [6, 8])
    result = sb.solve(sb.Problem(losses, dual_set), tol=ACCURACY, radius=3.0)
    assert result.gap <= ACCURACY
    assert -result.value == pytest.approx(truth, abs=ACCURACY)
    assert result.lower_bound <= -truth + 1e-7
    weights = 1 / 8 + losses.basis @ result.w
    assert weights.min() >= -1e-5
    assert np.linalg.eigvalsh(np.einsum("n,ni,nj->ij", weights, X, X))[0] == pytest.approx(truth, abs=1e-4)


def test_e_optimal_design_of_signed_weights():
    """Weights of any sign: the least eigenvalue alone, on points of the unit sphere, where it is at most 1/k."""
    X = np.random.default_rng(5).standard_normal((7, 3))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    outer = np.einsum("ni,nj->nij", X, X)
    basis = null_space(np.ones((1, 7)))
    losses = sb.AffineMatrix(-outer.mean(axis=0), [-np.einsum("n,nij->ij", b, outer) for b in basis.T])
    result = sb.solve(sb.Problem(losses, sb.Spectrahedron()), tol=ACCURACY, radius=10.0)
    # Seven points span the matrices of order three: M(w) = I/3 is within reach.
    check_certified(result, -1 / 3)


# --- matrices that are convex functions -------------------------------------------------------------------------------


def matrix_functions(seed: int, d: int, k: int):
    """F(w) = sum_i w_i^2 A_i + w_i B_i + C, A_i positive definite; and its optimal value by Clarabel."""
    rng = np.random.default_rng(seed)
    R = rng.standard_normal((d, k, k))
    A = R @ R.transpose(0, 2, 1) / k + 0.1 * np.eye(k)
    B = rng.standard_normal((d, k, k))
    B, C = B + B.transpose(0, 2, 1), np.diag(rng.standard_normal(k))

    def fun(w):
        return np.einsum("i,ijk->jk", w**2, A) + np.einsum("i,ijk->jk", w, B) + C

    def jac(w):
        return 2 * w[:, None, None] * A + B

    w, s, t = cp.Variable(d), cp.Variable(d), cp.Variable()
    F = sum(s[i] * A[i] + w[i] * B[i] for i in range(d)) + C
    S = cp.Variable((k, k), PSD=True)
    truth = clarabel(cp.Problem(cp.Minimize(t), [t * np.eye(k) - F == S, s >= cp.square(w)]))
    return fun, jac, truth


@pytest.mark.parametrize(("seed", "d", "k"), [(0, 2, 3), (1, 4, 4), (2, 5, 3), (3, 3, 6)])
def test_convex_matrix_functions(seed, d, k):
    fun, jac, truth = matrix_functions(seed, d, k)
    problem = sb.Problem(sb.from_matrix_functions(fun, np.zeros(d), jac), sb.Spectrahedron())
    result = sb.solve(problem, np.full(d, 0.5), tol=1e-8)
    assert result.success
    assert result.value == pytest.approx(truth, abs=ACCURACY)
    assert result.lower_bound <= truth + 1e-7
    assert result.value == pytest.approx(np.linalg.eigvalsh(fun(result.w))[-1], abs=1e-12)
    np.testing.assert_allclose(result.losses, fun(result.w), atol=1e-13)
    check_dual(result, k)


def test_smoothing_tends_to_the_largest_eigenvalue():
    fun, jac, truth = matrix_functions(7, 3, 4)
    losses = sb.from_matrix_functions(fun, np.zeros(3), jac)
    tol, values = 1e-8, []
    for gamma in (1.0, 0.1, 0.01, 1e-3):
        problem = sb.Problem(losses, sb.Spectrahedron(), sb.VonNeumann(gamma))
        result = sb.solve(problem, tol=tol)
        assert result.success
        # At every w, and so at the optima: lambda_max <= gamma log tr exp(F/gamma) <= lambda_max + gamma log k.
        assert truth - ACCURACY <= result.value <= truth + gamma * np.log(4) + ACCURACY
        eigenvalues = np.linalg.eigvalsh(result.losses)
        smooth = eigenvalues[-1] + gamma * np.log(np.exp((eigenvalues - eigenvalues[-1]) / gamma).sum())
        assert result.value == pytest.approx(smooth, abs=1e-12)
        check_dual(result, 4)
        values.append(result.value)
    assert np.all(np.diff(values) <= 2 * tol)
    assert values[0] > truth + 0.1


# --- affine matrices --------------------------------------------------------------------------------------------------


def random_affine(seed: int, d: int, k: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    S = rng.standard_normal((d + 1, k, k)) * (rng.random((d + 1, k, k)) < 0.6)
    S = S + S.transpose(0, 2, 1)
    # Without a multiple of the identity among the span of the Fs, and with traces zero, the value is bounded below.
    S[1:] -= np.trace(S[1:], axis1=1, axis2=2)[:, None, None] / k * np.eye(k)
    return S[0], S[1:]


@pytest.mark.parametrize("seed", range(3))
def test_random_affine_matrices(seed):
    F0, Fs = random_affine(seed, 3, 5)
    w = cp.Variable(3)
    truth = clarabel(cp.Problem(cp.Minimize(cp.lambda_max(F0 + sum(w[i] * Fs[i] for i in range(3))))))
    result = sb.solve(sb.Problem(sb.AffineMatrix(F0, Fs), sb.Spectrahedron()), tol=ACCURACY, radius=10.0)
    assert result.gap <= ACCURACY
    assert result.value == pytest.approx(truth, abs=ACCURACY)
    assert result.lower_bound <= truth + 1e-7
    F = F0 + np.einsum("i,ijk->jk", result.w, Fs)
    np.testing.assert_allclose(result.losses, F, atol=1e-13)
    assert result.value == pytest.approx(np.linalg.eigvalsh(F)[-1], abs=1e-12)
    check_dual(result, 5)


@pytest.mark.parametrize(
    "convert",
    [
        lambda F0, Fs: (csr_matrix(F0), [csr_matrix(F) for F in Fs]),
        lambda F0, Fs: (F0, [coo_array(Fs[0]), *Fs[1:]]),
        lambda F0, Fs: (F0.tolist(), Fs.tolist()),
    ],
    ids=["sparse", "mixed", "lists"],
)
def test_dense_and_sparse_matrices_give_the_same(convert):
    F0, Fs = random_affine(5, 3, 4)
    dense, other = sb.AffineMatrix(F0, Fs), sb.AffineMatrix(*convert(F0, Fs))
    w = np.array([0.3, -1.0, 2.0])
    assert np.array_equal(dense.matrix(w), other.matrix(w))
    assert np.array_equal(dense.evaluate(w)[1], other.evaluate(w)[1])
    first, second = (sb.solve(sb.Problem(losses, sb.Spectrahedron())) for losses in (dense, other))
    assert first.value == second.value
    assert first.n_evals == second.n_evals
    assert np.array_equal(first.w, second.w)
