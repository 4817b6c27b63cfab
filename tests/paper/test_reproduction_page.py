"""What docs/reproduction.md says about the paper's figures is what its measured tables say."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from saddleback.paper.contestants import ALGORITHM_1, DEFAULT, PAPER, SCIPY
from saddleback.paper.table import COLUMNS

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE = (DOCS / "reproduction.md").read_text(encoding="utf-8")
TABLES = ("figure_a", "table_b", "table_c", "table_d", "table_e")


def rows(name: str) -> list[dict[str, str]]:
    with (DOCS / "reproduction" / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("name", TABLES)
def test_tables_are_of_the_full_size(name: str) -> None:
    measured = rows(name)
    assert tuple(measured[0]) == COLUMNS
    assert {row["N"] for row in measured} == {"5000"}
    assert "5000" in {row["d"] for row in measured}
    assert {row["dtype"] for row in measured} == {"float32"}


@pytest.mark.parametrize("name", ["table_b", "table_c"])
def test_page_shows_the_counts_of_the_files(name: str) -> None:
    for row in rows(name):
        if row["iterations"] and float(row["seconds"]) < 100:
            assert f"{row['iterations']} ({float(row['seconds']):.2f} s)" in PAGE


@pytest.mark.parametrize("name", ["table_d", "table_e"])
def test_page_shows_the_objectives_of_the_files(name: str) -> None:
    for row in rows(name):
        assert f"| {row['label']} | {float(row['objective']):.6f} |" in PAGE


def test_counts_of_table_b_are_the_papers() -> None:
    for row in rows("table_b"):
        if row["method"] in ALGORITHM_1:
            assert abs(int(row["iterations"]) - 34) <= 2
        elif row["paper_iterations"]:
            assert abs(int(row["iterations"]) / int(row["paper_iterations"]) - 1) <= 0.08


def test_counts_of_table_c_are_the_papers_with_the_groups_of_table_b() -> None:
    tolerance = {0.1: 0, 0.01: 2, 0.001: 3}
    for row in rows("table_c"):
        if row["method"] in ALGORITHM_1 and row["J"] == "10":
            assert abs(int(row["iterations"]) - int(row["paper_iterations"])) <= tolerance[float(row["epsilon"])]


@pytest.mark.parametrize(("name", "key"), [("table_d", "d"), ("table_e", "J")])
def test_objectives_are_the_papers_and_the_default_is_fastest(name: str, key: str) -> None:
    measured = rows(name)
    for size in {row[key] for row in measured}:
        block = {row["method"]: row for row in measured if row[key] == size}
        for method in (*ALGORITHM_1, SCIPY):
            assert abs(float(block[method]["objective"]) - float(block[method]["paper_objective"])) <= 0.01
        assert float(block[PAPER]["objective"]) <= float(block[SCIPY]["objective"])
        ours, theirs = (float(block[method]["seconds_to_algorithm_1"]) for method in (DEFAULT, "lbfgsb"))
        assert ours < theirs
