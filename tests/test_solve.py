"""The loop: callbacks, limits, interruptions, exceptions of the user's functions, progress, warnings."""

from __future__ import annotations

import re
import time
import warnings

import numpy as np
import pytest
from calls import (
    ALL_METHODS,
    CIRCLE,
    FAR_FROM_ZERO,
    Calls,
    Later,
    cb2,
    maxq,
    quadratics,
    quietly,
    raising,
    regularizer_for,
)

import saddleback as sb

W0 = np.array([1.0, -0.1])


def options(method, **more):
    return {"jac": True, "method": method, "regularizer": regularizer_for(method), "max_iter": 200} | more


# Exceptions of the user's functions.


@pytest.mark.parametrize("method", ALL_METHODS)
@pytest.mark.parametrize("nth", [2, 3, 7, 12])
def test_an_exception_passes_through_with_the_best_point(method, nth):
    error = RuntimeError("the simulator crashed")
    fun = Later(maxq, nth, raising(error))
    with pytest.raises(RuntimeError, match="the simulator crashed") as caught:
        sb.minimax(fun, FAR_FROM_ZERO, **options(method, tol=0.0))
    assert caught.value is error, "the same object, so that callers can tell"
    result = error.result
    assert isinstance(result, sb.Result)
    assert np.isfinite(result.w).all()
    assert result.value <= maxq(FAR_FROM_ZERO)[0].max() + 1e-12
    np.testing.assert_array_equal(result.losses, maxq(result.w)[0])
    assert result.status is sb.Status.NUMERICAL_ERROR
    assert not result.success
    assert "RuntimeError" in result.message
    assert len(result.history) == result.n_iter + 1 >= 1
    assert any("best point so far" in note for note in error.__notes__)


@pytest.mark.parametrize(
    "error", [KeyError("x"), ZeroDivisionError(), OSError(5, "disk"), StopIteration(), sb.ProblemError("mine")]
)
@pytest.mark.parametrize("method", ["accelerated", "lbfgsb"])
def test_every_kind_of_exception_passes(error, method):
    with pytest.raises(type(error)) as caught:
        sb.minimax(Later(cb2, 4, raising(error)), W0, **options(method))
    assert caught.value is error
    assert np.isfinite(error.result.value)


def test_an_exception_that_takes_no_attributes_passes_too():
    class Closed(Exception):
        def __setattr__(self, name, value):
            raise AttributeError(name)

    error = Closed("full")
    with pytest.raises(Closed) as caught:
        sb.minimax(Later(cb2, 4, raising(error)), W0, jac=True)
    assert caught.value is error


def test_an_exception_at_the_very_first_call_is_left_alone():
    error = RuntimeError("no data")
    with pytest.raises(RuntimeError) as caught:
        sb.minimax(raising(error), W0, jac=True)
    assert caught.value is error
    assert not hasattr(error, "result")


def test_an_exception_of_jac():
    error = RuntimeError("no gradient")
    with pytest.raises(RuntimeError) as caught:
        sb.minimax(lambda w: cb2(w)[0], W0, jac=Later(lambda w: cb2(w)[1], 5, raising(error)))
    assert caught.value is error
    assert error.result.n_evals == 4, "evaluations that failed do not count"


def test_an_exception_of_the_callback():
    error = RuntimeError("no plot")
    with pytest.raises(RuntimeError) as caught:
        sb.minimax(cb2, W0, jac=True, callback=raising(error))
    assert caught.value is error
    assert error.result.n_iter == 0


def test_no_warning_comes_with_an_exception():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(RuntimeError):
            sb.minimax(Later(cb2, 4, raising(RuntimeError())), W0, jac=True)


# Ctrl-C.


@pytest.mark.parametrize("method", ALL_METHODS)
@pytest.mark.parametrize("nth", [2, 3, 8, 12])
def test_an_interrupt_in_fun_returns_the_best_point(method, nth):
    fun = Later(maxq, nth, raising(KeyboardInterrupt()))
    result = sb.minimax(fun, FAR_FROM_ZERO, **options(method, tol=0.0, max_iter=10**6))
    assert result.status is sb.Status.INTERRUPTED
    assert not result.success
    assert np.isfinite(result.w).all()
    seen = [maxq(w)[0].max() for w in fun.points[: nth - 1]]
    assert result.value <= seen[0] + 1e-12
    assert "best point so far" in result.message


@pytest.mark.parametrize("method", ALL_METHODS)
@pytest.mark.parametrize("nth", [1, 2, 10])
def test_an_interrupt_in_the_callback_returns_the_best_point(method, nth):
    callback = Later2(nth, raising(KeyboardInterrupt()))
    result = sb.minimax(maxq, FAR_FROM_ZERO, **options(method, tol=0.0, callback=callback))
    assert result.status is sb.Status.INTERRUPTED
    assert result.n_iter == nth - 1
    assert result.value == callback.seen[-1].value


