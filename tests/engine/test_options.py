"""The options that solve and minimax share: checked once, before any function of the user is called."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest
from calls import quadratics

import saddleback as sb
from saddleback.engine.options import CHECKPOINT_EVERY, Options

DEFAULTS = {
    name: parameter.default
    for name, parameter in inspect.signature(sb.solve).parameters.items()
    if name not in ("problem", "w0", "method")
}
WRONG = [
    ("inner", "simplex", "unknown inner solver 'simplex'"),
    ("tol", -1.0, "tol must be a finite number >= 0; got -1.0"),
    ("tol", "small", "tol must be a number; got 'small'"),
    ("max_iter", 1.5, "max_iter must be a whole number >= 0; got 1.5"),
    ("time_limit", -1, "time_limit must be a finite number >= 0; got -1"),
    ("callback", 3, "callback must be callable; got int"),
    ("progress", 1, "progress must be True or False; got 1"),
    ("checkpoint", 3.5, "checkpoint must be a path; got 3.5"),
    ("resume", "yes", "resume must be True or False; got 'yes'"),
    ("resume", True, "resume=True needs checkpoint="),
    ("radius", 0.0, "radius must be a finite number > 0; got 0.0"),
    ("checkpoint_every", -2.0, "checkpoint_every must be a finite number >= 0; got -2.0"),
]


def test_defaults_pass():
    options = Options.checked(None, **DEFAULTS)
    assert (options.method, options.inner.name, options.checkpoint, options.radius) == (None, "auto", None, None)
    assert (options.stopping.tol, options.stopping.max_iter, options.stopping.time_limit) == (1e-6, 1000, None)
    assert options.checkpoint_every == CHECKPOINT_EVERY


def test_both_entrances_have_the_same_defaults():
    minimax = inspect.signature(sb.minimax).parameters
    assert {name: minimax[name].default for name in DEFAULTS} == DEFAULTS
    assert minimax["method"].default == inspect.signature(sb.solve).parameters["method"].default


def test_options_are_converted_once(tmp_path):
    given = {**DEFAULTS, "tol": 0, "radius": 2, "checkpoint": str(tmp_path / "run"), "checkpoint_every": 1}
    options = Options.checked(None, **given)
    assert options.checkpoint == Path(tmp_path / "run").resolve()
    assert [type(x) for x in (options.stopping.tol, options.radius, options.checkpoint_every)] == [float] * 3


@pytest.mark.parametrize(("name", "value", "message"), WRONG)
def test_a_wrong_option_is_refused_by_name_before_any_evaluation(name, value, message):
    def never(w):
        pytest.fail("a function of the user was called")

    class Losses:
        n_losses, n_params = 2, 2
        evaluate = staticmethod(never)

    with pytest.raises(sb.ProblemError, match=message):
        Options.checked(None, **{**DEFAULTS, name: value})
    with pytest.raises(sb.ProblemError, match=message):
        sb.minimax(never, [2.0, 1.0], jac=True, **{name: value})
    with pytest.raises(sb.ProblemError, match=message):
        sb.solve(sb.Problem(Losses()), **{name: value})


def test_solve_and_minimax_run_alike():
    ours = sb.minimax(quadratics, [2.0, 1.0], jac=True, tol=1e-8, radius=3.0)
    theirs = sb.solve(sb.Problem(sb.from_functions(quadratics, [2.0, 1.0], jac=True)), [2.0, 1.0], tol=1e-8, radius=3.0)
    assert (ours.n_iter, ours.value, ours.gap, ours.radius) == (theirs.n_iter, theirs.value, theirs.gap, 3.0)
