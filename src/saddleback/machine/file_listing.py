"""The files that a folder or a pattern stands for, in their order."""

from __future__ import annotations

import glob
import os
import re
from pathlib import Path

from ..errors import ProblemError

PATTERN_SIGNS = "*?["
NUMBER = re.compile(r"(\d+)")

PART_OF = re.compile(r"(\d+)([-_ ]?of[-_ ]?)(\d+)", re.IGNORECASE)
"""As in part-00000-of-00003: which part of how many, counted from 0 or 1."""

FIRST_NUMBERS = (0, 1)
"""The numbers that a sequence of files begins with. One that begins elsewhere, as years do, may have gaps."""


def is_many(path: str | os.PathLike[str]) -> bool:
    """Whether a path is a folder, or a pattern such as data/*.parquet that is no file itself."""
    text = os.fspath(path)
    return os.path.isdir(text) or (any(sign in text for sign in PATTERN_SIGNS) and not os.path.exists(text))


def files_of(path: str | os.PathLike[str], suffixes: tuple[str, ...]) -> list[Path]:
    """The files of a folder with one of these suffixes, or those of a pattern; by the numbers in their names.

    Suffixes may be in capitals. Hidden files and those that begin with an underscore, as Spark and Dask write
    beside their data, are left out. Empty folders and patterns, gaps in the numbers of the names, and parts-of-so-many
    that are not all in the folder are refused.
    """
    text = os.fspath(path)
    folder = os.path.isdir(text)
    found = [Path(name) for name in (glob.iglob(os.path.join(glob.escape(text), "*")) if folder else glob.iglob(text))]
    files = [file for file in found if file.is_file() and not file.name.startswith(("_", "."))]
    chosen = [file for file in files if file.suffix.lower() in suffixes] if folder else files
    if not chosen:
        inside = ", ".join(repr(file.name) for file in sorted(files)[:5])
        held = f" It holds {inside}." if inside else ""
        what = f"{text!r} is a folder without" if folder else f"no file is named like {text!r}; expected"
        raise ProblemError(f"{what} files {' or '.join(suffixes)}.{held}")
    chosen.sort(key=natural_order)
    _refuse_gap(chosen)
    _refuse_missing_parts(chosen)
    return chosen


def natural_order(file: Path) -> tuple[tuple[int, int, str], ...]:
    """The key that sorts part-2 before part-10."""
    parts = NUMBER.split(str(file))
    return tuple((1, int(part), "") if part.isdigit() else (0, 0, part) for part in parts if part)


def _refuse_gap(files: list[Path]) -> None:
    """Refuse names that differ in one number, which counts from 0 or 1, where one of the numbers is not there."""
    names = [NUMBER.split(file.name) for file in files]
    shapes = {len(parts) for parts in names}
    if len(files) < 2 or len(shapes) > 1 or len({file.parent for file in files}) > 1:
        return
    varying = [k for k in range(shapes.pop()) if len({parts[k] for parts in names}) > 1]
    if len(varying) != 1 or not names[0][varying[0]].isdigit():
        return
    (k,) = varying
    numbers = [int(parts[k]) for parts in names]
    if numbers[0] not in FIRST_NUMBERS:
        return
    for file, before, number in zip(files[1:], numbers, numbers[1:], strict=False):
        if number > before + 1:
            raise ProblemError(
                f"the files of {str(file.parent)!r} are numbered, and number {before + 1} is missing: "
                f"{files[numbers.index(before)].name!r} is followed by {file.name!r}. Restore the file, or rename the "
                "others if it was left out on purpose."
            )


def _refuse_missing_parts(files: list[Path]) -> None:
    """Refuse names of the form part-1-of-3 where a part is not in the folder; a pattern may leave parts out."""
    forms = {(file.parent, _form(file.name)): file for file in files if PART_OF.search(file.name)}
    for (folder, form), file in forms.items():
        beside = [PART_OF.search(name) for name in os.listdir(folder) if _form(name) == form]
        there = {int(match[1]) for match in beside if match is not None}
        found = PART_OF.search(file.name)
        assert found is not None
        first, total = 0 if 0 in there else 1, int(found[3])
        for number in range(first, first + total):
            if number not in there:
                raise ProblemError(
                    f"the files of {str(folder)!r} are named as parts of {total}, such as {file.name!r}, and part "
                    f"{number} is missing. Restore the file, or rename the others if it was left out on purpose."
                )


def _form(name: str) -> str:
    """The name without the number of the part."""
    return PART_OF.sub(r"\2\3", name)