class Later2:
    """A callback that keeps what it sees and does something at its nth call."""

    def __init__(self, nth=10**9, then=lambda progress: True):
        self.seen, self.nth, self.then = [], nth, then

    def __call__(self, progress):
        self.seen.append(progress)
        return self.then(progress) if len(self.seen) >= self.nth else None


def test_an_interrupt_of_the_first_call_is_an_interrupt():
    """There is no point yet that could be returned."""
    with pytest.raises(KeyboardInterrupt):
        sb.minimax(raising(KeyboardInterrupt()), W0, jac=True)


# Callbacks.


def stop(progress):
    raise StopIteration


@pytest.mark.parametrize("method", ALL_METHODS)
@pytest.mark.parametrize("then", [lambda p: True, lambda p: np.bool_(True), stop])
def test_a_callback_ends_the_run(method, then):
    callback = Later2(4, then)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = sb.minimax(cb2, W0, **options(method, tol=1e-12, callback=callback))
    assert result.status is sb.Status.INTERRUPTED
    assert result.n_iter == 3
    assert len(callback.seen) == 4
    assert "callback" in result.message


@pytest.mark.parametrize("answer", [None, False, np.bool_(False), 0, 1, "stop", [], [1]])
def test_only_true_ends_the_run(answer):
    """As in SciPy: other return values of a callback (an axis, a list) do not stop the run."""
    result = sb.minimax(cb2, W0, jac=True, callback=lambda p: answer)
    assert result.success


@pytest.mark.parametrize("method", ALL_METHODS)
def test_a_callback_sees_the_best_point_so_far(method):
    callback = Later2()
    result = quietly(cb2, W0, **options(method, callback=callback, max_iter=60))
    seen = callback.seen
    assert [p.n_iter for p in seen] == list(range(result.n_iter + 1))
    values = [p.value for p in seen]
    assert values == sorted(values, reverse=True)
    assert values == result.history.value.tolist()
    assert [p.gap for p in seen] == result.history.gap.tolist()
    assert [p.n_evals for p in seen] == result.history.n_evals.tolist()
    assert [p.time for p in seen] == result.history.time.tolist()
    for p in seen:
        np.testing.assert_array_equal(p.losses, cb2(p.w)[0])
        assert sb.Simplex().contains(p.dual, tol=1e-9)
        assert p.gap == p.value - p.lower_bound >= 0
    np.testing.assert_array_equal(seen[-1].w, result.w)
    np.testing.assert_array_equal(seen[0].w, W0)


def test_a_callback_may_spoil_what_it_sees():
    def spoil(progress):
        for array in (progress.w, progress.dual, progress.losses):
            array[:] = np.nan

    np.testing.assert_array_equal(sb.minimax(cb2, W0, jac=True, callback=spoil).w, sb.minimax(cb2, W0, jac=True).w)


def test_a_callback_that_stops_where_the_run_has_converged_changes_nothing():
    result = sb.minimax(cb2, W0, jac=True, callback=lambda p: p.gap <= 1e-6)
    assert result.status is sb.Status.CONVERGED


# Limits.


@pytest.mark.parametrize("method", ALL_METHODS)
def test_time_limit(method):
    def slow(w):
        time.sleep(0.004)
        return cb2(w)

    started = time.perf_counter()
    with pytest.warns(sb.ConvergenceWarning, match="TIME_LIMIT: stopped after .* the limit was 0.03 s"):
        result = sb.minimax(slow, W0, **options(method, tol=1e-14, time_limit=0.03, max_iter=10**6))
    assert result.status is sb.Status.TIME_LIMIT
    assert 0.03 <= time.perf_counter() - started < 5.0
    assert result.history.time[0] >= 0.004
    assert float(re.search(r"after (.*) s, the", result.message)[1]) >= 0.03
    assert np.isfinite(result.gap)


def test_no_time_at_all():
    result = quietly(cb2, W0, jac=True, time_limit=0)
    assert result.status is sb.Status.TIME_LIMIT
    assert result.n_iter == 0
    np.testing.assert_array_equal(result.w, W0)


@pytest.mark.parametrize("method", ALL_METHODS)
@pytest.mark.parametrize("max_iter", [0, 1])
def test_very_few_iterations(method, max_iter):
    result = quietly(cb2, W0, **options(method, max_iter=max_iter))
    assert result.status is sb.Status.MAX_ITER
    assert result.n_iter == max_iter
    assert np.isfinite([result.value, result.gap]).all()


# Warnings and progress.


