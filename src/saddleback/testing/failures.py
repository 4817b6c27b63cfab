"""The failed checks of a contract suite, collected in one error."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from .._types import Vector
from ..errors import SaddlebackError

# The entries of a vector that a message shows.
SHOWN = 12


class ContractError(SaddlebackError, AssertionError):
    """An object breaks the contract of its kind; the message lists what is wrong, where, and what to do."""


class Findings:
    """The failed checks of one object, by the name of the check."""

    def __init__(self, subject: str) -> None:
        self._subject = subject
        self._failures: list[str] = []

    def add(self, check: str, violations: Iterator[str]) -> bool:
        """Run a check and return whether it holds; its first violation is quoted, the others are counted."""
        try:
            found = list(violations)
        except Exception as error:
            error.add_note(f"raised while saddleback.testing ran the check '{check}' on {self._subject}.")
            for failure in self._failures:
                error.add_note(f"already failed: {failure}")
            raise
        if found:
            more = f" (And {len(found) - 1} more of this kind.)" if len(found) > 1 else ""
            self._failures.append(f"[{check}] {found[0]}{more}")
        return not found

    @property
    def clean(self) -> bool:
        return not self._failures

    def settle(self) -> None:
        """Raise a ContractError if any check has failed so far."""
        if self._failures:
            count = f"{len(self._failures)} check{'s' * (len(self._failures) > 1)}"
            listed = "\n".join(f"  {i}. {failure}" for i, failure in enumerate(self._failures, 1))
            raise ContractError(f"{self._subject} fails {count}:\n{listed}")


def shape_errors(members: Sequence[tuple[str, Any, tuple[int, ...]]], where: str = "") -> Iterator[str]:
    """Messages for members of a wrong shape or with entries that are not finite."""
    for name, got, shape in members:
        if np.shape(got) != shape:
            yield f"{name} has shape {np.shape(got)}; expected {shape}."
        elif not np.isfinite(np.asarray(got, dtype=np.float64)).all():
            yield f"{name} is not finite{where}: {got}."


def show(x: Vector) -> str:
    """A vector in a message; of a long one, the ends."""
    entries = [f"{entry:.6g}" for entry in np.asarray(x).tolist()]
    if len(entries) > SHOWN:
        entries = [*entries[: SHOWN // 3], "...", *entries[-(SHOWN // 3) :]]
    return f"[{', '.join(entries)}]"
