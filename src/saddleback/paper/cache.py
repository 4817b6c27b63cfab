"""Cells that have been run, one file each, so that an interrupted reproduction goes on where it was."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any

from .cell import Cell, Curve
from .environment import environment
from .files import write_json

PACKAGE = Path(__file__).resolve().parents[1]
# What decides how a cell runs, beside the library itself.
DECISIVE = ("recipe.py", "contestants.py", "cell.py", "laboratory.py")


@cache
def code_version() -> str:
    """A digest of the code that a run depends on: cells of other code are run again."""
    here = Path(__file__).resolve().parent
    library = [path for path in PACKAGE.rglob("*.py") if path.relative_to(PACKAGE).parts[0] not in ("paper", "cli")]
    digest = hashlib.sha256()
    for path in sorted(library) + [here / name for name in DECISIVE]:
        digest.update(path.relative_to(PACKAGE).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


class Cache:
    """A directory of JSON files. A file that is damaged, or of other code or another machine, does not count."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._origin: dict[str, Any] = {"environment": environment(), "code": code_version()}

    def load(self, cell: Cell) -> Curve | None:
        try:
            stored = json.loads(self._path(cell).read_text(encoding="utf-8"))
            if {key: stored[key] for key in ("cell", *self._origin)} != {"cell": cell.to_dict(), **self._origin}:
                return None
            curve = Curve(**stored["curve"])
            time, value = [float(t) for t in curve.time], [float(v) for v in curve.value]
        except (OSError, ValueError, TypeError, KeyError):
            return None
        return curve if len(time) == len(value) > 0 else None

    def save(self, cell: Cell, curve: Curve) -> None:
        write_json(self._path(cell), {"cell": cell.to_dict(), **self._origin, "curve": asdict(curve)})

    def _path(self, cell: Cell) -> Path:
        return self._directory / f"{cell.file_stem}.json"
