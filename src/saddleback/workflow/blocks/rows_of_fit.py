"""The rows of a fit that was not in memory, found again in its files."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from os import PathLike
from typing import Any

from ...machine.memory_setting import read_memory
from ..table_model import TableModel
from .block_rows import BlockRows, fingerprint_of
from .from_files import blocks_of_files
from .held_out import Draw
from .ways import Asked, parquet_of

SEED = "seed"
"""The setting of the evidence that says how rows were drawn."""


def rows_from_files(model: TableModel, data: Any) -> BlockRows | None:
    """The rows that a model was fitted to; None where it was fitted to rows in memory, or to other files."""
    files = parquet_of(data, Asked()) if isinstance(data, str | PathLike) else None
    if files is None:
        return None
    width = len(model.encoding.feature_names)
    if fingerprint_of(files, model.facts["rows"], width)["sha256"] != model.facts["sha256"]:
        return None
    make = partial(blocks_of_files, read_memory(None))
    _, rows = BlockRows.read(files, model.encoding, model.facts["weight"], make)
    seed = None if model.evidence is None else _seed_of_draw(model.evidence)
    return rows if seed is None else rows[Draw.of(rows, seed, hold_out=True).fitted]


def _seed_of_draw(evidence: Mapping[str, Any]) -> int | None:
    """By which rows were drawn that judge the model; None where rows of another file judge it."""
    if any(file["role"] == "test" for file in evidence["data"].get("files") or []):
        return None
    settings = evidence["provenance"]["settings"]
    return int(settings[SEED]) if isinstance(settings, dict) and SEED in settings else None
