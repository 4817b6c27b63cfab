"""A mutant: one formula of the package, changed in a way that an engineer could really get wrong."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

PACKAGE = Path("src/saddleback")


@dataclass(frozen=True)
class Mutant:
    """A piece of source text, what replaces it, and the tests that must fail then."""

    name: str
    file: str
    """Below src/saddleback."""
    old: str
    """Occurs exactly once in the file."""
    new: str
    tests: tuple[str, ...]
    """Files or node ids of pytest, relative to the root of the project."""
    why: str
    """The formula that breaks."""
    survives: str = ""
    """Why no test can notice, or need not; empty for a mutant that must be killed."""

    @property
    def path(self) -> Path:
        """The mutated file, relative to the root of the project."""
        return PACKAGE / self.file

    def apply(self, source: str) -> str:
        """The mutated source; ValueError where ``old`` does not occur exactly once."""
        found = source.count(self.old)
        if found != 1:
            raise ValueError(f"{self.name}: the old text must occur once in {self.path}; it occurs {found} times.")
        return source.replace(self.old, self.new)