@pytest.mark.parametrize("method", ALL_METHODS)
def test_exactly_one_warning_when_not_converged(method):
    with pytest.warns(sb.ConvergenceWarning, match="^MAX_ITER: ") as caught:
        result = sb.minimax(cb2, W0, **options(method, max_iter=2))
    assert len(caught) == 1
    assert result.message in str(caught[0].message)


@pytest.mark.parametrize("method", ALL_METHODS)
def test_no_warning_when_converged(method):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = sb.minimax(quadratics, [2.0, 1.0], **options(method, tol=1e-2, max_iter=5000))
    assert result.success
    assert "certified" in result.message


@pytest.mark.parametrize("method", ["accelerated", "lbfgsb"])
def test_progress_is_a_line_on_standard_error(method, capfd):
    result = sb.minimax(cb2, W0, **options(method, progress=True))
    out, err = capfd.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert err.endswith("\n")
    lines = err.strip("\n").split("\r")
    assert len([line for line in lines if line]) == result.n_iter + 1
    assert f"{method}: iteration {result.n_iter}, value {result.value:.8g}" in lines[-1]


def test_nothing_is_printed_unless_asked(capfd):
    sb.minimax(cb2, W0, jac=True)
    assert capfd.readouterr() == ("", "")


def test_progress_ends_its_line_also_after_an_exception(capfd):
    with pytest.raises(RuntimeError):
        sb.minimax(Later(cb2, 5, raising(RuntimeError())), W0, jac=True, progress=True)
    assert capfd.readouterr().err.endswith("\n")


# The start.


def test_the_start_defaults_to_zeros():
    losses = sb.from_functions(quadratics, [5.0, 5.0], jac=True)
    callback = Later2()
    result = sb.solve(sb.Problem(losses), callback=callback)
    np.testing.assert_array_equal(callback.seen[0].w, np.zeros(2))
    assert result.value == pytest.approx(CIRCLE, abs=1e-6)


def test_the_start_is_not_changed():
    w0 = W0.copy()
    sb.minimax(cb2, w0, jac=True)
    np.testing.assert_array_equal(w0, W0)


@pytest.mark.parametrize("w0", [[1, 2], (1, 2), np.array([1, 2], dtype=np.int8), np.array([1, 2], dtype=np.float16)])
def test_the_start_may_be_any_vector(w0):
    fun = Calls(quadratics)
    assert sb.minimax(fun, w0, jac=True).success
    assert fun.points[0].dtype == np.float64


def test_the_bound_holds_within_the_radius_that_was_asked():
    result = sb.minimax(cb2, W0, jac=True, radius=10.0, tol=1e-4)
    assert result.radius == 10.0
    assert result.success
    rng = np.random.default_rng(0)
    for direction in rng.normal(size=(200, 2)):
        v = result.w + direction / np.linalg.norm(direction) * 10 * rng.uniform()
        assert cb2(v)[0].max() >= result.lower_bound


NUMBERS = [5, np.int8(5), np.uint64(5), np.float16(5), np.float32(5), np.array(5), np.array(5.0), np.array(5, "f2")]


@pytest.mark.parametrize("radius", [*NUMBERS, 2**64], ids=lambda x: f"{type(x).__name__} {getattr(x, 'dtype', '')}")
def test_a_radius_of_any_kind_is_the_same_number(radius):
    """A radius in float16 must not give a certificate in float16, and integers must not overflow."""
    problem = sb.Problem(sb.from_functions(cb2, W0, jac=True))
    for result, plain in (
        (sb.minimax(cb2, W0, jac=True, radius=r) for r in (radius, float(radius))),
        (quietly(cb2, W0, jac=True, radius=r, method="accelerated", max_iter=20) for r in (radius, float(radius))),
        (sb.certify(problem, W0, radius=r) for r in (radius, float(radius))),
        (sb.solve(problem, W0, radius=r) for r in (radius, float(radius))),
    ):
        for name in ("value", "lower_bound", "gap", "radius"):
            ours, theirs = getattr(result, name), getattr(plain, name)
            assert type(ours) is float
            assert ours == theirs
        np.testing.assert_array_equal(result.reach, plain.reach)


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.array])
def test_options_of_any_kind_of_number(kind):
    quarter = kind(0.25)
    plain = quietly(cb2, W0, jac=True, tol=0.25, metric=0.25, time_limit=64.0)
    other = quietly(cb2, W0, jac=True, tol=quarter, metric=quarter, time_limit=kind(64.0))
    assert (other.value, other.gap) == (plain.value, plain.gap)
    assert type(sb.FixedPoint(accuracy=quarter).accuracy) is float
    assert type(sb.Accelerated(inner_accuracy=quarter).inner_accuracy) is float
    assert type(sb.LBFGSB(ftol=quarter).ftol) is float
    assert type(sb.LBFGSB(memory=np.int8(5)).memory) is int
