"""Cells run once, fail alone, and are kept."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import saddleback as sb
from saddleback.paper import laboratory
from saddleback.paper.cache import Cache, code_version
from saddleback.paper.cell import Cell, Curve, Reach
from saddleback.paper.contestants import ALGORITHM_1, CONTESTANTS, DEFAULT, QP
from saddleback.paper.laboratory import Laboratory, reference_cell
from saddleback.paper.recipe import Recipe

RECIPE = Recipe(d=15, J=3, N=30, seed=0)
CELL = Cell(RECIPE, 0.01, QP, 12)


@pytest.fixture
def lab(tmp_path: Path) -> Laboratory:
    return Laboratory(Cache(tmp_path), repeats=1)


def test_reach_does_not_count_the_start() -> None:
    curve = Curve(time=[0.1, 0.2, 0.3], value=[1.0, 0.5, 0.2])
    assert curve.reach(2.0) == Reach(1, 0.2)
    assert curve.reach(0.4) == Reach(2, 0.3)
    assert curve.reach(0.1) is None
    assert (curve.n_iter, curve.objective, curve.seconds) == (2, 0.2, 0.3)


@pytest.mark.parametrize("name", CONTESTANTS)
def test_every_contestant_descends(lab: Laboratory, name: str) -> None:
    curve = lab.curve(Cell(RECIPE, 0.1, name, 15))
    assert not curve.failure
    assert curve.value[-1] < curve.value[0]
    assert list(curve.time) == sorted(curve.time)
    reference = lab.reference(RECIPE, 0.1)
    assert curve.value[-1] >= reference.lower_bound - 1e-9


def test_variants_of_algorithm_1_differ_by_their_inner_accuracy_only(lab: Laboratory) -> None:
    """sum A_t eps_t / A_T, with eps_t = L/t^4 and A_t ~ t^2, is below pi^2/6 L/T^2."""
    curves = [np.array(lab.curve(Cell(RECIPE, 0.01, name, 15)).value) for name in ALGORITHM_1]
    L = RECIPE.generate().problem(0.01).losses.smoothness()
    T = np.arange(len(curves[0]))
    for other in curves[1:]:
        assert (T**2 * np.abs(other - curves[0]) <= np.pi**2 / 6 * L).all()
        assert other[0] == pytest.approx(curves[0][0], rel=1e-12)


def test_reference_is_the_certified_optimum(lab: Laboratory) -> None:
    expected = sb.solve(RECIPE.generate().problem(0.01), tol=1e-9)
    assert lab.reference(RECIPE, 0.01).objective == pytest.approx(expected.value, abs=2e-9)
    assert reference_cell(RECIPE, 0.01).name == DEFAULT


def test_a_cell_ends_at_its_epsilon(lab: Laboratory) -> None:
    epsilon = 0.02
    curve = lab.curve(Cell(RECIPE, 0.01, QP, 500, epsilon))
    target = lab.reference(RECIPE, 0.01).objective + epsilon
    assert curve.value[-1] <= target < curve.value[-2]


def test_iterations_are_those_of_solve(lab: Laboratory) -> None:
    data = RECIPE.generate()
    method = sb.Accelerated(steps="paper", restart=False, smoothness=data.L)
    with pytest.warns(sb.ConvergenceWarning):
        result = sb.solve(data.problem(0.01), method=method, inner="qp", tol=1e-10, max_iter=12)
    assert list(lab.curve(CELL).value) == list(result.history.value)


# --- failures ---------------------------------------------------------------------------------------------------------


def test_what_does_not_apply_says_so(lab: Laboratory) -> None:
    assert lab.curve(Cell(RECIPE, 0.0, "apgd", 10)).failure == "N/A: apgd needs a regularizer with strong convexity"


def test_too_little_memory_is_a_failure_of_the_cell(tmp_path: Path) -> None:
    lab = Laboratory(Cache(tmp_path), max_memory=1000.0, repeats=1)
    assert lab.curve(CELL).failure.startswith("not enough memory: 0.2 GB needed, 9.3e-07 GB there")


def test_memory_that_is_refused_is_a_failure_of_the_cell(lab: Laboratory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Recipe, "generate", lambda self: (_ for _ in ()).throw(MemoryError))
    assert lab.curve(CELL).failure.startswith("not enough memory")


def test_any_error_is_a_failure_of_the_cell_and_is_tried_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lab = Laboratory(Cache(tmp_path), repeats=1)
    with monkeypatch.context() as patch:
        patch.setattr(laboratory, "solve", lambda *args, **options: 1 / 0)
        assert lab.curve(CELL).failure == "failed: ZeroDivisionError: division by zero"
        assert "no reference" in lab.curve(Cell(RECIPE, 0.01, QP, 12, 0.1)).failure
    assert not list(tmp_path.iterdir())
    assert not Laboratory(Cache(tmp_path), repeats=1).curve(CELL).failure


def test_half_a_run_is_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """``solve`` answers an interruption with the best point so far; the laboratory passes the interruption on."""
    lab = Laboratory(Cache(tmp_path), repeats=1)
    lab.curve(Cell(RECIPE, 0.1, QP, 3))
    calls = []
    evaluate = sb.GroupedLinear.evaluate

    def interrupted(self: sb.GroupedLinear, w: np.ndarray) -> object:
        calls.append(1)
        if len(calls) == 5:
            raise KeyboardInterrupt
        return evaluate(self, w)

    monkeypatch.setattr(sb.GroupedLinear, "evaluate", interrupted)
    with pytest.raises(KeyboardInterrupt):
        lab.curve(CELL)
    assert len(calls) == 5
    assert len(list(tmp_path.iterdir())) == 1


# --- the cache --------------------------------------------------------------------------------------------------------


def test_cells_are_kept_and_read_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = Laboratory(Cache(tmp_path), repeats=1).curve(CELL)
    monkeypatch.setattr(laboratory, "solve", lambda *args, **options: 1 / 0)
    again = Laboratory(Cache(tmp_path), repeats=1).curve(CELL)
    assert again == first
    assert [path.name for path in tmp_path.iterdir()] == ["d15-J3-N30-float32-seed0-gamma0.01-algorithm-1-qp-T12.json"]


@pytest.mark.parametrize(
    "spoil",
    [
        lambda text: text[: len(text) // 2],
        lambda text: "",
        lambda text: "[]",
        lambda text: text.replace(code_version(), "0" * 16),
        lambda text: text.replace('"max_iter": 12', '"max_iter": 13'),
        lambda text: json.dumps(json.loads(text) | {"environment": {}}),
        lambda text: json.dumps(json.loads(text) | {"curve": {"time": [1.0], "value": []}}),
        lambda text: json.dumps(json.loads(text) | {"curve": {"time": ["x"], "value": ["y"]}}),
        lambda text: json.dumps(json.loads(text) | {"curve": {"surprise": 1}}),
    ],
    ids=["half", "empty", "list", "other code", "other cell", "other machine", "lengths", "no numbers", "keys"],
)
def test_damaged_or_foreign_files_do_not_count(tmp_path: Path, spoil) -> None:
    cache = Cache(tmp_path)
    cache.save(CELL, Curve(time=[0.0, 1.0], value=[1.0, 0.5]))
    assert cache.load(CELL) == Curve(time=[0.0, 1.0], value=[1.0, 0.5])
    (file,) = tmp_path.iterdir()
    file.write_text(spoil(file.read_text(encoding="utf-8")), encoding="utf-8")
    assert cache.load(CELL) is None
