"""The oracle: counters, kept evaluations, checks."""

from __future__ import annotations

import numpy as np
import pytest
from calls import Calls, quadratics

import saddleback as sb
from saddleback.engine.evaluation import Breakdown
from saddleback.engine.oracle import Oracle
from saddleback.subproblem import resolve_inner


class Losses:
    n_losses, n_params = 3, 2

    def __init__(self, fun=quadratics, **capabilities):
        self.evaluate = Calls(fun)
        vars(self).update(capabilities)


def oracle(losses, regularizer=None, w0=(0.0, 0.0)):
    problem = sb.Problem(losses, regularizer=regularizer or sb.Zero())
    return Oracle(problem, resolve_inner("auto", problem.adversary), np.array(w0), 1e-6)


def test_the_last_two_points_are_remembered():
    losses = Losses()
    o = oracle(losses)
    a, b, c = np.zeros(2), np.ones(2), np.full(2, 2.0)
    for w in (a, b, a, b, a.copy()):
        o.evaluate(w)
    assert o.n_evals == losses.evaluate.n == 2
    o.evaluate(c)
    o.evaluate(a)
    assert o.n_evals == losses.evaluate.n == 4


def test_an_evaluation_knows_g_and_the_best_response():
    o = oracle(Losses(), sb.Quadratic(0.3))
    at = o.evaluate(np.array([0.3, 0.1]))
    f, G = quadratics(at.w)
    value, lam = o.adversary.best_response(f)
    assert at.value == value
    np.testing.assert_array_equal(at.lam, lam)
    np.testing.assert_allclose(at.gram, G @ G.T)
    assert at.finite


def test_points_cost_no_jacobian_where_values_are_offered():
    losses = Losses(values=Calls(lambda w: quadratics(w)[0]))
    o = oracle(losses)
    point = o.point(np.ones(2))
    assert (o.n_evals, losses.values.n, losses.evaluate.n) == (0, 1, 0)
    assert point.value == quadratics(np.ones(2))[0].max()
    o.evaluate(np.ones(2))
    o.point(np.ones(2))
    assert (o.n_evals, losses.values.n, losses.evaluate.n) == (1, 1, 1)


def test_points_are_evaluations_where_values_are_not_offered():
    losses = Losses()
    o = oracle(losses)
    o.point(np.ones(2))
    assert o.n_evals == losses.evaluate.n == 1


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("where", ["losses", "Jacobian"])
def test_the_start_must_be_finite(bad, where):
    f, G = quadratics(np.zeros(2))
    (f if where == "losses" else G)[...] = bad
    with pytest.raises(sb.ProblemError, match=f"the {where} must be finite at w0"):
        oracle(Losses(lambda w: (f, G))).evaluate(np.zeros(2))


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_later_points_need_not_be_finite(bad):
    def fun(w):
        f, G = quadratics(w)
        return (f * bad if w[0] > 1 else f), G

    o = oracle(Losses(fun))
    o.evaluate(np.zeros(2))
    at = o.evaluate(np.array([2.0, 0.0]))
    assert not at.finite
    assert at.value == np.inf, "outside the domain g is infinite, never small"
    assert o.point(np.array([3.0, 0.0])).value == np.inf
    assert o.watch.violation is None


def test_a_jacobian_that_is_not_finite_later():
    def fun(w):
        f, G = quadratics(w)
        return f, (np.full_like(G, np.nan) if w[0] > 1 else G)

    o = oracle(Losses(fun))
    o.evaluate(np.zeros(2))
    assert not o.evaluate(np.array([2.0, 0.0])).finite


def test_dual_steps_are_counted():
    o = oracle(Losses())
    at = o.evaluate(np.zeros(2))
    first = o.dual_step(at.gram, at.f, 1e-9)
    assert first.gap <= 1e-9
    assert o.n_inner == first.n_iter
    assert o.n_inner_failures == 0


@pytest.mark.parametrize("offer", [0.7, lambda: 0.7])
def test_constants_may_be_numbers_or_methods(offer):
    o = oracle(Losses(smoothness=offer, strong_convexity=offer))
    assert o.smoothness == 0.7
    np.testing.assert_array_equal(o.strong_convexity, [0.7, 0.7])


def test_constants_default_to_none_known():
    o = oracle(Losses())
    assert o.smoothness is None
    np.testing.assert_array_equal(o.strong_convexity, [0.0, 0.0])


def test_smoothness_is_asked_only_when_needed():
    asked = []
    o = oracle(Losses(smoothness=lambda: asked.append(1) or 1.0))
    o.evaluate(np.zeros(2))
    assert asked == []
    assert (o.smoothness, o.smoothness, len(asked)) == (1.0, 1.0, 1)


@pytest.mark.parametrize(("L", "affine"), [(None, False), (0.0, True), (1.0, False)])
def test_affine_losses_say_so_by_their_smoothness(L, affine):
    assert oracle(Losses(smoothness=lambda: L)).affine == affine
    assert not oracle(Losses()).affine


