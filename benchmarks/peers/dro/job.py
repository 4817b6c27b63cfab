"""Adversaries on the rows, by the linear models of dro: CVXPY and Clarabel inside."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from types import ModuleType
from typing import Any

import numpy as np

from ..assignment import CHI2, Assignment
from ..tape import Tape, carry_out

NAME = "dro"


def solve(task: Assignment, tape: Tape) -> None:
    """``fit``, which includes building the cones: they cannot be built before."""
    model = _model(task)
    with tape.run(NAME):
        model.fit(task.X, task.y)
        tape.note(np.append(model.theta, model.b) if task.fit_intercept else model.theta, model.robust_obj)


def _model(task: Assignment) -> Any:
    _leave_out_the_rest("dro", "dro.linear_model")
    d, options = task.X.shape[1], {"model_type": "logistic", "fit_intercept": task.fit_intercept}
    if task.kind == CHI2:
        model = importlib.import_module("dro.linear_model.chi2_dro").Chi2DRO(d, **options)
        model.update({"eps": task.level})
    else:
        model = importlib.import_module("dro.linear_model.cvar_dro").CVaRDRO(d, **options)
        model.update({"alpha": task.level})
    return model


def _leave_out_the_rest(*packages: str) -> None:
    """Stub modules for the networks and trees that dro imports, which would need gigabytes of libraries."""
    for name in packages:
        spec = importlib.util.find_spec(name)
        assert spec is not None
        assert spec.submodule_search_locations is not None
        package = ModuleType(name)
        package.__path__ = list(spec.submodule_search_locations)
        sys.modules[name] = package


if __name__ == "__main__":
    carry_out(solve)
