"""Pointwise losses that keep the contract pass; each promise that a loss breaks is named."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pytest
from doors.pointwise import Probit, Tweedie

import saddleback as sb
from saddleback.losses import Huber, Logistic, PointwiseLoss, Quantile, Squared
from saddleback.testing import ContractError, check_pointwise_loss

from .broken import failures

OURS = ["logistic", "squared", "huber", "squared_hinge", "poisson", "quantile"]


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize(
    "loss",
    [*OURS, Huber(delta=0.3), Quantile(q=0.9, smoothing=0.01), Probit(), Tweedie(), Tweedie(1.1), Tweedie(1.9)],
    ids=[*OURS, "narrow huber", "sharp quantile", "probit", "tweedie", "tweedie 1.1", "tweedie 1.9"],
)
def test_right_losses_pass(loss, seed):
    check_pointwise_loss(loss, seed=seed)


# --- broken promises --------------------------------------------------------------------------------------------------


def square(**changes):
    """(eta - y)^2, with changes; None takes a part away."""
    parts = {
        "value_and_slope": lambda eta, y: ((eta - y) ** 2, 2 * (eta - y)),
        "curvature": lambda eta, y: np.full(eta.shape, 2.0),
        **changes,
    }
    return SimpleNamespace(**{name: part for name, part in parts.items() if part is not None})


def logistic(**changes):
    return square(
        **{
            "response": "binary",
            "value_and_slope": Logistic().value_and_slope,
            "curvature": Logistic().curvature,
            **changes,
        }
    )


def writes(name):
    def value_and_slope(eta, y):
        argument = {"eta": eta, "y": y}[name]
        argument += 1.0
        return (eta - y) ** 2, 2 * (eta - y)

    return value_and_slope


class Reuses:
    """Returns the same array at every call."""

    def __init__(self):
        self.buffers = {}

    def value_and_slope(self, eta, y):
        value = self.buffers.setdefault(eta.size, np.empty(eta.size))
        value[:] = (eta - y) ** 2
        return value, 2 * (eta - y)

    def curvature(self, eta, y):
        return np.full(eta.shape, 2.0)


def random(eta, y, rng=np.random.default_rng(0)):  # noqa: B008
    return (eta - y) ** 2 + rng.random(eta.size), 2 * (eta - y)


def naive_logistic(eta, y):
    e = np.exp(y * eta)
    return np.logaddexp(0.0, -y * eta), -y * (1.0 - e / (1.0 + e))


def negated(function):
    return lambda eta, y: tuple(-part for part in function(eta, y))


BROKEN = {
    "no functions": (SimpleNamespace(), "protocol", "unknown loss"),
    "no value": (square(value_and_slope=None), "protocol", "has no value_and_slope"),
    "a class": (Squared, "protocol", "Pass an instance"),
    "classes": ("softmax", "protocol", "one margin per row"),
    "response": (square(response="counts"), "protocol", "must be one of 'real', 'count', 'binary'; got 'counts'"),
    "convex no boolean": (square(convex="yes"), "protocol", "convex of the pointwise loss"),
    "bounded no boolean": (square(bounded_below=1), "protocol", "bounded_below of the pointwise loss"),
    "negative bound": (square(curvature_bound=-2.0), "protocol", "curvature_bound"),
    "values alone": (square(value_and_slope=lambda eta, y: eta), "shapes", "expected the pair (values, slopes)"),
    "mean": (square(value_and_slope=lambda eta, y: (eta.mean(), eta)), "shapes", "has shape (); expected"),
    "column": (square(value_and_slope=lambda eta, y: (eta, eta[:, None])), "shapes", "the slopes of value_and_slope"),
    "one curvature": (square(curvature=lambda eta, y: 2.0), "shapes", "the curvature for eta of shape (360,)"),
    "no numbers": (square(curvature=lambda eta, y: ["2"] * eta.size), "shapes", "must be real numbers"),
    "writes eta": (square(value_and_slope=writes("eta")), "pure", "writes into eta"),
    "writes y": (square(value_and_slope=writes("y")), "pure", "writes into y"),
    "reuses": (Reuses(), "pure", "overwrites the arrays that an earlier call returned"),
    "random": (square(value_and_slope=random), "pure", "is not deterministic"),
    "not finite": (square(value_and_slope=lambda eta, y: (np.log(eta), 1 / eta)), "finite", "value_and_slope(eta, y)"),
    "nan curvature": (square(curvature=lambda eta, y: np.full(eta.shape, np.nan)), "finite", "curvature(eta, y) retur"),
    "overflow": (logistic(value_and_slope=naive_logistic), "finite", "the slope is nan: an overflow on the way"),
    "rows depend": (
        square(value_and_slope=lambda eta, y: ((eta - y) ** 2 - (eta - y).mean(), 2 * (eta - y))),
        "row_by_row",
        "depends on the other rows",
    ),
    "slope": (square(value_and_slope=lambda eta, y: ((eta - y) ** 2, eta - y)), "slope_of_value", "not the derivative"),
    "slope at one label": (
        logistic(value_and_slope=lambda eta, y: (np.logaddexp(0, -y * eta), -1 / (1 + np.exp(y * eta)))),
        "slope_of_value",
        "y = -1",
    ),
    "curvature": (square(curvature=lambda eta, y: np.ones(eta.shape)), "curvature", "got 1, expected 2"),
    "not convex": (
        square(value_and_slope=lambda eta, y: (np.log1p(eta**2), 2 * eta / (1 + eta**2)), curvature=None, convex=True),
        "convex",
        "declares convex = True",
    ),
    "negative curvature": (square(curvature=lambda eta, y: np.full(eta.shape, -2.0), convex=True), "convex", "is -2"),
    "unbounded": (
        square(value_and_slope=lambda eta, y: (eta, np.ones(eta.shape)), curvature=None, bounded_below=True),
        "bounded_below",
        "Leave bounded_below out",
    ),
    "unbounded slowly": (
        square(
            value_and_slope=lambda eta, y: (-np.log1p(eta**2), -2 * eta / (1 + eta**2)),
            curvature=None,
            bounded_below=True,
        ),
        "bounded_below",
        "it falls to -",
    ),
    "bound": (square(curvature_bound=1.9), "curvature_bound", "curvature_bound is 1.9, but |curvature|"),
    "bound without curvature": (square(curvature_bound=1.9, curvature=None), "curvature_bound", "the slope changes by"),
    "compiled": (square(compiled=lambda eta, y: ((eta - y) ** 2, eta - y)), "compiled", "another slope"),
    "compiled far from zero": (
        square(compiled=lambda eta, y: ((eta - y) ** 2 if eta < 2.0 else 0.0, 2 * (eta - y))),
        "compiled",
        "another value",
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_each_defect_is_named(name):
    loss, check, words = BROKEN[name]
    found = failures(check_pointwise_loss, loss)
    assert words in found[check]


def test_a_wrong_sign_fails_by_margin_and_response():
    found = failures(check_pointwise_loss, logistic(value_and_slope=negated(Logistic().value_and_slope), convex=True))
    assert set(found) == {"curvature", "convex"}
    assert "its slope falls from" in found["convex"]


def test_all_failures_are_listed():
    with pytest.raises(ContractError, match=r"fails 2 checks") as caught:
        check_pointwise_loss(square(curvature=lambda eta, y: np.full(eta.shape, 3.0), curvature_bound=1.0))
    assert "[curvature]" in str(caught.value)
    assert "[curvature_bound]" in str(caught.value)


def test_a_domain_is_the_callers_to_give():
    loss = square(value_and_slope=lambda eta, y: (-np.log(eta), -1 / eta), curvature=lambda eta, y: 1 / eta**2)
    assert "pass margins eta" in failures(check_pointwise_loss, loss)["finite"]
    check_pointwise_loss(loss, eta=np.linspace(0.1, 9.0, 20), y=[0.0])
    with pytest.raises(sb.ProblemError, match="y must hold -1 and 1"):
        check_pointwise_loss(logistic(), y=[0.0, 1.0])


def test_a_jump_of_the_slope_is_left_alone_and_one_everywhere_is_not():
    pinball = square(
        value_and_slope=lambda eta, y: (np.abs(eta - y), np.sign(eta - y)), curvature=lambda eta, y: np.zeros(eta.shape)
    )
    check_pointwise_loss(pinball)
    rough = square(value_and_slope=lambda eta, y: (np.floor(1e6 * eta) % 7, np.zeros(eta.shape)), curvature=None)
    assert "cannot be verified" in failures(check_pointwise_loss, rough)["slope_of_value"]


def test_errors_of_the_loss_are_theirs_with_a_note():
    def fails(eta, y):
        raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine") as caught:
        check_pointwise_loss(square(value_and_slope=fails))
    assert "the check 'shapes'" in caught.value.__notes__[0]


def test_a_compiled_loss_passes():
    def scalar(eta, y):
        margin = y * eta
        e = math.exp(-abs(margin))
        return max(-margin, 0.0) + math.log1p(e), -y * (e if margin >= 0 else 1.0) / (1 + e)

    check_pointwise_loss(logistic(compiled=scalar, convex=True, bounded_below=True, curvature_bound=0.25))


def test_subclasses_of_the_base_class_pass():
    class LogCosh(PointwiseLoss):
        convex, bounded_below, largest_curvature = True, True, 1.0

        def value_and_slope(self, eta, y):
            r = eta - y
            return np.logaddexp(r, -r) - np.log(2.0), np.tanh(r)

        def curvature(self, eta, y):
            return 1.0 - np.tanh(eta - y) ** 2

    check_pointwise_loss(LogCosh())