def test_hessians_of_single_losses():
    """Copies of the arguments, in the oracle's coordinates; answers of another shape or not finite are refused."""
    answers = [np.full((2, 2, 2), np.inf), np.eye(2), np.array([np.eye(2), 2 * np.eye(2)])]
    asked = []

    def loss_hessians(w, which):
        asked.append((w, which))
        return answers.pop()

    o = oracle(Losses(loss_hessians=loss_hessians)).rescaled(np.array([2.0, 4.0]))
    w, which = np.array([2.0, 4.0]), np.array([2, 0])
    H = o.loss_hessians(w, which)
    np.testing.assert_array_equal(H, [np.diag([0.25, 0.0625]), np.diag([0.5, 0.125])])
    np.testing.assert_array_equal(asked[0][0], [1.0, 1.0])
    assert asked[0][1] is not which
    assert o.offers_loss_hessians
    with pytest.raises(sb.ProblemError, match=r"losses.loss_hessians must return shape \(2, 2, 2\); got \(2, 2\)"):
        o.loss_hessians(w, which)
    with pytest.raises(Breakdown, match="the Hessian of a loss is not finite"):
        o.loss_hessians(w, which)
    assert not oracle(Losses()).offers_loss_hessians


def test_losses_with_a_hessian_are_not_asked_whether_they_are_affine():
    """Computing L of grouped losses reads the table many times, which takes longer than a run."""
    o = oracle(Losses(hessian=lambda w, lam: np.eye(2), smoothness=lambda: 1 / 0))
    assert not o.affine


def test_single_precision_is_noticed():
    o = oracle(Losses(lambda w: tuple(x.astype(np.float32) for x in quadratics(w))))
    assert o.precision == np.finfo(np.float64).eps
    at = o.evaluate(np.zeros(2))
    assert o.precision == np.finfo(np.float32).eps
    assert at.f.dtype == at.G.dtype == np.float64


def test_evaluations_do_not_change_when_the_losses_write_over_their_arrays():
    f, G = np.empty(3), np.empty((3, 2))

    def fun(w):
        f[:], G[:] = quadratics(w)
        return f, G

    o = oracle(Losses(fun))
    first = o.evaluate(np.zeros(2))
    o.evaluate(np.ones(2))
    np.testing.assert_array_equal(first.f, quadratics(np.zeros(2))[0])
    np.testing.assert_array_equal(first.G, quadratics(np.zeros(2))[1])


def test_losses_that_write_into_their_argument_do_not_move_the_iterates():
    def fun(w):
        answer = quadratics(w.copy())
        w[:] = 1e6
        return answer

    o = oracle(Losses(fun))
    w = np.ones(2)
    at = o.evaluate(w)
    np.testing.assert_array_equal(w, np.ones(2))
    np.testing.assert_array_equal(at.w, np.ones(2))


def test_values_of_the_wrong_shape_are_refused():
    losses = type("Short", (), {"n_losses": 2, "n_params": 1, "values": lambda self, w: np.array([w[0]])})()
    losses.evaluate = lambda w: (np.array([w[0], -w[0]]), np.array([[1.0], [-1.0]]))
    with pytest.raises(sb.ProblemError, match=r"\(2,\); got \(1,\)"):
        sb.solve(sb.Problem(losses), np.ones(1), method="accelerated")
    with pytest.raises(sb.ProblemError, match=r"2 values; got shape \(1,\)"):
        sb.Problem(losses).value([1.0])


def test_an_array_that_is_changed_later_does_not_change_what_is_remembered():
    losses = sb.from_functions(lambda w: ([w @ w], [2 * w]), np.ones(2), jac=True)
    problem = sb.Problem(losses)
    oracle = Oracle(problem, resolve_inner("auto", problem.adversary), np.ones(2), 1e-6)
    w = np.ones(2)
    assert oracle.evaluate(w).value == 2.0
    w -= 1.0
    assert oracle.evaluate(w).value == 0.0


def test_a_probe_leaves_the_certificate_alone():
    """Convex near the run, concave far away, where rays are searched."""

    def fun(w):
        far = abs(w[0]) > 1e3
        return [-np.sqrt(abs(w[0]))] if far else [np.exp(-w[0] / 50)], [[-0.01 if far else -np.exp(-w[0] / 50) / 50]]

    with pytest.warns(sb.ConvergenceWarning):
        result = sb.minimax(fun, [0.0], jac=True, max_iter=3, tol=1e-12)
    assert np.isfinite(result.gap)
    assert result.gap == result.history.gap[-1]


def test_minorants_at_far_points_are_lowered_by_the_rounding_of_the_point():
    """Along x - y the losses are flat, but each of their terms rounds by EPS |w|."""

    def flat(w):
        G = np.array([[1.0, -1.0], [2.0, -2.0], [-1.0, 1.0]])
        return G @ w, G

    for size, lowered in ((1.0, False), (1e9, True)):
        o = oracle(Losses(flat), w0=(size, size))
        at = o.evaluate(np.full(2, size))
        lam = np.array([0.5, 0.25, 0.25])
        cut = o.cut(at, lam)
        assert cut.constant == (-o.rounding_at(at) if lowered else 0.0)
        assert o.rounding_at(at) >= np.finfo(float).eps * size
