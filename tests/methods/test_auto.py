"""The cost model behind method="auto"."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

import saddleback as sb
from saddleback.methods import Newton, QuasiNewton, choose_method, named_method


@dataclass
class Table:
    """The shape of losses of n rows and d columns."""

    n_params: int
    n_entries: int
    n_losses: int = 5
    n_outputs: int = 1

    def evaluate(self, w):
        raise AssertionError("choosing a method evaluates nothing")

    def hessian(self, w, lam):
        raise AssertionError("choosing a method evaluates nothing")


@pytest.mark.parametrize(("n", "d"), [(7000, 6), (30_000, 36), (24_000, 100), (500, 20), (10_000, 300)])
def test_narrow_tables_take_newton(n: int, d: int) -> None:
    assert isinstance(choose_method(Table(d, n * d)), Newton)


@pytest.mark.parametrize(("n", "d"), [(50_000, 5000), (1000, 2000), (10_000, 1000), (10_000, 600)])
def test_wide_tables_take_quasi_newton(n: int, d: int) -> None:
    assert isinstance(choose_method(Table(d, n * d)), QuasiNewton)


@pytest.mark.parametrize(
    ("n", "d", "K", "method"),
    [
        (8000, 11, 7, Newton),
        (8000, 21, 7, Newton),
        (8000, 49, 3, Newton),
        (3000, 49, 7, Newton),
        (8000, 124, 7, QuasiNewton),
    ],
)
def test_classes_multiply_evaluations_and_hessians(n: int, d: int, K: int, method: type) -> None:
    """Softmax on adult's rows, K d parameters: the faster method, or the first one within a fifth of the other."""
    assert isinstance(choose_method(Table(K * d, n * d, n_outputs=K)), method)


def test_starts_near_the_solution_favor_newton() -> None:
    """Two or three steps, also with 7 classes and 123 columns."""
    assert isinstance(choose_method(Table(868, 8000 * 124, n_outputs=7), near=True), Newton)
    assert isinstance(choose_method(Table(5000, 50_000 * 5000), near=True), QuasiNewton)


def test_sparse_tables_count_their_entries() -> None:
    """A factorization of d^3/3 does not pay where an evaluation reads little."""
    assert isinstance(choose_method(Table(20_000, 200_000)), QuasiNewton)


def test_losses_without_a_hessian_take_quasi_newton() -> None:
    losses = sb.from_functions(lambda w: ([w @ w], [2 * w]), np.ones(2), jac=True)
    assert isinstance(choose_method(losses), QuasiNewton)


@pytest.mark.parametrize("J", [1, 3, 10])
@pytest.mark.parametrize("d", [1, 10, 50, 100, 200])
def test_plain_functions_with_a_hessian_take_newton(J: int, d: int) -> None:
    """Their J d numbers cost less than the iteration itself, so that the number of iterations decides."""
    losses = sb.from_functions(lambda w: np.zeros(J), np.ones(d), lambda w: np.zeros((J, d)), hess=lambda w, lam: None)
    assert isinstance(choose_method(losses), Newton)


def test_plain_functions_of_many_parameters_take_quasi_newton() -> None:
    """A factorization of d^3/3 costs more than a hundred iterations."""
    losses = sb.from_functions(lambda w: [0.0], np.ones(1000), lambda w: 0 * w, hess=lambda w, lam: None)
    assert isinstance(choose_method(losses), QuasiNewton)


def test_the_choice_names_itself_in_the_result() -> None:
    rng = np.random.default_rng(0)
    losses = sb.GroupedLinear(rng.standard_normal((60, 3)), rng.integers(0, 2, 60), np.arange(60) % 3, l2=0.1)
    assert sb.solve(sb.Problem(losses)).method == "newton"


def test_auto_is_no_method_before_there_are_losses() -> None:
    assert named_method("auto") is None
