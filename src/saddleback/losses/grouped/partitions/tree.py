"""Sums over partitions in a fixed binary tree, whose bits do not depend on who adds them, nor when."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

Sums = tuple[NDArray[np.float64], ...]
"""The arrays that are added, such as losses and their gradients."""

Node = tuple[int, int]
"""(level, k): the leaves on the places k 2^level, ..., (k + 1) 2^level - 1 of the lowest level."""


class PartialSums:
    """The largest nodes of the tree whose leaves have all been added."""

    def __init__(self, n_leaves: int) -> None:
        self.n_leaves = n_leaves
        self.nodes: dict[Node, Sums | None] = {}

    def add(self, node: Node, sums: Sums | None) -> None:
        """Add a node, whose arrays are then this object's own; None for partitions without rows."""
        level, k = node
        while level < depth(self.n_leaves):
            sibling = level, k ^ 1
            if first_leaf(sibling, self.n_leaves) < first_leaf((level, sibling[1] + 1), self.n_leaves):
                if sibling not in self.nodes:
                    break
                sums = _added(sums, self.nodes.pop(sibling))
            level, k = level + 1, k >> 1
        self.nodes[level, k] = sums

    @property
    def total(self) -> Sums | None:
        """The root's sums."""
        (sums,) = self.nodes.values()
        return sums


def depth(n_leaves: int) -> int:
    """The level of the root."""
    return (n_leaves - 1).bit_length()


def leaf(number: int, n_leaves: int) -> Node:
    """The node of one leaf. They lie evenly on the 2^depth places, so that the halves of a node have equal shares, and
    2, 4, 8, ... workers a node each, whatever the number of leaves."""
    return 0, (2 * number + 1 << depth(n_leaves)) // (2 * n_leaves)


def first_leaf(node: Node, n_leaves: int) -> int:
    """The first leaf that is not on a place before this node."""
    level, k = node
    root = depth(n_leaves)
    return -((1 << root) - 2 * n_leaves * (k << level) >> root + 1)


def maximal_nodes(leaves: Iterable[int], n_leaves: int) -> set[Node]:
    """The nodes that hold the sums of these leaves."""
    sums = PartialSums(n_leaves)
    for number in leaves:
        sums.add(leaf(number, n_leaves), None)
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
