"""Inner products of rows that are kept while others come and go: only those of new rows are computed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .._types import Matrix, Vector


def products(rows: Matrix, blocks: Sequence[Matrix]) -> Matrix:
    """Inner products of each row with every row of the blocks."""
    return np.concatenate([rows @ block.T for block in blocks], axis=1)


def bordered(gram: Matrix, cross: Matrix, own: Matrix) -> Matrix:
    """The Gram matrix with new rows after the others; ``cross`` and ``own`` are their inner products with both."""
    n = len(gram)
    larger = np.empty((n + len(own), n + len(own)))
    larger[:n, :n], larger[n:, n:] = gram, own
    larger[n:, :n], larger[:n, n:] = cross, cross.T
    return larger


def combination(coefficients: Sequence[Vector], blocks: Sequence[Matrix]) -> Vector:
    """The sum of all rows of the blocks, each times its coefficient."""
    total: Vector = coefficients[0] @ blocks[0]
    for c, block in zip(coefficients[1:], blocks[1:], strict=True):
        if c.size:
            total += c @ block
    return total


def orthonormal(gram: Matrix, smallest: float) -> Matrix:
    """E such that the rows of E Z are an orthonormal basis of the span of the rows Z, from their Gram matrix.

    Directions with a squared length below ``smallest`` times the largest are left out: they are rounding errors.
    """
    lengths = np.sqrt(np.maximum(gram.diagonal(), np.finfo(np.float64).tiny))
    values, vectors = np.linalg.eigh(gram / lengths[:, None] / lengths)
    kept = values > smallest * values[-1]
    E: Matrix = (vectors[:, kept] / np.sqrt(values[kept])).T / lengths
    return E
