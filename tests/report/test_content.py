"""What the sections say: tiles, tables and sentences, as blocks before they are written."""

from __future__ import annotations

from typing import Any

from report.evidence_samples import evidence
from saddleback.report.blocks import Code, Details, Facts, Paragraph, Section, Table
from saddleback.report.charts.tradeoff_curve import band_of
from saddleback.report.content.page import make_page
from saddleback.report.formatting import interval


def section(data: dict[str, Any], id: str) -> Section:
    return next(section for section in make_page(data).sections if section.id == id)


def blocks(data: dict[str, Any], id: str) -> list[Any]:
    """All blocks of a section, those in details as well."""
    found = list(section(data, id).blocks)
    for block in found:
        if isinstance(block, Details):
            found.extend(block.blocks)
    return found


def tiles(data: dict[str, Any], id: str) -> dict[str, str]:
    facts = [fact for block in blocks(data, id) if isinstance(block, Facts) for fact in block.items]
    return {fact.term: getattr(fact.value, "main", None) or getattr(fact.value, "text", "") for fact in facts}


def test_the_share_of_the_chosen_point_is_not_that_of_the_average_model():
    data = evidence()
    shown = tiles(data, "stability")
    assert shown["This worst weight and prior chosen, % of samples of the held-out losses"] == "62"
    assert shown["Bootstrap samples of the rows"] == "200"
    assert shown["Bootstrap samples of the held-out losses"] == "150"
    assert shown["The average model kept, % of samples of the held-out losses"] == "13"
    data["outcome"] = "nothing to gain"
    assert "This worst weight and prior chosen, % of samples of the held-out losses" not in tiles(data, "stability")
    old = evidence()
    del old["stability"]["chosen_share"], old["stability"]["n_choices"]
    assert "The average model kept, % of samples of the held-out losses" in tiles(old, "stability")


def test_where_the_average_model_is_kept_no_change_is_shown_beside_the_answer():
    assert "Change for all rows" in tiles(evidence(), "answer")
    shown = tiles(evidence() | {"outcome": "nothing to gain"}, "answer")
    assert not any(term.startswith("Change") for term in shown)
    assert "Held-out loss of all rows" in shown


def test_section_2_says_why_its_gain_differs_from_that_of_the_answer():
    texts = [block.text for block in blocks(evidence(), "objective") if isinstance(block, Paragraph)]
    assert any("by rows without part in the choice" in text for text in texts)
    given = evidence()
    given["objective"] |= {"n_candidates": None, "candidates": None}
    assert not any("part in the choice" in getattr(block, "text", "") for block in blocks(given, "objective"))


def test_heads_stand_above_their_values():
    """Texts, and the first cell of a row, are on the left; numbers are on the right."""
    data = evidence()
    tables = [block for id in ("objective", "stability") for block in blocks(data, id) if isinstance(block, Table)]
    assert {table.id for table in tables} >= {"candidates", "choices", "fold-choices"}
    for table in tables:
        for row in table.rows:
            for k, (column, cell) in enumerate(zip(table.columns, row.cells, strict=True)):
                left = k == 0 or cell.kind in ("words", "label")
                assert (column.kind == "text") == left or column.kind == "drawing", (table.id, column.title)


def test_shares_above_one_are_explained():
    data = evidence()
    data["stability"]["binding"] = [{"group": name, "weight": 0.5, "share": 0.9} for name in "ab"]
    notes = [block.note for block in blocks(data, "stability") if isinstance(block, Table)]
    assert any("more than 100 %" in note for note in notes)
    data["stability"]["binding"][0]["share"] = 0.1
    assert not any(block.note for block in blocks(data, "stability") if isinstance(block, Table))


def test_the_average_model_has_its_intercept_beside_its_coefficients():
    table = next(block for block in blocks(evidence(), "coefficients") if isinstance(block, Table))
    titles = [column.title for column in table.columns]
    last = table.rows[-1].cells
    place = next(k for k, title in enumerate(titles) if "verage model" in title)
    assert last[place].values == (0.25,)
    old = evidence()
    del old["coefficients"]["average_intercept"]
    table = next(block for block in blocks(old, "coefficients") if isinstance(block, Table))
    assert table.rows[-1].cells[place].values == (None,)


def test_losses_have_a_scale_and_two_classes_a_smallest_impact_ratio():
    data = evidence()
    shown = tiles(data, "answer")
    assert shown["Loss of guessing by the shares of the classes"].startswith("0.693")
    large = [
        (row["impact_ratio"], row["group"])
        for table in data["groups"][1:]
        for row in table["held_out"]
        if not row["small"] and not row["unknown"]
    ]
    least, group = min(large)
    assert shown[f"Smallest impact ratio: {group}"] == f"{least:.2f}"
    numbers = tiles(evidence(task="regression"), "answer")
    assert "Loss of one number for all rows" in numbers
    assert not any("impact" in term for term in numbers)


def test_groups_have_a_table_of_losses_and_one_of_rates():
    tables = {block.id: block for block in blocks(evidence(), "groups") if isinstance(block, Table)}
    heads = {id: [column.title for column in table.columns] for id, table in tables.items()}
    assert heads["groups-2-held_out"] == ["Group", "Rows", "Share, %", "Loss", "Loss, average model", "Change (error)"]
    assert heads["groups-2-held_out-rates"][:4] == ["Group", "Rows", "Selection rate, %", "Impact ratio"]
    assert len(heads["groups-2-held_out-rates"]) == 9
    assert [row.base for row in tables["groups-2-held_out"].rows] == [
        row.base for row in tables["groups-2-held_out-rates"].rows
    ]


def test_provenance_tells_the_columns_of_a_file_from_the_features_and_has_its_digest():
    data = evidence()
    assert "Columns of the data file" not in tiles(data, "provenance")
    data["data"]["files"] = [
        {"role": role, "name": f"{role}.csv", "sha256": letter * 64, "bytes": 10, "columns": 15}
        for role, letter in (("data", "a"), ("test", "b"))
    ]
    shown = tiles(data, "provenance")
    assert (shown["Columns of the data file"], shown["Features after encoding"]) == ("15", "12")
    codes = {block.label: block.text for block in blocks(data, "provenance") if isinstance(block, Code)}
    assert codes["SHA-256 of the data file data.csv (sha256sum)"] == "a" * 64
    assert codes["SHA-256 of the test file test.csv (sha256sum)"] == "b" * 64


def test_bands_are_those_of_the_evidence_where_it_has_them():
    path = evidence()["tradeoff"]
    assert band_of(path, 1, 0) == interval(path["losses"][1][0], path["errors"][1][0])
    path |= {"lows": path["losses"], "highs": path["errors"]}
    assert band_of(path, 1, 0) == (path["losses"][1][0], path["errors"][1][0])
