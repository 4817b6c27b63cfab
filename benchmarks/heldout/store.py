"""One file for each table, split and contestant: what is there is not computed again."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path

import numpy as np

from saddleback.machine.files import atomic

from .nested import Judged


def path_of(directory: Path, table: str, split: int, contestant: str) -> Path:
    return directory / "rows" / f"split-{split}" / _plain(table) / f"{_plain(contestant)}.npz"


def save(path: Path, judged: Judged, fingerprint: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic(path) as file:
        np.savez(
            file,
            fingerprint=np.array(fingerprint),
            loss=judged.loss,
            hit=judged.hit,
            training_loss=judged.training_loss,
            chosen=np.array(judged.chosen, dtype=np.str_),
            seconds=np.array(judged.seconds),
        )


def load(path: Path, fingerprint: str) -> Judged | None:
    """What was stored for the same table and split; None if there is none, or it cannot be read."""
    try:
        with np.load(path, allow_pickle=False) as stored:
            if str(stored["fingerprint"]) != fingerprint:
                return None
            chosen = tuple(map(str, stored["chosen"]))
            return Judged(stored["loss"], stored["hit"], stored["training_loss"], chosen, float(stored["seconds"]))
    except (FileNotFoundError, KeyError, ValueError, EOFError, zipfile.BadZipFile):
        return None


def _plain(name: str) -> str:
    """Letters, digits and dashes."""
    return re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-")
