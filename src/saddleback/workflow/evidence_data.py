"""What the report says of a table and of its files."""

from __future__ import annotations

import os
from dataclasses import asdict
from hashlib import file_digest, sha256
from os import PathLike
from pathlib import Path
from typing import Any, Protocol

from ..machine.file_listing import files_of, is_many
from ..tabular import Encoding
from ..tabular.reading.parquet_files import SUFFIXES


class RowsOfFit(Protocol):
    """The rows of a fit, in memory or elsewhere."""

    def __len__(self) -> int:
        """Those with a target."""

    @property
    def left_out(self) -> int:
        """The number of the others."""


def facts_of_fit(rows: RowsOfFit, fingerprint: dict[str, Any], weight: str | None, data: Any) -> dict[str, Any]:
    """What a model keeps of its fit: the ``facts`` of a `TableModel`."""
    return {
        "rows": len(rows),
        "left_out": rows.left_out,
        "sha256": fingerprint["sha256"],
        "weight": weight,
        "data": name_of(data),
    }


def evidence_data(encoding: Encoding, left_out: int, files: list[dict[str, Any]]) -> dict[str, Any]:
    """Columns, findings, rows without a target, files."""
    return {
        "columns": [{"name": rule.name, "kind": rule.kind, "rule": rule.rule} for rule in encoding.columns],
        "findings": [asdict(finding) for finding in encoding.findings],
        "missing": f"{left_out} rows without a target were left out." if left_out else None,
        "files": files,
    }


def file_entries(role: str, data: Any, n_columns: int) -> list[dict[str, Any]]:
    """What an auditor can compare files with: the digest is that of ``cat FILES | sha256sum``."""
    name = name_of(data)
    if name is None:
        return []
    digest, size = sha256(), 0
    files = files_of(data, SUFFIXES) if is_many(data) else [Path(data)]
    for file in files:
        with open(file, "rb") as opened:
            file_digest(opened, lambda: digest)
            size += os.fstat(opened.fileno()).st_size
    if len(files) > 1:
        name = f"{name} ({len(files)} files in their order)"
    name = name.encode("utf-8", "replace").decode()
    return [{"role": role, "name": name, "sha256": digest.hexdigest(), "bytes": size, "columns": n_columns}]


def title_of(encoding: Encoding, data: Any) -> str:
    """What the report is called unless it is told."""
    return f"{encoding.target.name} of {name_of(data) or 'a table'} by {' and '.join(encoding.groups)}"


def name_of(data: Any) -> str | None:
    """The name of a file, a folder or a pattern; None for a table in memory."""
    return os.path.basename(os.fspath(data).rstrip("/")) if isinstance(data, str | PathLike) else None
