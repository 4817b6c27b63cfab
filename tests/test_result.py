"""What a run returns: consistent numbers, JSON, a plot, a line of text."""

from __future__ import annotations

import json
import sys
from dataclasses import fields, replace

import matplotlib as mpl
import numpy as np
import pytest
from calls import ALL_METHODS, Calls, quadratics, quietly, regularizer_for
from scipy.optimize import OptimizeResult

import saddleback as sb

mpl.use("Agg")

PROBLEMS = {
    "converged": {"fun": quadratics, "w0": [2.0, 1.0]},
    "limit": {"fun": quadratics, "w0": [2.0, 1.0], "max_iter": 3},
    "start": {"fun": quadratics, "w0": [2.0, 1.0], "max_iter": 0},
    "nonconvex": {"fun": lambda w: (np.cos(w), np.diag(-np.sin(w))), "w0": [0.1, 0.2], "max_iter": 20},
    "unbounded": {"fun": lambda w: (w, np.eye(2)), "w0": [0.1, 0.2]},
    "one": {"fun": lambda w: (w @ w, 2 * w), "w0": [1.0]},
    "metric": {"fun": quadratics, "w0": [2.0, 1.0], "metric": [2.0, 3.0]},
    "entropy": {"fun": quadratics, "w0": [2.0, 1.0], "regularizer": sb.Entropy(0.3)},
}


def run(name, **options):
    problem = PROBLEMS[name] | options
    return quietly(problem.pop("fun"), problem.pop("w0"), jac=True, **problem)


@pytest.mark.parametrize("name", PROBLEMS)
@pytest.mark.parametrize("method", ALL_METHODS)
def test_numbers_agree_with_each_other(name, method):
    problem = {"regularizer": regularizer_for(method), "max_iter": 60} | PROBLEMS[name]
    fun, w0 = Calls(problem.pop("fun")), problem.pop("w0")
    with np.errstate(over="ignore", invalid="ignore"):
        result = quietly(fun, w0, jac=True, method=method, **problem)
    f = np.atleast_1d(fun(result.w)[0])
    d = np.size(w0)
    assert result.w.shape == (d,)
    assert result.dual.shape == result.losses.shape == f.shape
    np.testing.assert_array_equal(result.losses, f)
    adversary = sb.Problem(sb.from_functions(fun, result.w, True), regularizer=problem["regularizer"])
    assert result.value == adversary.value(result.w), "value is g(w), to the last bit"
    assert sb.Simplex().contains(result.dual, tol=1e-9)
    if np.isfinite(result.gap):
        assert result.gap == result.value - result.lower_bound
        assert result.lower_bound <= result.value + 1e-9 * abs(result.value)
    else:
        assert (result.gap, result.lower_bound) == (np.inf, -np.inf)
    assert result.radius > 0
    assert np.isnan(result.gap_estimate) or 0 <= result.gap_estimate <= result.gap
    assert isinstance(result.status, sb.Status)
    assert result.success is (result.status is sb.Status.CONVERGED)
    assert isinstance(result.success, bool)
    assert isinstance(result.certified, bool)
    assert result.certified is (result.success and result.message.startswith("certified"))
    assert not result.certified or np.isfinite(result.gap)
    assert result.method == method
    assert result.message
    assert result.value <= adversary.value(np.asarray(w0, dtype=float)), "never worse than the start"


@pytest.mark.parametrize("method", ALL_METHODS)
def test_history(method):
    result = run("converged", method=method, regularizer=regularizer_for(method), max_iter=40)
    h = result.history
    arrays = (h.time, h.value, h.gap, h.n_evals, h.inner_gap, h.inner_iter)
    assert {len(a) for a in arrays} == {len(h)} == {result.n_iter + 1}
    assert (np.diff(h.time) >= 0).all()
    assert h.time[0] >= 0
    assert (np.diff(h.value) <= 0).all(), "values are those of the best point so far"
    assert (np.diff(h.n_evals) >= 0).all()
    assert h.n_evals[0] >= 1
    assert h.n_evals[-1] <= result.n_evals
    assert (h.inner_gap >= 0).all()
    assert (h.inner_iter >= 0).all()
    assert h.inner_iter.sum() <= result.n_inner
    assert h.value[-1] == result.value
    assert h.gap[-1] == result.gap
    assert (h.gap >= 0).all()


