"""The paper's printed values, typed once more from the paper's tables."""

from __future__ import annotations

import pytest

from saddleback.paper import TABLE_B, TABLE_C, TABLE_D, TABLE_E

# As they stand in the LaTeX source, cells from left to right.
PRINTED_B = {
    "ours": "34 (1.16s) & 35 (1.46s) & 34 (1.22s) & 34 (1.24s) & 34 (1.20s)",
    "apgd": "N/A & 88 (1.59s) & 32 (0.59s) & 20 (0.36s) & 18 (0.32s)",
    "extragradient": "210 (5.48s) & 219 (5.92s) & 372 (9.90s) & -/- & -/-",
}
PRINTED_C = {
    "ours": "1 (0.02s) & 34 (1.42s) & 55 (2.38s)",
    "apgd": "1 (0.02s) & 32 (0.57s) & 49 (0.88s)",
    "extragradient": "1 (0.03s) & 372 (9.88s) & -/-",
}
PRINTED_D = """1000 & 0.675157 & 5.64 & 0.675161 & 0.13
2000 & 0.670539 & 6.74 & 0.670589 & 0.42
5000 & 0.637399 & 7.71 & 0.637422 & 1.07"""
PRINTED_E = """4 & 0.545715 & 5.28 & 0.545861 & 0.36
8 & 0.622306 & 6.50 & 0.622308 & 0.63
16 & 0.658493 & 9.81 & 0.658977 & 1.67
32 & 0.676453 & 16.84 & 0.676627 & 1.08"""


@pytest.mark.parametrize(
    ("table", "printed", "columns"),
    [(TABLE_B, PRINTED_B, [0.0, 0.001, 0.01, 0.1, 1.0]), (TABLE_C, PRINTED_C, [0.1, 0.01, 0.001])],
    ids=["b", "c"],
)
def test_iterations_and_seconds(table, printed, columns) -> None:
    assert table.keys() == printed.keys()
    for name, line in printed.items():
        assert list(table[name]) == columns
        cells = [str(cell).replace(" s)", "s)") for cell in table[name].values()]
        assert " & ".join(cells) == line


@pytest.mark.parametrize(("table", "printed"), [(TABLE_D, PRINTED_D), (TABLE_E, PRINTED_E)], ids=["d", "e"])
def test_objectives_and_seconds(table, printed) -> None:
    lines = []
    for size in table["ours"]:
        ours, theirs = table["ours"][size], table["lbfgsb"][size]
        numbers = (f"{cell.objective:.6f} & {cell.seconds:.2f}" for cell in (ours, theirs))
        lines.append(" & ".join((str(size), *numbers)))
    assert "\n".join(lines) == printed
    assert set(table) == {"ours", "lbfgsb"}
