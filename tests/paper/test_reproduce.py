"""One command writes the paper's figure and tables, whole, with the paper's own cells beside what was measured."""

from __future__ import annotations

import csv
import json
import sys
from pathlib import Path

import pytest

import saddleback as sb
from saddleback.paper import TABLE_B, TABLE_C, Reporter, laboratory, reproduce
from saddleback.paper.contestants import CONTESTANTS, DEFAULT, PAPER
from saddleback.paper.scales import SCALES

pytestmark = pytest.mark.slow

COLUMNS = (
    "table,method,label,d,J,N,seed,dtype,gamma,epsilon,max_iter,iterations,seconds,objective,gap,"
    "seconds_to_algorithm_1,paper_iterations,paper_seconds,paper_objective,paper_mark,note"
)
TINY = SCALES["tiny"]
FULL = SCALES["full"]


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("reproduction")
    written = reproduce(["all"], scale="tiny", out=directory)
    assert not written.failures
    assert all(file.stat().st_size > 0 for file in written.files)
    return directory


def rows(out: Path, name: str) -> list[dict[str, str]]:
    with (out / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_everything_is_written(out: Path) -> None:
    names = {path.name for path in out.iterdir() if path.is_file()}
    expected = {f"table_{x}.{kind}" for x in "bcde" for kind in ("md", "csv", "json")}
    expected |= {f"{x}.{kind}" for x in ("figure_a", "theory") for kind in ("md", "csv", "json", "png", "svg")}
    assert names == expected | {"report.md"}
    assert (out / "figure_a.png").read_bytes().startswith(b"\x89PNG")
    assert "<svg" in (out / "figure_a.svg").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["figure_a", "table_b", "table_c", "table_d", "table_e"])
def test_columns_and_json(out: Path, name: str) -> None:
    with (out / f"{name}.csv").open(encoding="utf-8") as file:
        assert file.readline().strip() == COLUMNS
    stored = json.loads((out / f"{name}.json").read_text(encoding="utf-8"))
    assert len(stored["rows"]) == len(rows(out, name))
    assert ",".join(stored["rows"][0]) == COLUMNS
    assert stored["environment"]["numpy"]


@pytest.mark.parametrize(("name", "published", "key"), [("b", TABLE_B, "gamma"), ("c", TABLE_C, "epsilon")])
def test_counts_stand_next_to_the_papers(out: Path, name: str, published, key: str) -> None:
    found = rows(out, f"table_{name}")
    for row in found:
        printed = published.get(CONTESTANTS[row["method"]].row or "", {}).get(float(row[key]))
        assert row["paper_iterations"] == ("" if printed is None or printed.mark else str(printed.iterations))
        assert row["paper_mark"] == ("" if printed is None else printed.mark)
        if row["iterations"]:
            assert 1 <= int(row["iterations"]) <= TINY.most
            assert float(row["seconds"]) > 0
    assert {row["method"] for row in found if CONTESTANTS[row["method"]].row == "ours"} == {
        "algorithm-1-trust-constr",
        "algorithm-1-qp",
        "algorithm-1-algorithm-2",
    }
    assert {"apgd", "extragradient", "optimistic", "lbfgsb", DEFAULT} <= {row["method"] for row in found}


def test_epsilon_is_reached_where_a_count_is_given(out: Path) -> None:
    for row in rows(out, "table_b"):
        if row["iterations"]:
            assert float(row["gap"]) <= 1e-2
        elif not row["note"]:
            assert float(row["gap"]) > 1e-2


def test_what_does_not_apply_is_marked(out: Path) -> None:
    notes = {row["method"]: row["note"] for row in rows(out, "table_b") if float(row["gamma"]) == 0}
    assert notes["apgd"] == "N/A: apgd needs a regularizer with strong convexity"
    assert notes["algorithm-1-qp"] == ""
    (line,) = [line for line in (out / "table_b.md").read_text(encoding="utf-8").splitlines() if "| APGD |" in line]
    assert line.split(" | ")[1:3] == ["N/A", "N/A"]


