"""A user's pointwise loss with a compiled function: the numbers of the loss in NumPy, in one pass over X."""

from __future__ import annotations

import math
import pickle
import subprocess
import sys

import numba
import numpy as np
import pytest

import saddleback as sb
from saddleback.losses.grouped import reader
from saddleback.losses.grouped.kernels.arguments import USER

from .cases import assert_same, make
from .own_losses import LogCosh
from .tables.test_layouts import LAYOUTS, NARROW, WIDE


@numba.njit
def log_cosh(eta, y):
    r = abs(eta - y)
    return r + math.log1p(math.exp(-2.0 * r)) - math.log(2.0), math.tanh(eta - y)


class Compiled(LogCosh):
    """Found as a method, as a static function, or by its name in the object: all are taken."""

    convex, bounded_below, largest_curvature = True, True, 1.0
    compiled = log_cosh

    def value_and_slope(self, eta, y):
        return super().value_and_slope(eta, y)

    def curvature(self, eta, y):
        return super().curvature(eta, y)


class Static(Compiled):
    compiled = staticmethod(log_cosh)


class Plain(Compiled):
    """Compiled for the user."""

    compiled = staticmethod(log_cosh.py_func)


def losses_of(case, loss, X=None, **options):
    return sb.GroupedLinear(case.X if X is None else X, case.y, case.groups, loss=loss, l2=0.1, **options)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("d", [NARROW, WIDE])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts(layout, d, dtype):
    case = make("squared", d=d, dtype=dtype)
    X = LAYOUTS[layout](case.X)
    compiled, plain = (losses_of(case, loss, X, n_threads=2) for loss in (Compiled(), LogCosh()))
    w = case.point(plain, 3.0)
    for ours, other in zip(compiled.evaluate(w), plain.evaluate(w), strict=True):
        assert_same(ours, other, 1e-12)
    assert_same(compiled.values(w), plain.values(w), 1e-12)


@pytest.mark.parametrize("loss", [Compiled(), Static(), Plain()], ids=["method", "static", "not yet compiled"])
def test_one_pass_without_python(loss, monkeypatch):
    case = make("squared")
    losses = losses_of(case, loss)
    assert losses.loss.kernel == USER

    def refuse(*args):
        raise AssertionError("evaluations call the compiled function")

    monkeypatch.setattr(reader.Reader, "_read_in_halves", refuse)
    w = case.point(losses)
    f, G = losses.evaluate(w)
    again = pickle.loads(pickle.dumps(losses))
    np.testing.assert_array_equal(again.evaluate(w)[1], G)
    held_out = losses.on(case.X, case.y, case.groups)
    assert_same(held_out.values(w) + 0.05 * float(w[:-1] @ w[:-1]), f, 1e-12)


def test_solved():
    case = make("squared", n=300, d=5)
    a, b = (sb.solve(sb.Problem(losses_of(case, loss)), tol=1e-9) for loss in (Compiled(), LogCosh()))
    assert a.success
    assert a.value == pytest.approx(b.value, abs=2e-9)


def test_a_subclass_with_other_functions_does_not_inherit_the_compiled_one():
    class Doubled(Compiled):
        def value_and_slope(self, eta, y):
            value, slope = super().value_and_slope(eta, y)
            return 2 * value, 2 * slope

    case = make("squared")
    losses, plain = losses_of(case, Doubled()), losses_of(case, LogCosh())
    assert losses.loss.kernel is None
    w = np.zeros(8)
    assert_same(losses.values(w), 2 * plain.values(w), 1e-12)


def broken(function):
    return type("Broken", (Compiled,), {"compiled": staticmethod(function)})()


REFUSED = {
    "no function": (type("Broken", (Compiled,), {"compiled": 3})(), "compiled of the pointwise loss Broken must be a"),
    "not compilable": (
        broken(lambda eta, y: (str(eta), {}[y])),
        "must be a function of two floats that Numba compiles",
    ),
    "one number": (broken(lambda eta, y: eta - y), "returns .value, slope."),
    "three arguments": (broken(lambda eta, y, z: (eta, y)), "a function of two floats"),
    "another loss": (
        broken(lambda eta, y: ((eta - y) ** 2, 2 * (eta - y))),
        r"its value at eta = 0, y = \S+ is \S+, not",
    ),
    "another slope": (broken(lambda eta, y: (log_cosh(eta, y)[0], 0.5)), "its slope at eta = 0"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name):
    loss, message = REFUSED[name]
    with pytest.raises(sb.ProblemError, match=message):
        losses_of(make("squared"), loss)


CACHED = """
import numpy as np
import saddleback as sb

class Square:
    def value_and_slope(self, eta, y):
        return (eta - y) ** 2, 2 * (eta - y)
    def compiled(eta, y):
        return (eta - y) ** 2, 2 * (eta - y)

sb.GroupedLinear([[1.0, 2.0], [2.0, 1.0]], [0.0, 1.0], [0, 1], loss=Square()).evaluate(np.zeros(3))
from saddleback.losses.grouped.kernels.arguments import USER
from saddleback.losses.grouped.kernels.columns import evaluation
print(sum(evaluation(USER).stats.cache_misses.values()), len(evaluation(USER).signatures))
"""


@pytest.mark.slow
def test_all_compiled_losses_share_the_cached_kernel():
    run = subprocess.run([sys.executable, "-c", CACHED.replace("** 2", "** 4")], check=True, timeout=120)
    run = subprocess.run([sys.executable, "-c", CACHED], check=True, timeout=120, capture_output=True, text=True)
    assert run.stdout.split() == ["0", "1"]
