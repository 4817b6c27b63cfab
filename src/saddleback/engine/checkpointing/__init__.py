"""Checkpoints: the state of a run in one file, written atomically and read without executing code."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ...errors import ProblemError
from ...machine.files import atomic
from .container import Unreadable, open_regular, read_arrays, read_header, write
from .entries import Entries, Misfit, Source
from .hints import schema_of


def save(path: Path, sizes: Mapping[str, int], kinds: Mapping[str, type], parts: Mapping[str, object]) -> None:
    """Write dataclasses of arrays, numbers, strings, tuples and further such dataclasses, in one atomic step.

    ``sizes`` are J and d, which a resumed run compares before it reads the rest.
    """
    entries = collected(sizes, kinds, parts)
    with atomic(path) as file:
        write(file, entries.texts, entries.arrays, sizes)


def collected(sizes: Mapping[str, int], kinds: Mapping[str, type], parts: Mapping[str, object]) -> Entries:
    """The parts as flat entries; a ProblemError where something could not be read back."""
    entries = Entries()
    try:
        for name, kind in kinds.items():
            schema_of(kind).flatten(name, parts[name], entries, dict(sizes))
    except Misfit as misfit:
        raise ProblemError(f"a checkpoint cannot hold this state: {misfit}.") from None
    return entries


def load(
    path: Path,
    sizes: Mapping[str, int],
    kinds: Mapping[str, type],
    difference: Callable[[Mapping[str, str]], str | None] = lambda texts: None,
    *,
    partial: bool = False,
) -> dict[str, Any]:
    """The parts that ``save`` wrote, each rebuilt and checked by the type hints of its kind.

    ``difference`` gets the texts first and returns why the file is of another run, or None.
    ``partial``: the file may hold parts that ``kinds`` does not name.
    """
    try:
        with open_regular(path) as file:
            header = read_header(file)
            if header.sizes != sizes:
                raise foreign(path, f"it had {_words(header.sizes)}, this has {_words(sizes)}")
            other = difference(header.texts)
            if other is not None:
                raise foreign(path, other)
            # Names, types and shapes are checked first, so that no array of a file that they refuse is read.
            _rebuilt(kinds, Source(header.texts, header.stand_ins(), known=False), sizes, partial)
            return _rebuilt(kinds, Source(header.texts, read_arrays(file, header), known=True), sizes, partial)
    except (Unreadable, Misfit) as reason:
        raise ProblemError(
            f"{path} is not a checkpoint that this run can go on from: {reason}. Delete it, give another name, or "
            "start anew with resume=False."
        ) from None


def foreign(path: Path | None, difference: str) -> ProblemError:
    """The refusal of a valid checkpoint of another run; it does not advise to delete the file."""
    return ProblemError(
        f"checkpoint {path} is of another run: {difference}. Resume with what it was written for, or give another name "
        "to start anew."
    )


def _rebuilt(kinds: Mapping[str, type], source: Source, sizes: Mapping[str, int], partial: bool) -> dict[str, Any]:
    parts = {name: schema_of(kind).rebuild(name, source, dict(sizes)) for name, kind in kinds.items()}
    if not partial:
        source.require_all_used()
    return parts


def _words(sizes: Mapping[str, int]) -> str:
    return ", ".join(f"{name} = {size}" for name, size in sizes.items())


__all__ = ["collected", "foreign", "load", "save", "schema_of"]
