"""The kinds of files, and the versions of each that this program reads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Kind:
    """A kind of file: the word by which its header names it, and its versions."""

    name: str
    version: int
    """The version that is written."""
    readable: tuple[int, ...]
    """The versions that are read: all that a release has written since the kind exists in safetensors."""
    use: str
    """How such a file is read, for a user who has passed it elsewhere."""

    @property
    def format(self) -> str:
        """The text ``format`` of the header."""
        return f"saddleback {self.name}"

    @property
    def reads(self) -> str:
        """The readable versions, for messages."""
        return " or ".join(repr(str(version)) for version in self.readable)


LOAD = "load it with saddleback.load"

# Checkpoints of versions 1 and 2, and zip archives before them, were written before the first release only.
KINDS: Mapping[str, Kind] = {
    kind.name: kind
    for kind in (
        Kind("checkpoint", 3, (3,), "go on from it with solve(problem, checkpoint=path, resume=True)"),
        Kind("model", 1, (1,), LOAD),
        Kind("result", 1, (1,), LOAD),
        Kind("path", 1, (1,), LOAD),
    )
}
