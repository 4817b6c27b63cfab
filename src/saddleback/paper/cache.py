"""A cache of the cells that have run, one file each: an interrupted reproduction continues from it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any

from .cell import Cell, Curve
from .environment import environment
from .files import plain, write_json

PACKAGE = Path(__file__).resolve().parents[1]
HERE = Path(__file__).resolve().parent
# The modules of this folder that determine how a cell runs.
DECISIVE = ("recipe.py", "contestants.py", "cell.py", "laboratory.py")


@cache
def code_version(folder: str | None = None) -> str:
    """A digest of the code that a cell depends on: the library, ``DECISIVE`` and, if given, a folder of ``paper``."""
    library = [path for path in PACKAGE.rglob("*.py") if path.relative_to(PACKAGE).parts[0] not in ("paper", "cli")]
    ours = [HERE / name for name in DECISIVE] + (sorted((HERE / folder).glob("*.py")) if folder else [])
    digest = hashlib.sha256()
    for path in sorted(library) + ours:
        digest.update(path.relative_to(PACKAGE).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


class Cache:
    """A directory of JSON files. Damaged files, and files of other code or another machine, are ignored."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._environment = environment()

    def load(self, cell: Cell) -> Curve | None:
        stored = self._read(cell.file_stem, {"cell": cell.to_dict(), "code": code_version()}, "curve")
        try:
            curve = Curve(**stored) if stored is not None else None
            lengths = {len([float(x) for x in series]) for series in (curve.time, curve.value)} if curve else set()
        except (ValueError, TypeError):
            return None
        return curve if len(lengths) == 1 and lengths != {0} else None

    def save(self, cell: Cell, curve: Curve) -> None:
        self._write(cell.file_stem, {"cell": cell.to_dict(), "code": code_version()}, "curve", asdict(curve))

    def load_check(self, name: str, scale: str, seed: int) -> dict[str, Any] | None:
        """The stored measurements of a check of the theory; None if there are none."""
        return self._read(_stem(name, scale, seed), _check(name, scale, seed), "measured")

    def save_check(self, name: str, scale: str, seed: int, measured: Mapping[str, Any]) -> None:
        self._write(_stem(name, scale, seed), _check(name, scale, seed), "measured", measured)

    def _read(self, stem: str, origin: Mapping[str, Any], key: str) -> dict[str, Any] | None:
        try:
            stored = json.loads((self._directory / f"{stem}.json").read_text(encoding="utf-8"))
            expected = {"environment": self._environment, **origin}
            if {name: stored[name] for name in expected} != plain(expected):
                return None
            found = stored[key]
        except (OSError, ValueError, TypeError, KeyError):
            return None
        return found if isinstance(found, dict) else None

    def _write(self, stem: str, origin: Mapping[str, Any], key: str, content: Mapping[str, Any]) -> None:
        path = self._directory / f"{stem}.json"
        write_json(path, {**origin, "environment": self._environment, key: content})


def _stem(name: str, scale: str, seed: int) -> str:
    return f"theory-{name}-{scale}-seed{seed}"


def _check(name: str, scale: str, seed: int) -> dict[str, Any]:
    return {"check": name, "scale": scale, "seed": seed, "code": code_version("theory")}
