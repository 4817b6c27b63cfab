"""Words that were given up do not come back: old names, and old ways to ask for a capability."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path
from typing import Any

import pytest

PACKAGE = Path(__file__).resolve().parent.parent / "src" / "saddleback"

# Old name -> what it is called now.
CLASSES = {
    "Keeper": "Checkpointer",
    "Trace": "HistoryBuilder",
    "Record": "RunState",
    "Named": "MethodBase",
    "Metric": "HessianModel",
    "Beginning": "InitialHessian",
    "Schedule": "ReadPlan or StepRule",
    "Shape": "PolytopeHull",
}
FUNCTIONS = {
    "has_response": "capabilities.offers",
    "refusal": "capabilities.Needs",
    "check_adversary": "capabilities.refuse_unmet",
    "explore": "analyze_polytope",
    "choose": "choose_method",
    "strip": "tangent_part",
    "stripped": "tangent_part",
    "present": "to_user",
    "coordinates": "from_user",
    "resolution": "rounding_floor",
    "loosened": "with_smaller_floor",
    "flattened": "scaled_down",
    "estimates": "predicts_gap",
}
# Module constants whose name does not say what they bound.
CONSTANTS = ("SMALL", "NARROW", "FLAT", "FAR", "LARGEST", "PATIENCE")

# Attributes of other libraries' objects, which differ between versions or kinds of input.
FOREIGN = {
    "__array__": "arrays of other libraries",
    "__float__": "numbers of other libraries",
    "__iter__": "sequences",
    "__len__": "sequences",
    "categories": "categorical columns of pandas",
    "clear_controlling_thread": "threadpoolctl of some versions",
    "codes": "categorical columns of pandas",
    "columns": "data frames",
    "coords": "sparse arrays of recent SciPy",
    "iloc": "data frames",
    "posix_fadvise": "systems without it",
    "py_func": "functions that Numba has compiled",
    "_source_stamp": "cache files of Numba",
    "sched_getaffinity": "systems without it",
}
# Where the attribute is a variable: the one place that asks for capabilities, the check of the losses' own members, and
# the advice that mmap of some systems lacks.
BY_VARIABLE = ("capabilities.py", "problem.py", "mapped_table.py")


@cache
def nodes() -> dict[type[ast.AST], list[tuple[str, Any]]]:
    """The nodes of the whole package by their kind, each with its file and line."""
    found: dict[type[ast.AST], list[tuple[str, Any]]] = {}
    for file in PACKAGE.rglob("*.py"):
        name = file.relative_to(PACKAGE).as_posix()
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            found.setdefault(type(node), []).append((f"{name}:{getattr(node, 'lineno', 0)}", node))
    return found


def places(kind: type[ast.AST]) -> list[tuple[str, Any]]:
    return nodes().get(kind, [])


@pytest.mark.parametrize("word", CLASSES)
def test_old_names_of_classes(word):
    found = [place for place, node in places(ast.ClassDef) if node.name == word]
    assert found == []


@pytest.mark.parametrize("word", FUNCTIONS)
def test_old_names_of_functions_and_attributes(word):
    found = [place for place, node in places(ast.FunctionDef) if node.name == word]
    found += [place for place, node in places(ast.AnnAssign) if getattr(node.target, "id", None) == word]
    assert found == []


@pytest.mark.parametrize("word", CONSTANTS)
def test_constants_say_what_they_bound(word):
    targets = [(place, target) for place, node in places(ast.Assign) for target in node.targets]
    names = [(place, name) for place, target in targets for name in ast.walk(target) if isinstance(name, ast.Name)]
    assert [place for place, name in names if name.id == word] == []


def is_lazy_import(place):
    """The package's own names that need an extra are imported when they are asked for."""
    return place.startswith("__init__.py:")


def test_no_member_is_made_up_on_demand():
    made_up = ("__getattr__", "__getattribute__")
    found = [place for place, node in places(ast.FunctionDef) if node.name in made_up and not is_lazy_import(place)]
    assert found == []


def test_no_property_is_absent_by_an_exception():
    raised = [(place, ast.unparse(node.exc)) for place, node in places(ast.Raise) if node.exc is not None]
    found = [place for place, text in raised if text.startswith("AttributeError") and not is_lazy_import(place)]
    assert found == []


def test_capabilities_are_asked_for_in_one_way():
    calls = [(place, node) for place, node in places(ast.Call) if getattr(node.func, "id", None) == "hasattr"]
    literal = [(place, node.args[1].value) for place, node in calls if isinstance(node.args[1], ast.Constant)]
    variable = [place.split(":")[0] for place, node in calls if not isinstance(node.args[1], ast.Constant)]
    found = [f"{place} {name!r}" for place, name in literal if name not in FOREIGN]
    found += [place for place in variable if not place.endswith(BY_VARIABLE)]
    assert found == []
