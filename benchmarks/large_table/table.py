"""A CSV file of numbers, categories and groups, with a gain for the worst group that is there to be found."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
from numpy.typing import NDArray

TARGET, GROUPS = "approved", ("race", "sex")
LEVELS = (2, 3, 4, 5)
"""Labels of each of the categories."""
RACES, SHARES = ("white", "black", "hispanic", "asian", "other"), (0.55, 0.2, 0.15, 0.08, 0.02)
MISSING = 0.02
"""Of one column of numbers and one category."""


def write_table(path: Path, n_rows: int, n_columns: int) -> None:
    """A file with so many columns besides the target: two of groups, up to four of categories, the others numbers."""
    rng = np.random.default_rng(0)
    n_categories = min(len(LEVELS), max(n_columns - 3, 0))
    n_numbers = n_columns - 2 - n_categories
    columns: dict[str, pa.Array] = {}
    race, sex = rng.choice(len(RACES), n_rows, p=SHARES), rng.integers(0, 2, n_rows)
    eta = 0.3 * sex
    for j in range(n_numbers):
        z = rng.standard_normal(n_rows)
        # The first three say something else about small groups.
        slope = (
            0.3 * rng.standard_normal(len(RACES)) + 0.3 if j < 3 else np.full(len(RACES), 0.3 * rng.standard_normal())
        )
        eta += slope[race] * z
        values = np.round(z * 10.0 ** (j % 5) + j, 4) if j % 4 else np.floor(10.0 * z) + 40.0
        columns[f"x{j}"] = pa.array(values, mask=_missing(rng, n_rows) if j == 1 else None)
    for j, n_levels in enumerate(LEVELS[:n_categories]):
        code = rng.integers(0, n_levels, n_rows)
        eta += 0.3 * rng.standard_normal(n_levels)[code]
        labels = np.array([f"level {k}" for k in range(n_levels)])[code]
        columns[f"c{j}"] = pa.array(labels, mask=_missing(rng, n_rows) if j == 1 else None)
    columns["race"], columns["sex"] = pa.array(np.array(RACES)[race]), pa.array(np.array(["f", "m"])[sex])
    columns[TARGET] = pa.array(np.where(eta + rng.logistic(size=n_rows) > 0, "yes", "no"))
    pyarrow.csv.write_csv(pa.table(columns), path)


def _missing(rng: np.random.Generator, n_rows: int) -> NDArray[np.bool_]:
    return rng.random(n_rows) < MISSING
