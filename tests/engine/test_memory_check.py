"""What does not fit into memory is refused by name, with its size, before anything is evaluated."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp

import saddleback as sb
from saddleback.engine import memory_check as affordable
from saddleback.machine import resources as _machine
from saddleback.subproblem import Auto, PathFollowing, QuadraticProgram, ResponseNewton, TrustConstr, square_matrices

GB = 2**30


class Losses:
    """Losses of any number that must not be evaluated."""

    def __init__(self, J, d):
        self.n_losses, self.n_params = J, d

    def evaluate(self, w):
        pytest.fail("the losses were evaluated")

    def hessian(self, w, lam):
        pytest.fail("the Hessian was evaluated")


class Dense(sb.Entropy):
    """A regularizer whose Hessian does not say that it is diagonal."""

    def hessian(self, lam):
        return np.broadcast_to(0.0, (lam.size, lam.size))


@pytest.fixture
def twenty(monkeypatch):
    monkeypatch.setattr(affordable, "free_memory", lambda: 20.0 * GB)


@pytest.mark.usefixtures("twenty")
@pytest.mark.parametrize(
    ("J", "d", "options", "message"),
    [
        (
            50_000,
            45_000,
            {},
            r"J = 50000 losses of d = 45000 parameters need about \d+ GB of memory, \d+ GB of it for J x J matrices of "
            r"the inner solver 'auto'; 20 GB are free. Group the losses into fewer",
        ),
        (50_000, 20, {"inner": "qp", "dual_set": sb.CappedSimplex(0.1)}, "inner solver 'qp'; .* Leave inner at 'auto'"),
        (50_000, 20, {"inner": "trust-constr"}, "need about 186 GB .* inner solver 'trust-constr'"),
        (20_000, 200_000, {}, "149 GB of it for J x d Jacobians; 20 GB are free"),
        (2, 50_000, {"method": "newton"}, "37 GB of it for d x d Hessians; .* Use method='quasi-newton'"),
    ],
)
def test_refused(J, d, options, message):
    dual_set = options.pop("dual_set", sb.Simplex())
    with pytest.raises(sb.ProblemError, match=message):
        sb.solve(sb.Problem(Losses(J, d), dual_set), **options)


SETS = [sb.Simplex(), sb.CappedSimplex(0.1), sb.Contamination(0.1), sb.TVBall(0.1), sb.Chi2Ball(0.1)]


@pytest.mark.usefixtures("twenty")
@pytest.mark.parametrize("dual_set", SETS, ids=repr)
@pytest.mark.parametrize("method", ["auto", "accelerated", "prox-linear"])
def test_many_losses_of_few_parameters_are_not(dual_set, method):
    """J = 50,000 losses of 20 parameters: J x J matrices would take 18 GB."""
    with pytest.raises(pytest.fail.Exception, match="were evaluated"):
        sb.solve(sb.Problem(Losses(50_000, 20), dual_set), method=method)


def test_nothing_is_refused_where_nobody_knows_what_is_free(monkeypatch):
    monkeypatch.setattr(affordable, "free_memory", lambda: float("inf"))
    with pytest.raises(pytest.fail.Exception, match="were evaluated"):
        sb.solve(sb.Problem(Losses(50_000, 20)), inner="trust-constr")


def test_small_problems_do_not_ask(monkeypatch):
    monkeypatch.setattr(affordable, "free_memory", lambda: pytest.fail("asked"))
    result = sb.minimax(lambda w: ([w @ w, (w - 1) @ (w - 1)], [2 * w, 2 * w - 2]), np.zeros(1), jac=True)
    assert result.success


@pytest.mark.parametrize(
    ("solver", "dual_set", "regularizer", "d", "some"),
    [
        (Auto(), sb.Simplex(), sb.Zero(), 10, False),
        (Auto(), sb.Simplex(), sb.Zero(), 1900, True),
        (Auto(), sb.Simplex(), sb.Entropy(0.1), 10, False),
        (Auto(), sb.CappedSimplex(0.1), sb.Quadratic(0.1), 10, False),
        (Auto(), sb.CappedSimplex(0.1), sb.Quadratic(0.1), 3000, True),
        (Auto(), sb.Contamination(0.1), sb.Zero(), 10, False),
        (Auto(), sb.KLBall(0.1), sb.Zero(), 10, False),
        (Auto(), sb.KLBall(0.1), sb.Zero(), 1900, True),
        (Auto(), sb.Product([sb.Simplex(), sb.KLBall(0.1)], [1000, 1000]), sb.Zero(), 10, False),
        (Auto(), sb.Simplex(), Dense(0.1), 10, True),
        (QuadraticProgram(), sb.Simplex(), sb.Zero(), 10, False),
        (QuadraticProgram(), sb.Simplex(), sb.Quadratic(0.1), 10, True),
        (PathFollowing(), sb.Chi2Ball(0.1), sb.Zero(), 10, False),
        (ResponseNewton(), sb.Simplex(), sb.Entropy(0.1), 10, False),
        (ResponseNewton(), sb.Simplex(), sb.Entropy(0.1), 3000, True),
        (TrustConstr(), sb.Simplex(), sb.Zero(), 10, True),
    ],
)
def test_who_needs_square_matrices(solver, dual_set, regularizer, d, some):
    adversary = sb.Problem(Losses(2000, d), dual_set, regularizer).adversary
    assert (square_matrices(solver, adversary, d) > 0) == some


def test_matrices_of_losses_need_none_where_they_have_few_parameters():
    k = 50
    losses = sb.AffineMatrix(np.eye(k), np.eye(k)[None])
    adversary = sb.Problem(losses, sb.Spectrahedron()).adversary
    assert square_matrices(Auto(), adversary, 1) == 0
    assert square_matrices(Auto(), adversary, losses.n_losses) > 0


PROGRAM = """
import resource, sys
import numpy as np, saddleback as sb
J, d = 6_000, 5
points = np.random.default_rng(0).standard_normal((J, d))

