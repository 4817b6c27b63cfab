"""Every outer method on every set: values agree with CVXPY, certificates hold, and what does not apply is refused."""

from __future__ import annotations

from functools import cache

import cvxpy as cp
import numpy as np
import pytest

import saddleback as sb
from saddleback.capabilities import offers
from saddleback.dual_sets import DUAL_SETS
from saddleback.dual_sets.interior import HasInteriorForm
from saddleback.methods import METHODS

from .geometries import GEOMETRIES, PAIRS, REFERENCE, REGULARIZERS, J, K, Matrices, conjugate, minimum

TOL = 1e-5
# References rather than contenders: what they cost for each digit is spent elsewhere.
LOOSE = {"fixed-point": 1e-3, "apgd": 1e-3}
OPTIONS = {"fixed-point": sb.FixedPoint(accuracy=1e-6)}
MAX_ITER = 5000


@cache
def reference(set_name: str, regularizer_name: str) -> float:
    """The optimal value by Clarabel; the von Neumann entropy, which it lacks, from a run with the tightest gap."""
    geometry, R = GEOMETRIES[set_name], REGULARIZERS[regularizer_name]
    losses = geometry.losses()
    if regularizer_name == "von Neumann":
        result = sb.solve(sb.Problem(losses, geometry.dual_set, R), method="newton", tol=1e-10)
        assert result.gap <= 1e-10
        return result.value
    y = cp.Variable((K, K), symmetric=True) if isinstance(losses, Matrices) else cp.Variable(J)
    value, constraints = geometry.support(y)
    if regularizer_name == "zero":
        return minimum(losses, value, constraints, y)
    u = cp.Variable((K, K), symmetric=True) if isinstance(losses, Matrices) else cp.Variable(J)
    return minimum(losses, value + conjugate(R, geometry.dual_set, u), constraints, y + u)


def applies(method: str, set_name: str, regularizer_name: str) -> bool:
    """Gradient methods on g need a strongly convex R; saddle-point methods a projection, or a mirror step; interior
    points R = 0 and bounds on single weights; the paper's Algorithm 1 the simplex and a quadratic R, or none."""
    if method == "algorithm-1":
        return set_name == "simplex" and regularizer_name in ("zero", "quadratic")
    if method == "interior-point":
        return regularizer_name == "zero" and offers(GEOMETRIES[set_name].dual_set, HasInteriorForm)
    if method in ("apgd", "lbfgsb"):
        return regularizer_name != "zero"
    if method in ("extragradient", "optimistic"):
        return set_name != "polytope" and (set_name, regularizer_name) != ("ball", "entropy")
    return True


def test_every_set_is_here():
    assert {type(geometry.dual_set) for geometry in GEOMETRIES.values()} == set(DUAL_SETS)


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("pair", PAIRS, ids="/".join)
def test_methods_agree_with_the_reference(pair, method):
    geometry, R = GEOMETRIES[pair[0]], REGULARIZERS[pair[1]]
    losses = geometry.losses()
    problem = sb.Problem(losses, geometry.dual_set, R)
    if not applies(method, *pair):
        n_evals = []
        evaluate = losses.evaluate
        losses.evaluate = lambda w: n_evals.append(w) or evaluate(w)
        with pytest.raises(sb.IncompatibleError, match=method):
            sb.solve(problem, method=method)
        assert not n_evals
        return
    truth, tol = reference(*pair), LOOSE.get(method, TOL)
    result = sb.solve(problem, method=OPTIONS.get(method, method), tol=tol, max_iter=MAX_ITER, radius=5.0)
    assert result.success, result.message
    assert result.value >= truth - REFERENCE
    assert result.lower_bound <= truth + REFERENCE
    assert result.value == pytest.approx(truth, abs=tol + REFERENCE)
    assert result.value == pytest.approx(problem.value(result.w), rel=1e-12, abs=1e-12)
    n = problem.n_losses
    assert geometry.dual_set.contains(geometry.dual_set.from_user(result.dual, "dual", n), 1e-10)


@pytest.mark.parametrize("name", GEOMETRIES)
def test_newton_is_refused_without_a_hessian(name):
    geometry = GEOMETRIES[name]
    full = geometry.losses()

    class Bare:
        n_losses, n_params = full.n_losses, full.n_params
        if isinstance(full, Matrices):
            matrix_size = K

        def evaluate(self, w):
            pytest.fail("the losses were evaluated")

    with pytest.raises(sb.IncompatibleError, match="newton needs losses with hessian"):
        sb.solve(sb.Problem(Bare(), geometry.dual_set), method="newton")


@pytest.mark.parametrize("method", ["quasi-newton", "accelerated"])
@pytest.mark.parametrize("dual_set", [lambda r: sb.Ball(0, r), lambda r: sb.Box(-r, r)], ids=["ball", "box"])
def test_the_unit_of_the_weights_does_not_matter(dual_set, method: str) -> None:
    """r Lambda makes r g of g: the same steps, whatever r is."""
    rng = np.random.default_rng(0)
    A, b = rng.standard_normal((6, 3)), rng.standard_normal(6)

    def run(r: float) -> sb.Result:
        return sb.minimax(
            lambda w: (A @ w - b, A), np.zeros(3), jac=True, dual_set=dual_set(r), method=method, tol=1e-7 * r
        )

    plain = run(1.0)
    assert plain.success
    for r in (1e-6, 1e-3, 1e3, 1e6):
        result = run(r)
        assert result.success
        assert abs(result.n_iter - plain.n_iter) <= 1
        assert result.value / r == pytest.approx(plain.value, rel=1e-6)
