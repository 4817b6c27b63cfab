"""A step is a function of (oracle, state): it writes nothing to the oracle, and what it counts is in the new state."""

from __future__ import annotations

import sys
from dataclasses import fields, is_dataclass, replace

import numpy as np
import pytest
from problems import WithHessian, oracle_of, random_quadratics

import saddleback as sb
from saddleback.engine.oracle import Oracle
from saddleback.methods import METHODS, Accelerated, FixedPoint, Method
from saddleback.methods.fixed_point import FixedPointControl

OPTIONS = {"algorithm-1": {"smoothness": 10.0}}
STEPPING = [name for name, kind in METHODS.items() if issubclass(kind, Method)]


class Sealed(Oracle):
    """An oracle to which only its own code writes."""

    def __setattr__(self, name, value):
        writer = sys._getframe(1).f_globals["__name__"]
        assert not writer.startswith("saddleback.methods"), f"{writer} wrote {name}"
        super().__setattr__(name, value)


def sealed_oracle() -> Sealed:
    oracle = oracle_of(WithHessian.of(random_quadratics(0, J=3, d=4)), sb.Quadratic(0.5), w0=np.ones(4))
    oracle.__class__ = Sealed
    return oracle


def numbers(value) -> list:
    """Every number of a state, in order."""
    if is_dataclass(value):
        return [number for member in fields(value) for number in numbers(getattr(value, member.name))]
    if isinstance(value, tuple):
        return [number for item in value for number in numbers(item)]
    return [] if value is None else np.ravel(value).tolist()


@pytest.mark.parametrize("name", STEPPING)
def test_steps_write_nothing_to_the_oracle_and_repeat_to_the_bit(name):
    method, oracle = METHODS[name](**OPTIONS.get(name, {})), sealed_oracle()
    state = method.init(oracle, oracle.w0)
    for _ in range(4):
        before = numbers(state)
        after, again = method.step(oracle, state), method.step(oracle, state)
        np.testing.assert_array_equal(numbers(state), before)
        np.testing.assert_array_equal(numbers(again), numbers(after))
        state = after


def test_accelerated_steps_take_the_place_of_those_that_are_due():
    method, oracle = METHODS["quasi-newton"](), sealed_oracle()
    state = method.init(oracle, oracle.w0)
    state = method.step(oracle, replace(state, guard=replace(state.guard, credit=0)))
    assert state.guard.state is not None


def test_fixed_points_that_are_missed_are_counted_in_the_state(monkeypatch):
    monkeypatch.setattr("saddleback.methods.fixed_point.CONTROL", FixedPointControl(max_rounds=0))
    oracle = sealed_oracle()
    for method, failures in ((FixedPoint(), 1), (Accelerated(), 0)):
        state = method.step(oracle, method.init(oracle, oracle.w0))
        assert (state.inner_failures, oracle.n_inner_failures) == (failures, 0)
    with pytest.warns(sb.ConvergenceWarning, match=r"\d+ dual subproblems ended above the requested gap"):
        sb.solve(oracle.problem, np.ones(4), method="fixed-point", max_iter=3, tol=1e-12)


class Bare:
    n_losses, n_params = 3, 2

    def evaluate(self, w):
        pytest.fail("evaluated")


APPLY = ("accelerated", "quasi-newton", "fixed-point", "prox-linear")


@pytest.mark.parametrize("name", [name for name in METHODS if name not in APPLY])
def test_what_a_method_needs_is_refused_with_the_methods_that_apply(name):
    """A problem without a Hessian, a strongly convex R or a projection."""
    problem = sb.Problem(Bare(), sb.Polytope(np.vstack((np.eye(3), -np.eye(3))), np.ones(6)))
    with pytest.raises(sb.IncompatibleError) as caught:
        sb.solve(problem, method=name)
    listed = ", ".join(repr(other) for other in METHODS if other in APPLY)
    assert str(caught.value).startswith(f"{name} needs ")
    assert str(caught.value).endswith(f". Use method='auto', or one of {listed}.")
