"""The names, signatures and fields that are promised to users."""

from __future__ import annotations

import dataclasses
import enum
import importlib.metadata
import inspect
import re

import numpy as np
import pytest
import scipy
from calls import ALL_METHODS, quadratics, regularizer_for

import saddleback as sb
from saddleback.methods import METHODS
from saddleback.subproblem import INNER_SOLVERS

NAMES = [
    "Accelerated",
    "Certificate",
    "ConvergenceWarning",
    "Entropy",
    "History",
    "IncompatibleError",
    "Losses",
    "MissingDependencyError",
    "Problem",
    "ProblemError",
    "Progress",
    "Quadratic",
    "Result",
    "SaddlebackError",
    "Simplex",
    "Status",
    "Zero",
    "__version__",
    "certify",
    "from_functions",
    "load",
    "minimax",
    "solve",
]


@pytest.mark.parametrize("name", NAMES)
def test_name_is_public(name):
    assert hasattr(sb, name), f"saddleback.{name} is part of the contract"
    assert name in sb.__all__, f"saddleback.{name} must be in __all__"


def test_all_names_exist_without_repetition():
    assert [name for name in sb.__all__ if not hasattr(sb, name)] == []
    assert sorted(set(sb.__all__)) == sorted(sb.__all__)


def test_version():
    assert re.fullmatch(r"\d+\.\d+\.\d+.*", sb.__version__)
    assert importlib.metadata.version("saddleback") == sb.__version__


@pytest.mark.parametrize(
    ("child", "parents"),
    [
        (sb.ProblemError, (sb.SaddlebackError, ValueError)),
        (sb.IncompatibleError, (sb.SaddlebackError,)),
        (sb.MissingDependencyError, (sb.SaddlebackError, ImportError)),
        (sb.SaddlebackError, (Exception,)),
        (sb.ConvergenceWarning, (UserWarning,)),
    ],
)
def test_errors_are_what_callers_may_catch(child, parents):
    assert all(issubclass(child, parent) for parent in parents)


@pytest.mark.parametrize("function", [sb.solve, sb.minimax])
@pytest.mark.parametrize(
    ("parameter", "default"),
    [
        ("method", "auto"),
        ("inner", "auto"),
        ("tol", 1e-6),
        ("max_iter", 1000),
        ("time_limit", None),
        ("callback", None),
        ("progress", False),
        ("radius", None),
    ],
)
def test_both_entrances_take_the_same_options(function, parameter, default):
    assert inspect.signature(function).parameters[parameter].default == default


def signature(function):
    """Names of parameters that may be given by position, and of those that may not."""
    parameters = inspect.signature(function).parameters.values()
    keyword = inspect.Parameter.KEYWORD_ONLY
    return [p.name for p in parameters if p.kind is not keyword], [p.name for p in parameters if p.kind is keyword]


def test_minimax_begins_as_scipys_minimize():
    """fun, x0, args; SciPy goes on with other names, so that the rest must be named."""
    ours, named = signature(sb.minimax)
    theirs, _ = signature(scipy.optimize.minimize)
    assert ours == ["fun", "w0", "args"]
    assert theirs[:3] == ["fun", "x0", "args"]
    assert {"jac", "hess", "x0", "check_jac"} <= set(named)
    assert inspect.signature(sb.minimax).parameters["args"].default == ()


def test_certify():
    assert signature(sb.certify) == (["problem", "w", "dual", "radius"], [])
    fields = ["value", "losses", "dual", "lower_bound", "gap", "radius", "reach"]
    assert [f.name for f in dataclasses.fields(sb.Certificate)] == [*fields, "convex"]
    assert set(fields) <= {f.name for f in dataclasses.fields(sb.Result)}, "the same words in both"


def test_statuses():
    assert issubclass(sb.Status, enum.Enum)
    wanted = {"CONVERGED", "MAX_ITER", "TIME_LIMIT", "STALLED", "INTERRUPTED", "UNBOUNDED", "NUMERICAL_ERROR"}
    wanted |= {"STATIONARY"}
    assert {status.name for status in sb.Status} == wanted
    assert len({status.value for status in sb.Status}) == len(wanted)


def test_fields_of_a_result():
    wanted = [
        "w",
        "dual",
        "value",
        "losses",
        "lower_bound",
        "gap",
        "radius",
        "reach",
        "gap_estimate",
        "certified",
        "status",
        "message",
        "method",
        "n_iter",
        "n_evals",
        "n_values",
        "n_inner",
        "history",
    ]
    assert [f.name for f in dataclasses.fields(sb.Result)] == wanted
    for name in ("success", "x", "fun", "nit", "nfev", "njev"):
        assert isinstance(getattr(sb.Result, name), property)
    assert [f.name for f in dataclasses.fields(sb.History)] == [
        "time",
        "value",
        "gap",
        "n_evals",
        "inner_gap",
        "inner_iter",
    ]


@pytest.mark.parametrize("component", [sb.Simplex(), sb.Zero(), sb.Quadratic(1.0), sb.Entropy(1.0), sb.Accelerated()])
def test_components_are_frozen(component):
    with pytest.raises((dataclasses.FrozenInstanceError, TypeError)):
        component.anything = 1


def test_names_of_methods_and_inner_solvers():
    assert set(METHODS) == {"newton", "interior-point", "algorithm-1", *ALL_METHODS}
    assert set(INNER_SOLVERS) >= {"auto", "path-following", "qp", "trust-constr"}


@pytest.mark.parametrize("method", ["auto", *ALL_METHODS])
def test_every_name_of_a_method_runs_and_names_itself(method):
    result = sb.minimax(
        quadratics, np.zeros(2), jac=True, method=method, regularizer=sb.Quadratic(0.1), tol=1e-2, max_iter=5000
    )
    assert result.success
    assert result.method == ("quasi-newton" if method == "auto" else method)


@pytest.mark.parametrize("inner", ["auto", "path-following", "qp", "trust-constr"])
def test_every_name_of_an_inner_solver_runs(inner):
    result = sb.minimax(quadratics, np.zeros(2), jac=True, inner=inner, regularizer=regularizer_for("apgd"), tol=1e-4)
    assert result.success


def test_the_losses_protocol_is_checkable():
    losses = sb.from_functions(quadratics, np.zeros(2), jac=True)
    assert isinstance(losses, sb.Losses)
    assert not isinstance(quadratics, sb.Losses)
