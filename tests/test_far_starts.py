"""Starts far from the optimum: the certificate survives the cancellation, the method the change of scale."""

import numpy as np
import pytest

import saddleback as sb
from saddleback.adversary import Adversary
from saddleback.subproblem import DualSubproblem, PathFollowing

UNITS = np.eye(3)


class Far:
    """|w - shift - e_j|^2: the optimum 2/3 lies at shift + 1/3, wherever that is."""

    n_losses = n_params = 3
    strong_convexity = 2.0

    def __init__(self, shift):
        self.shift = shift

    def evaluate(self, w):
        offset = (w - self.shift) - UNITS
        return (offset**2).sum(1), 2 * offset


@pytest.mark.parametrize("method", ["accelerated", "prox-linear", "fixed-point"])
@pytest.mark.parametrize("shift", [1e2, 1e4, 1e6, 1e7])
def test_a_far_optimum_is_certified_to_what_is_true(shift, method):
    """Around w0 the minorants' constants would be differences of numbers of size shift^2."""
    result = sb.solve(sb.Problem(Far(shift)), tol=1e-6, method=method)
    assert result.success
    # w itself is known to eps * shift, and the losses to |G| times that.
    known = 8 * np.finfo(float).eps * shift
    assert result.lower_bound <= 2 / 3 + 1e-12
    assert result.value - 2 / 3 <= result.gap + known


def cb2(x):
    e = 2 * np.exp(x[1] - x[0])
    f = [x[0] ** 2 + x[1] ** 4, (2 - x[0]) ** 2 + (2 - x[1]) ** 2, e]
    return f, [[2 * x[0], 4 * x[1] ** 3], [2 * x[0] - 4, 2 * x[1] - 4], [-e, e]]


def test_losses_that_fall_by_many_orders():
    """The accuracy of the dual subproblems follows the steps, and not the first of them."""
    result = sb.minimax(cb2, [-20, 20], jac=True)
    assert result.success
    assert result.value == pytest.approx(1.9522245, abs=1e-6)


@pytest.mark.parametrize("method", ["accelerated", "prox-linear", "fixed-point", "extragradient", "optimistic"])
@pytest.mark.parametrize("start", [[0.1, 0.0], [5.0, 5.0]])
def test_unbounded_along_one_of_two_directions(start, method):
    """x^2 - y and x^2 - 2y + 3 fall along y only: the way from w0 leads astray, the averaged slope does not."""

    def fun(w):
        return [w[0] ** 2 - w[1], w[0] ** 2 - 2 * w[1] + 3], [[2 * w[0], -1.0], [2 * w[0], -2.0]]

    with pytest.warns(sb.ConvergenceWarning, match="^UNBOUNDED"):
        result = sb.minimax(fun, start, jac=True, method=method)
    assert result.status is sb.Status.UNBOUNDED


@pytest.mark.parametrize("seed", range(6))
def test_the_papers_schedule_has_patience_with_its_first_phase(seed):
    """tau = 1 is far along the path of losses of size 1e4, and a start next to a vertex far away from it."""
    rng = np.random.default_rng(seed)
    G = rng.standard_normal((8, 5))
    problem = DualSubproblem(1e4 * G @ G.T, 1e4 * rng.standard_normal(8), Adversary(sb.Simplex(), sb.Zero(), 8))
    start = np.maximum(rng.dirichlet(np.full(8, 0.05)), 1e-12)
    solution = PathFollowing("paper").solve(problem, 1e-4, start / start.sum())
    assert solution.converged, solution.message


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (np.ones(2), "the pair"),
        ("no", "the pair"),
        ((["a", "b"], np.ones((2, 1))), "must return numbers"),
        ((np.array([1j, 2.0]), np.ones((2, 1))), "must return numbers"),
    ],
)
def test_losses_that_answer_nonsense(answer, message):
    losses = type("Odd", (), {"n_losses": 2, "n_params": 1, "evaluate": lambda self, w: answer})()
    with pytest.raises(sb.ProblemError, match=message):
        sb.solve(sb.Problem(losses))


@pytest.mark.parametrize("count", [None, 2.5, "3"])
def test_counts_that_are_no_numbers(count):
    losses = type("Odd", (), {"n_losses": count, "n_params": 1, "evaluate": lambda self, w: None})()
    with pytest.raises(sb.ProblemError, match="whole number"):
        sb.Problem(losses)


def test_a_class_for_losses_is_refused():
    with pytest.raises(sb.ProblemError, match="Make an instance"):
        sb.Problem(Far)


@pytest.mark.parametrize("options", [{"checkpoint": 3}, {"checkpoint": "no/such/place"}, {"resume": True}])
def test_checkpoints_are_refused_before_fun_is_called(options):
    def never(w):
        raise AssertionError("evaluated")

    with pytest.raises(sb.ProblemError, match="checkpoint"):
        sb.minimax(never, [1.0], jac=True, **options)