@pytest.mark.parametrize("method", ALL_METHODS)
@pytest.mark.parametrize("how", ["pair", "separate"])
def test_evaluations_are_counted_truly(method, how):
    """With jac=True every call of fun is one; with a separate jac every call of jac is."""
    fun = Calls(quadratics if how == "pair" else lambda w: quadratics(w)[0])
    jac = Calls(lambda w: quadratics(w)[1])
    result = quietly(
        fun,
        [2.0, 1.0],
        jac=True if how == "pair" else jac,
        method=method,
        regularizer=regularizer_for(method),
        max_iter=30,
        tol=1e-9,
    )
    assert result.n_evals == result.njev == (fun.n if how == "pair" else jac.n)
    assert fun.n <= result.nfev
    if how == "pair":
        assert result.n_values == 0
    else:
        # A point that is looked at first and evaluated next costs fun once: its last answer is remembered.
        assert jac.n <= fun.n <= jac.n + result.n_values


@pytest.mark.parametrize("name", PROBLEMS)
def test_to_dict_is_json(name):
    result = run(name)
    plain = json.loads(json.dumps(result.to_dict()))
    assert plain["status"] == result.status.name
    assert plain["success"] is result.success
    assert plain["w"] == result.w.tolist()
    assert plain["gap"] == result.gap
    assert plain["history"]["value"] == result.history.value.tolist()
    assert set(plain) == {field.name for field in fields(sb.Result)} | {"success"}


@pytest.mark.parametrize("name", PROBLEMS)
def test_scipys_names_and_items(name):
    """What works on SciPy's OptimizeResult: attributes, items, in, keys, get, a dictionary made of it."""
    result = run(name)
    theirs = OptimizeResult(x=1, fun=2, nit=3, nfev=4, njev=5, success=True, status=0, message="")
    assert set(theirs) <= set(result.keys())
    assert result["x"] is result.x is result.w
    assert result["fun"] == result.fun == result.value
    assert (result.nit, result.njev, result.nfev) == (result.n_iter, result.n_evals, result.n_evals + result.n_values)
    for key in result:
        assert key in result
        assert result[key] is getattr(result, key) or result[key] == getattr(result, key)
    assert list(result) == result.keys() == list(dict(result)) == [key for key, _ in result.items()]
    assert {field.name for field in fields(sb.Result)} | {"success"} <= set(result.keys())
    assert "y" not in result
    assert result.get("y") is None
    assert result.get("y", 7) == 7
    assert result.get("w") is result.w
    with pytest.raises(KeyError, match="a result has no 'y'; it has w, dual, value"):
        result["y"]
    with pytest.raises(KeyError, match="a result has no 0"):
        result[0]


def test_certified_is_not_claimed_for_estimates():
    """Without a penalty a certificate needs far more accuracy than the value does: quasi-Newton ends by an estimate."""
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(300, 30)), rng.integers(0, 2, 300)
    problem = sb.Problem(sb.GroupedLinear(X, y, np.arange(300) % 4, fit_intercept=False))
    result = sb.solve(problem, method="quasi-newton", tol=1e-8)
    assert result.success
    assert result.message.startswith("estimated")
    assert result.message.endswith(f"(certified within {result.radius:.3g} of w: {result.gap:.3g})")
    assert result.gap > 1e-8
    assert not result.certified
    assert result.to_dict()["certified"] is False


def test_results_are_no_sequences():
    """NumPy must not take the items of a result for a row of an array."""
    result = run("converged")
    assert np.array([result, result]).shape == (2,)
    assert np.asarray(result).shape == ()


@pytest.mark.parametrize("name", PROBLEMS)
def test_plot(name):
    result = run(name)
    axes = result.plot()
    try:
        assert axes.get_xlabel() == "seconds"
        assert result.method in axes.get_title()
        drawn = [line for line in axes.lines if len(line.get_xdata())]
        for line in drawn:
            assert np.isfinite(line.get_ydata()).all()
            assert (line.get_ydata() > 0).all(), "the axis is logarithmic"
        if np.isinf(result.gap):
            assert all("lower bound" not in line.get_label() for line in drawn), "there is no bound to draw"
        else:
            assert max(line.get_ydata().max() for line in drawn) < 1e300
        axes.figure.canvas.draw()
    finally:
        mpl.pyplot.close(axes.figure)


def test_plot_on_given_axes():
    figure, axes = mpl.pyplot.subplots()
    # An example that ran before in this process may have left its own.
    before = mpl.pyplot.get_fignums()
    try:
        assert run("converged").plot(axes) is axes
        assert mpl.pyplot.get_fignums() == before, "no second figure may be left behind"
    finally:
        mpl.pyplot.close(figure)


def test_plot_without_matplotlib_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(sb.MissingDependencyError, match=r"pip install 'saddleback\[plot\]'"):
        run("converged").plot()


