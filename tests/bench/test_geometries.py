"""The benchmark of other dual sets: the same problem for both contestants, and rows for those that fail."""

from __future__ import annotations

import json
import sys

import numpy as np
import pytest

import saddleback as sb
from benchmarks import run
from benchmarks.contestants import dual_sets, eigenvalue
from benchmarks.report import Options
from benchmarks.sections import geometries
from saddleback.subproblem import PathFollowing

# Rounding of sums of a few terms of size one.
EXACT = 1e-12


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """The section as the runner leaves it: its file and its page."""
    directory = tmp_path_factory.mktemp("geometries")
    run.main(["--tiny", "--repeats", "1", "--only", "geometries", "--out", str(directory)])
    section = json.loads((directory / "geometries.json").read_text(encoding="utf-8"))
    return section, (directory / "bench.md").read_text(encoding="utf-8")


def table(section, start):
    (found,) = [t for t in section["tables"] if t["caption"].startswith(start)]
    return [dict(zip(found["header"], row, strict=True)) for row in found["rows"]]


# --- what is written --------------------------------------------------------------------------------------------------


def test_eigenvalue_rows_agree_with_clarabel(written):
    section, _ = written
    rows = table(section, "the largest eigenvalue")
    assert [row["problem"].split("tol = ")[1] for row in rows] == ["1e-06", "1e-08", "1e-06 and 1e-08"]
    for row in rows:
        assert row["stopped"] == "certified"
        assert float(row["our certified gap"]) <= 1e-6
        # Clarabel's tolerance is relative to values and residuals of size one or so.
        assert abs(float(row["difference"])) <= 1e-5
        assert min(float(row[time]) for time in ("alone", "alone over our whole", "whole")) >= 0
    for run_ in section["data"]["eigenvalue"]["k4_d6"].values():
        assert 0 < run_["alone_seconds"] <= run_["whole_seconds"]


def test_capped_rows_are_certified_and_demanded(written):
    section, _ = written
    rows = table(section, "the capped simplex over the simplex")
    assert [row["losses"].split(",")[0] for row in rows] == ["logistic", "quadratic"]
    for row in rows:
        assert {row["stopped, simplex"], row["stopped, capped"]} == {"certified"}
        assert max(float(row["certified gap, simplex"]), float(row["certified gap, capped"])) <= 1e-6
    demands = [d for d in section["demands"] if d["what"].startswith("capped")]
    assert len(demands) == len(rows)
    assert {d["bound"] for d in demands} == {"at most 3"}
    alone = table(section, "random (D), J")
    assert [row["solver, set"] for row in alone] == ["qp, simplex", "qp, capped", "auto, simplex", "auto, capped"]


def test_every_public_set_has_a_row_that_reached_the_gap(written):
    section, _ = written
    rows = table(section, "random (D) by path following")
    classes = {name: kind for name in sb.__all__ if isinstance(kind := getattr(sb, name), type)}
    kinds = {name for name, kind in classes.items() if issubclass(kind, sb.DualSet)}
    assert {row["set"].split("(")[0].split(":")[0] for row in rows} == kinds - {"DualSet"}
    for row in rows:
        assert row["reached"] == "2 of 2"
        assert float(row["largest gap"]) <= geometries.INNER_TOL
        assert 0 < float(row["Newton systems"]) <= int(row["at most"])


def test_page_shows_the_limits(written):
    _, page = written
    assert "## Other dual sets" in page
    assert "times faster than Clarabel alone" in page
    assert page.count("| --- |") == 5


def test_limits_are_those_of_the_release():
    assert geometries.FASTER == {(20, 50): 1.0, (20, 2000): 3.0, (40, 500): 3.0}
    assert set(geometries.PENCILS["full"]) == set(geometries.FASTER)


# --- contestants ------------------------------------------------------------------------------------------------------


def test_pencil_is_symmetric_and_bounded_below():
    pencil = eigenvalue.random_pencil(5, 7)
    np.testing.assert_allclose(pencil.Fs, pencil.Fs.transpose(0, 2, 1), rtol=0, atol=0)
    np.testing.assert_allclose(np.trace(pencil.Fs, axis1=1, axis2=2), 0, atol=EXACT)
    w = np.random.default_rng(0).standard_normal(7)
    problem = sb.Problem(sb.AffineMatrix(pencil.F0, pencil.Fs), sb.Spectrahedron())
    assert pencil.largest_eigenvalue(w) == pytest.approx(problem.value(w), abs=EXACT)
    assert pencil.largest_eigenvalue(w) >= np.trace(pencil.F0) / 5


def test_missing_contestant_is_a_row(monkeypatch):
    monkeypatch.setitem(sys.modules, "cvxpy", None)
    part = geometries._eigenvalue(Options("tiny", repeats=1))
    for row in part.tables[0].rows:
        assert len(row) == len(part.tables[0].header)
        assert row[1:4] == ("failed",) * 3
        assert row[4] == "certified"
    assert not part.demands[0].met
    assert part.data["k4_d6"]["Clarabel_1e-06"] == {"error": "CVXPY is not installed"}


def test_set_that_breaks_down_is_a_row():
    broken = dual_sets.Geometry("broken", lambda: sb.Polytope(np.ones((1, 3)), np.ones(1)), 3)
    solves = geometries._solve_random([broken, *dual_sets.geometries(4, 2)[:1]], PathFollowing(), 1)
    assert geometries._steps(solves["broken"]) == ("failed", "-", "-", "-", "-")
    assert "ProblemError" in geometries._plain(solves["broken"])["error"]
    assert solves["Simplex()"].reached == 1


def test_alternation_keeps_the_median_and_stops_after_a_failure():
    seconds = iter([0.5, 0.9, 0.1] * 10)
    calls = []

    def call():
        calls.append("ours")
        t = next(seconds)
        return eigenvalue.Answer(1.0, t, t / 2)

    def fail():
        calls.append("theirs")
        raise eigenvalue.Failed("no answer")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(eigenvalue, "settings", lambda: ["one"])
        times = eigenvalue.alternate({"ours": call, "theirs": fail}, 3)
    assert calls == ["ours", "theirs", "ours", "ours"]
    assert (times["ours"].whole, times["ours"].alone) == (0.5, 0.25)
    assert str(times["theirs"]) == "no answer"


def test_quadratics_have_the_gradients_and_the_convexity_they_claim():
    losses = dual_sets.random_quadratics(3, 4)
    sb.testing.check_losses(losses)
    assert np.linalg.eigvalsh(losses.H).min() >= losses.strong_convexity