class Distances:
    n_losses, n_params = J, d
    def evaluate(self, w):
        offset = w - points
        return 0.5 * (offset**2).sum(axis=1), offset

sb.minimax(lambda w: ([w @ w, w @ w], [2 * w, 2 * w]), np.ones(1), jac=True)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
sets = [sb.Simplex(), sb.CappedSimplex(0.1), sb.Chi2Ball(0.1)]
for dual_set in sets:
    for method in ("auto", "accelerated"):
        result = sb.solve(sb.Problem(Distances(), dual_set), method=method, tol=1e-3)
        assert result.success, result
unit = 1 if sys.platform == "darwin" else 1024
print(unit * (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before))
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="no resource module")
def test_thousands_of_losses_take_as_much_memory_as_their_jacobians():
    """A J x J matrix would be 288 MB, a Jacobian is 240 kB."""
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "1"}
    ran = subprocess.run([sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, timeout=600)
    assert ran.returncode == 0, ran.stderr
    assert int(ran.stdout) < 100 * 8 * 6_000 * 5


@pytest.mark.parametrize("name", ["n_losses", "n_params"])
@pytest.mark.parametrize("number", [10**12, 2**62, np.int64(2**62), 10**30])
def test_problems_of_which_not_even_a_vector_fits(name, number):
    losses = Losses(2, 2)
    setattr(losses, name, number)
    with pytest.raises(sb.ProblemError, match=rf"a vector of losses\.{name} = {number} numbers would take \d+ GB"):
        sb.Problem(losses, metric=2.0)


@pytest.mark.parametrize("free", [20.0 * GB, float("inf")])
def test_what_nobody_could_address_is_refused_in_any_case(monkeypatch, free):
    monkeypatch.setattr(_machine, "free_memory", lambda: free)
    with pytest.raises(sb.ProblemError, match=r"would take 34359738368 GB of memory; .* are free. Check the number"):
        sb.Problem(Losses(2**62, 2))


def test_parameters_are_counted_before_the_start_is_made(monkeypatch):
    monkeypatch.setattr(_machine, "free_memory", lambda: 100.0 * GB)
    monkeypatch.setattr(affordable, "free_memory", lambda: 100.0 * GB)
    with pytest.raises(sb.ProblemError, match=r"d = 10000000000 parameters need about .* for J x d Jacobians"):
        sb.solve(sb.Problem(Losses(2, 10**10)))


@pytest.mark.parametrize(
    ("n_threads", "size"), [(1, "298 GB"), (3, "3 of them, one per loss or thread, would take 894 GB")]
)
def test_hessians_of_wide_tables(monkeypatch, n_threads, size):
    monkeypatch.setattr(_machine, "free_memory", lambda: 20.0 * GB)
    X = sp.csr_array((np.ones(6), (np.arange(6), np.arange(6))), shape=(6, 200_000))
    losses = sb.GroupedLinear(X, np.arange(6) % 2, np.arange(6) % 3, n_threads=n_threads)
    with pytest.raises(sb.ProblemError, match=f"a 200001 x 200001 matrix.*{size}.* method='quasi-newton'"):
        losses.hessian(np.zeros(200_001), np.full(3, 1 / 3))
