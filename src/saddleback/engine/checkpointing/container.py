"""The file of a checkpoint: that of `saddleback.storage`, with the numbers of losses and parameters in its header."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import IO

from ..._version import __version__
from ...storage.container import (
    DIGEST,
    LENGTH,
    Array,
    Header,
    Unreadable,
    about_of,
    checksum,
    open_regular,
    read_arrays,
    write_tensors,
)
from ...storage.container import read_header as read_any_header
from ...storage.kinds import KINDS

KIND = KINDS["checkpoint"]
VERSION = str(KIND.version)
# The types of arrays in a state.
NAMES = ("float64", "float32", "int64", "int32", "bool")
# Keys of the header's texts; those of the contents have a dot in them.
SIZES = {"J": "n_losses", "d": "n_params"}


@dataclass(frozen=True)
class CheckpointHeader(Header):
    """The header of a checkpoint."""

    @property
    def sizes(self) -> dict[str, int]:
        """J and d. They begin the checksum, in the place of format, version and program."""
        return self.about


def read_header(file: IO[bytes]) -> CheckpointHeader:
    """The header; Unreadable where it is not consistent with the size of the file, or not that of a checkpoint."""
    header = read_any_header(file, (KIND.name,))
    texts = dict(header.texts)
    sizes = {name: _count(texts.pop(key, "")) for name, key in SIZES.items()}
    return CheckpointHeader(**vars(replace(header, about=sizes, texts=texts)))


def write(file: IO[bytes], texts: Mapping[str, str], arrays: Mapping[str, Array], sizes: Mapping[str, int]) -> None:
    """One file of the present version."""
    known = about_of(KIND, KIND.version, f"saddleback {__version__}")
    known |= {key: str(sizes[name]) for name, key in SIZES.items()}
    write_tensors(file, {**known, DIGEST: checksum(sizes, texts, arrays), **texts}, arrays)


def _count(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 18):
        raise Unreadable("its header does not say how many losses and parameters there are")
    return int(text)


__all__ = [
    "LENGTH",
    "NAMES",
    "VERSION",
    "CheckpointHeader",
    "Unreadable",
    "open_regular",
    "read_arrays",
    "read_header",
    "write",
]
