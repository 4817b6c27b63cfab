"""Trees of gradient boosting as plain arrays, evaluated without scikit-learn's private classes.

The margins are those of scikit-learn's HistGradientBoosting to the last bit: leaves are added in the same order.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..._types import Matrix, Vector
from ...errors import ProblemError
from ...losses.grouped.kernels.compiling import FUSED, kernel

WORDS = 8
"""Numbers of 32 bits that are a set of categories: scikit-learn allows 256 of them."""
MOST_CATEGORIES = 32 * WORDS


@dataclass(frozen=True, eq=False)
class StoredTrees:
    """T trees, of which every K-th one adds to the same margin; their nodes one after another.

    A row goes from the first node of a tree to a leaf: to the left child where its feature is at most the threshold,
    or is one of the categories in the node's set. A missing value, or a category that the training rows did not have,
    goes where ``missing_left`` says. A ProblemError refuses arrays by which a row could leave its tree or go around in
    it: both children must come after their node.
    """

    baseline: Vector
    """(K,): where the sums of the leaves begin."""
    starts: NDArray[np.int64]
    """(T + 1,): the nodes of tree t are starts[t], ..., starts[t + 1] - 1."""
    value: Vector
    """(N,): what a leaf adds."""
    feature: NDArray[np.int64]
    threshold: Vector
    left: NDArray[np.int64]
    """(N,): children, counted from the first node of the tree."""
    right: NDArray[np.int64]
    leaf: NDArray[np.bool_]
    missing_left: NDArray[np.bool_]
    categorical: NDArray[np.bool_]
    bitset: NDArray[np.int64]
    """(N,): the row of ``bitsets`` of a node with categories."""
    bitsets: NDArray[np.uint32]
    """(B, 8): the categories that go left, as bits."""
    n_categories: NDArray[np.int64]
    """(d,): how many categories each feature has, numbered from 0; 0 for numbers."""

    def __post_init__(self) -> None:
        wrong = self._fault()
        if wrong is not None:
            raise ProblemError(f"these are no trees: {wrong}.")

    @property
    def n_margins(self) -> int:
        """K."""
        return self.baseline.size

    def margins(self, X: Matrix) -> Matrix:
        """(n, K) in columns, for a matrix of numbers in which categories are numbered."""
        n, d = X.shape
        if d != self.n_categories.size:
            raise ProblemError(f"X must have {self.n_categories.size} features; got {d}.")
        sums = np.zeros((n, self.n_margins), order="F")
        sums += self.baseline
        if self.starts.size > 1:
            arrays = [getattr(self, member.name) for member in fields(self) if member.name != "baseline"]
            add_leaves(np.ascontiguousarray(X, dtype=np.float64), *arrays, sums)
        return sums

    def _fault(self) -> str | None:
        """What is wrong with the arrays."""
        N, starts = self.value.size, self.starts
        nodes = ("value", "feature", "threshold", "left", "right", "leaf", "missing_left", "categorical", "bitset")
        if any(getattr(self, name).shape != (N,) for name in nodes):
            return "nodes have unequal numbers of entries"
        if self.baseline.ndim != 1 or self.baseline.size == 0 or self.n_categories.ndim != 1:
            return "there are no margins or no features"
        if starts.ndim != 1 or starts.size == 0 or starts[0] != 0 or starts[-1] != N or (np.diff(starts) < 1).any():
            return "they do not follow each other"
        if (starts.size - 1) % self.baseline.size:
            return "their number is no multiple of the margins"
        if not (np.isfinite(self.baseline).all() and np.isfinite(self.value[self.leaf]).all()):
            return "leaves are not finite"
        if self.n_categories.size == 0 or self.n_categories.min() < 0 or self.n_categories.max() > MOST_CATEGORIES:
            return f"a feature has more than {MOST_CATEGORIES} categories"
        if self.bitsets.ndim != 2 or self.bitsets.shape[1] != WORDS:
            return "sets of categories have another length"
        return self._fault_of_splits()

    def _fault_of_splits(self) -> str | None:
        splits = np.flatnonzero(~self.leaf)
        tree = np.searchsorted(self.starts, splits, side="right") - 1
        own, size = splits - self.starts[tree], np.diff(self.starts)[tree]
        for child in (self.left[splits], self.right[splits]):
            if not ((child > own) & (child < size)).all():
                return "a child is outside of its tree, or before its node"
        features, bitset = self.feature[splits], self.bitset[splits]
        if not ((features >= 0) & (features < self.n_categories.size)).all():
            return "a feature is not there"
        kinds = self.categorical[splits]
        if (self.n_categories[features[kinds]] == 0).any() or (self.n_categories[features[~kinds]] > 0).any():
            return "a split by categories is of a feature of numbers, or the other way round"
        if not ((bitset[kinds] >= 0) & (bitset[kinds] < len(self.bitsets))).all():
            return "a set of categories is not there"
        return "a threshold is not a number" if np.isnan(self.threshold[splits]).any() else None


@kernel(FUSED)
def add_leaves(
    X: Any,
    starts: Any,
    value: Any,
    feature: Any,
    threshold: Any,
    left: Any,
    right: Any,
    leaf: Any,
    missing_left: Any,
    categorical: Any,
    bitset: Any,
    bitsets: Any,
    n_categories: Any,
    sums: Any,
) -> None:
    """Add the leaf of each row in each tree to its sum; a block of rows at a time, which stays in the cache."""
    n, K, T = X.shape[0], sums.shape[1], starts.size - 1
    block = max(1, 65536 // max(1, X.shape[1]))
    for begin in range(0, n, block):
        end = min(begin + block, n)
        for t in range(T):
            first, k = starts[t], t % K
            for i in range(begin, end):
                node = first
                while not leaf[node]:
                    x = X[i, feature[node]]
                    if np.isnan(x):
                        goes_left = missing_left[node]
                    elif categorical[node]:
                        if x < 0.0 or x >= n_categories[feature[node]]:
                            goes_left = missing_left[node]
                        else:
                            code = np.int64(x)
                            word = np.int64(bitsets[bitset[node], code >> 5])
                            goes_left = (word >> (code & 31)) & 1 == 1
                    else:
                        goes_left = x <= threshold[node]
                    node = first + (left[node] if goes_left else right[node])
                sums[i, k] += value[node]
