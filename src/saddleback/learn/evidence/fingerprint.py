"""A fingerprint of the rows: the same rows give the same one, in any container and on any machine."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..data.rows import Rows
from ..groups.levels import Levels

BLOCK = 65_536
"""Rows that are written at a time."""
OF = (
    "SHA-256 of the numbers of rows and columns (little-endian 64-bit integers), X row by row (little-endian 64-bit "
    "floating-point numbers, -0 as 0), y (such numbers, or texts), and each group column (its name, then its labels as "
    "texts); every text is UTF-8 after its length in bytes"
)


def fingerprint_of(rows: Rows, y: Any, attributes: dict[str, Levels]) -> dict[str, Any]:
    """``y`` are the targets as the user has them. Sparse and dense tables of the same numbers agree."""
    digest = sha256()
    n, d = rows.X.shape
    digest.update(np.array([n, d], dtype="<i8").tobytes())
    for start in range(0, n, BLOCK):
        block = rows.X[start : start + BLOCK]
        block = block.toarray() if sp.issparse(block) else block
        digest.update((np.ascontiguousarray(block, dtype="<f8") + 0.0).tobytes())
    target = np.asarray(y)
    if target.dtype.kind == "f":
        digest.update((np.ascontiguousarray(target, dtype="<f8") + 0.0).tobytes())
    else:
        _put_texts(digest, target.tolist())
    for name, (names, codes) in attributes.items():
        _put_texts(digest, [name])
        texts = [str(label) for label in names]
        _put_texts(digest, [texts[code] for code in codes])
    return {"sha256": digest.hexdigest(), "rows": n, "columns": d, "of": OF}


def _put_texts(digest: Any, values: list[Any]) -> None:
    parts = []
    for value in values:
        text = str(value).encode("utf-8", "surrogatepass")
        parts += [len(text).to_bytes(8, "little"), text]
    digest.update(b"".join(parts))
