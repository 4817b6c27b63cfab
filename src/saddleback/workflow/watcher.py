"""What watches a command: the phases of its work, and the fits inside."""

from __future__ import annotations

from ..learn.fitting.observer import Observer


class Watcher(Observer):
    """Is told what a function of this room is doing; this one does nothing with it."""

    def tell(self, phase: str) -> None:
        """A phase begins, such as "reading data.csv"."""
