"""Sums over partitions in a fixed binary tree, whose bits do not depend on who adds them, nor when."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

Sums = tuple[NDArray[np.float64], ...]
"""The arrays that are added, such as losses and their gradients."""

Node = tuple[int, int]
"""(level, k): the leaves k 2^level, ..., (k + 1) 2^level - 1, as far as there are so many."""


class PartialSums:
    """The largest nodes of the tree whose leaves have all been added."""

    def __init__(self, n_leaves: int) -> None:
        self.n_leaves = n_leaves
        self.nodes: dict[Node, Sums | None] = {}

    def add(self, node: Node, sums: Sums | None) -> None:
        """Add a node, whose arrays are then this object's own; None for partitions without rows."""
        level, k = node
        while 1 << level < self.n_leaves:
            sibling = k ^ 1
            if sibling << level < self.n_leaves:
                if (level, sibling) not in self.nodes:
                    break
                sums = _added(sums, self.nodes.pop((level, sibling)))
            level, k = level + 1, k >> 1
        self.nodes[level, k] = sums

    @property
    def total(self) -> Sums | None:
        """The root's sums."""
        (sums,) = self.nodes.values()
        return sums


def maximal_nodes(leaves: Iterable[int], n_leaves: int) -> set[Node]:
    """The nodes that hold the sums of these leaves."""
    sums = PartialSums(n_leaves)
    for leaf in leaves:
        sums.add((0, leaf), None)
    return set(sums.nodes)


def _added(a: Sums | None, b: Sums | None) -> Sums | None:
    """a + b in the arrays of a; the order does not matter, as floating-point addition commutes."""
    if a is None or b is None:
        return b if a is None else a
    for x, y in zip(a, b, strict=True):
        # Infinite losses of both signs give NaN, as within one partition.
        with np.errstate(over="ignore", invalid="ignore"):
            x += y
    return a
