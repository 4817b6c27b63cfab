"""Facts: what losses declare, and the defaults where they do not."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

import saddleback as sb
from saddleback.losses import LossFacts

DEFAULTS = {
    "convex": False,
    "bounded_below": False,
    "values_first": False,
    "exact_jacobian": True,
    "n_entries": 6.0,
    "matrix_size": None,
    "strong_convexity": 0.0,
}


def losses(**facts):
    return SimpleNamespace(n_losses=2, n_params=3, evaluate=None, **facts)


def refuse():
    raise AssertionError("reading facts computes nothing")


def test_defaults():
    assert vars(LossFacts.of(losses())) == DEFAULTS
    assert vars(LossFacts.of(losses(**dict.fromkeys(DEFAULTS)))) == DEFAULTS


def test_declared():
    declared = {
        "convex": True,
        "bounded_below": np.True_,
        "values_first": True,
        "exact_jacobian": False,
        "n_entries": 7,
        "matrix_size": 2,
        "strong_convexity": 0.5,
    }
    assert vars(LossFacts.of(losses(**declared))) == declared


@pytest.mark.parametrize("name", ["convex", "bounded_below", "values_first", "exact_jacobian"])
@pytest.mark.parametrize("value", [refuse, "yes", 1, None])
def test_what_is_no_boolean_declares_nothing(name, value):
    assert getattr(LossFacts.of(losses(**{name: value})), name) is DEFAULTS[name]


def test_strong_convexity_may_be_a_method_or_per_coordinate():
    assert LossFacts.of(losses(strong_convexity=lambda: 2.0)).strong_convexity == 2.0
    m = np.array([1.0, 0.0, 0.0])
    assert LossFacts.of(losses(strong_convexity=m)).strong_convexity is m


def test_capabilities_are_not_called():
    names = (
        "smoothness",
        "parameter_scales",
        "hessian",
        "loss_hessians",
        "values",
        "sampled_hessian",
        "jacobian_error",
    )
    LossFacts.of(losses(**dict.fromkeys(names, refuse)))


def test_facts_of_grouped_linear():
    facts = LossFacts.of(sb.GroupedLinear(np.ones((4, 2)), [0, 1, 0, 1], [0, 0, 1, 1], l2=0.1))
    assert (facts.convex, facts.bounded_below, facts.exact_jacobian, facts.n_entries) == (True, True, True, 8.0)
    np.testing.assert_array_equal(facts.strong_convexity, [0.1, 0.1, 0.0])