@pytest.mark.parametrize(("name", "key", "sizes"), [("d", "d", TINY.dimensions), ("e", "J", TINY.groups)])
def test_objectives_against_sizes(out: Path, name: str, key: str, sizes) -> None:
    found = rows(out, f"table_{name}")
    assert sorted({int(row[key]) for row in found}) == list(sizes)
    for size in sizes:
        block = {row["method"]: row for row in found if int(row[key]) == size}
        mark = float(block[PAPER]["objective"])
        assert float(block[DEFAULT]["seconds_to_algorithm_1"]) > 0
        for row in block.values():
            reached = bool(row["seconds_to_algorithm_1"])
            assert reached == (float(row["objective"]) <= mark + 1e-9)


def test_full_sizes_are_the_papers() -> None:
    assert (FULL.d, FULL.J, FULL.N, FULL.many, FULL.T) == (5000, 10, 5000, 30, 200)
    assert FULL.dimensions == (1000, 2000, 5000)
    assert FULL.groups == (4, 8, 16, 32)
    assert FULL.recipe(0, J=max(FULL.groups)).nbytes <= 4 * 2**30
    assert FULL.recipe(0).dtype == "float32"


def test_a_second_time_nothing_is_run(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = (out / "table_b.csv").read_bytes()
    monkeypatch.setattr(laboratory, "solve", lambda *args, **options: 1 / 0)
    told: list[str] = []
    steps: list[int] = []
    count = []
    reporter = Reporter(steps.append, lambda: count.append(1), told.append)
    monkeypatch.setattr("saddleback.paper.theory.rate.measure", lambda *args: 1 / 0)
    assert not reproduce(["b", "theory"], scale="tiny", out=out, reporter=reporter).failures
    assert (out / "table_b.csv").read_bytes() == before
    assert not told
    assert steps == [len(count)]


def test_cells_without_memory_say_so_and_the_rest_is_there(tmp_path: Path) -> None:
    written = reproduce(["a", "b", "e"], scale="tiny", out=tmp_path, max_memory=1e3)
    assert written.failures
    for name in ("table_b", "table_e", "figure_a"):
        assert all(row["note"].startswith(("not enough memory", "N/A")) for row in rows(tmp_path, name))
        assert "not enough memory" in (tmp_path / f"{name}.md").read_text(encoding="utf-8")
    # The paper's cells stand there all the same.
    assert any(row["paper_iterations"] == "34" for row in rows(tmp_path, "table_b"))


def test_without_matplotlib_the_numbers_are_still_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    written = reproduce(["a"], scale="tiny", out=tmp_path)
    assert {file.suffix for file in written.files} == {".md", ".csv", ".json"}
    assert "pip install 'saddleback[plot]'" in (tmp_path / "figure_a.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"targets": ["f"]}, "unknown target 'f'; expected one of 'a', 'b'"),
        ({"targets": []}, "nothing to reproduce"),
        ({"scale": "huge"}, "unknown scale 'huge'"),
        ({"seed": -1}, "seed must be a whole number >= 0"),
        ({"seed": 0.5}, "seed must be a whole number >= 0"),
        ({"max_memory": 0.0}, "max_memory must be a finite number > 0"),
        ({"max_memory": float("nan")}, "max_memory must be a finite number > 0"),
    ],
)
def test_bad_input_is_refused_before_anything_is_written(tmp_path: Path, arguments, message: str) -> None:
    out = tmp_path / "out"
    with pytest.raises(sb.ProblemError, match=message):
        reproduce(**({"targets": ["b"], "scale": "tiny", "out": out} | arguments))
    assert not out.exists()


def test_a_file_is_no_directory(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    with pytest.raises(sb.ProblemError, match=r"cannot write to .*file"):
        reproduce(["b"], scale="tiny", out=file)
