"""Encoded rows that are read from their files at every pass."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...tabular import Encoding
from .encoded_cut import EncodedCut
from .encoded_source import EncodedSource

if TYPE_CHECKING:
    from ...learn.data.remote import Blocks


def blocks_of_files(memory: float, cuts: Sequence[EncodedCut], encoding: Encoding) -> Blocks:
    """Features that nobody keeps; copies of chosen rows take ``memory`` bytes at most."""
    from ...learn.data.partitions import Partitions
    from ...losses.grouped.partitions.streaming import streamed_features

    return Partitions(streamed_features(EncodedSource(cuts, encoding), memory=memory))
