"""What is fuzzed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from saddleback.errors import ProblemError

LONGEST_MESSAGE = 3000


@dataclass(frozen=True)
class Target:
    """A reader: ``read`` takes the bytes of a file, and ``seeds`` makes sound files to start from.

    ``read`` returns a word for what happened, such as "read", which is counted. It may raise `ProblemError`, and
    nothing else.
    """

    name: str
    read: Callable[[bytes], str]
    seeds: Callable[[], list[bytes]]

    def outcome(self, data: bytes) -> str:
        """What ``read`` makes of the bytes: its word, or "refused". Anything else that it raises is a failure."""
        try:
            return self.read(data)
        except ProblemError as error:
            text = str(error)
            if not text or "\n" in text or len(text) > LONGEST_MESSAGE:
                raise AssertionError(f"the message is not one readable line: {text[:200]!r}") from error
            return "refused"