@pytest.mark.parametrize("name", PROBLEMS)
def test_text(name):
    result = run(name)
    text = str(result)
    assert "\n" not in text
    assert text.startswith(result.status.name)
    assert result.message in text
    assert f"{result.n_evals} evaluations" in text
    assert ("no certificate" in text) == bool(np.isinf(result.gap))
    assert repr(result).startswith("Result(w=")
    assert "history" not in repr(result)


def test_a_global_bound_says_so():
    class Losses:
        n_losses, n_params, strong_convexity = 3, 2, 1.0
        evaluate = staticmethod(quadratics)

    result = sb.solve(sb.Problem(Losses()), [2.0, 1.0])
    assert result.radius == np.inf
    assert "(everywhere)" in str(result)
    assert f"within {run('converged').radius:.3g} of w" in str(run("converged"))


@pytest.mark.parametrize(
    ("reach", "words"),
    [
        ([np.inf, np.inf], "everywhere"),
        ([2.5, 2.5], "within 2.5 of w"),
        ([2.5, 2.5 + 1e-9], "within 2.5 of w"),
        ([1024.0, 1.0, 1 / 1024], "within 0.000977 to 1.02e+03 of w, depending on the parameter"),
        ([np.inf, np.inf, 2.0], "within 2 of w along 1 of 3 parameters, everywhere along the others"),
        ([np.inf, 0.5, 2.0], "within 0.5 to 2 of w along 2 of 3 parameters, everywhere along the others"),
    ],
)
def test_region_in_words(reach, words):
    """The least reach alone would make a good bound look worthless where parameters differ in size."""
    result = replace(run("converged"), reach=np.array(reach))
    assert f"({words});" in str(result)


def test_the_message_says_where_the_gap_is_certified():
    """Everywhere it is plain; within a region it names the region, as the printed form does."""
    bounded = run("converged")
    where = f"within {bounded.radius:.3g} of w"
    assert np.isfinite(bounded.radius)
    assert bounded.message.startswith(f"certified {where}: the gap {bounded.gap:.3g} is within the tolerance ")
    assert f"({where})" in str(bounded)
    X = np.array([[1.0], [2.0], [4.0]])
    table = sb.GroupedLinear(X, X[:, 0] ** 2, np.arange(3), loss="squared", l2=0.1, fit_intercept=False)
    everywhere = sb.solve(sb.Problem(table))
    assert everywhere.radius == np.inf
    assert everywhere.message.startswith(f"certified: the gap {everywhere.gap:.3g} is within the tolerance ")


def test_changing_a_result_changes_nothing_else():
    losses = sb.from_functions(quadratics, [2.0, 1.0], True)
    problem = sb.Problem(losses)
    first = sb.solve(problem, [2.0, 1.0])
    w, dual = first.w.copy(), first.dual.copy()
    first.w[:] = first.dual[:] = first.losses[:] = np.nan
    second = sb.solve(problem, [2.0, 1.0])
    np.testing.assert_array_equal(second.w, w)
    np.testing.assert_array_equal(second.dual, dual)


def test_runs_are_reproducible():
    first, second = run("converged"), run("converged")
    np.testing.assert_array_equal(first.w, second.w)
    assert first.n_evals == second.n_evals


@pytest.mark.parametrize("method", ALL_METHODS)
@pytest.mark.parametrize("again", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_dual_value_is_at_least_the_lower_bound(method, again, seed):
    """For circles min over v of <lam, f(v)> is <lam, |a|^2>/2 - |sum lam a|^2/2. The start may be the optimum, too."""
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(rng.integers(2, 6), rng.integers(1, 4)))
    R, w0 = regularizer_for(method), rng.normal(size=A.shape[1])

    def fun(w):
        return 0.5 * ((w - A) ** 2).sum(axis=1), w - A

    result = quietly(fun, w0, jac=True, method=method, regularizer=R, max_iter=150)
    if again:
        result = quietly(fun, result.w, jac=True, method=method, regularizer=R, max_iter=150)
    lam = result.dual
    mean = lam @ A
    dual_value = 0.5 * (lam @ (A**2).sum(axis=1) - mean @ mean) - R.value(lam)
    assert dual_value >= result.lower_bound - 1e-12
    assert dual_value <= result.value + 1e-12


@pytest.mark.parametrize("method", ["accelerated", "prox-linear"])
def test_dual_where_losses_tie_at_the_start(method):
    """At w0 = 0 the losses tie and the optimal weights are (3/4, 1/4): the best response alone cannot tell."""

    def fun(w):
        return [w[0] + 0.5 * w[0] ** 2, -3 * w[0] + 0.5 * w[0] ** 2], [[1.0 + w[0]], [-3.0 + w[0]]]

    result = sb.minimax(fun, [0.0], jac=True, method=method)
    assert result.success
    np.testing.assert_allclose(result.dual, [0.75, 0.25], atol=1e-3)
