"""Texts that mean a missing value."""

from __future__ import annotations

# As pandas and R write them, the question mark of the UCI tables, the empty text, and the level's own name.
MARKERS = (
    "",
    "?",
    "(missing)",
    "#N/A",
    "#N/A N/A",
    "#NA",
    "-1.#IND",
    "-1.#QNAN",
    "-NaN",
    "-nan",
    "1.#IND",
    "1.#QNAN",
    "<NA>",
    "N/A",
    "NA",
    "NULL",
    "NaN",
    "None",
    "n/a",
    "nan",
    "null",
)
