"""Which files may be replaced: older ones of this program."""

from __future__ import annotations

from collections.abc import Collection
from os import PathLike
from pathlib import Path

from ..errors import ProblemError
from ..machine.destination import check_place, followed, shown
from .container import Unreadable, open_regular, read_header
from .kinds import KINDS


def checked_destination(
    path: str | PathLike[str],
    argument: str,
    *,
    kinds: Collection[str] = tuple(KINDS),
    owner: str = "a file of this program",
    empty: bool = True,
) -> Path:
    """The file to write, with links followed; refused where it cannot be written or would replace a foreign file.

    Files of these ``kinds`` may be replaced, and ``empty`` ones; ``argument`` and ``owner`` are for messages.
    """
    # Absolute: a run may change its directory before it writes.
    file = followed(check_place(path, argument)).absolute()
    check_ours(file, kinds, owner, empty=empty)
    return file


def check_ours(file: Path, kinds: Collection[str], owner: str, *, empty: bool = True) -> None:
    """Refuse a file that is there and of none of these ``kinds``; one that is ``empty`` is nobody's."""
    if not file.exists() or (empty and file.stat().st_size == 0):
        return
    try:
        with open_regular(file) as opened:
            read_header(opened, kinds)
    except Unreadable as reason:
        raise ProblemError(
            f"{shown(file)} is not {owner} and stays as it is: {reason}. Delete it, or give another name."
        ) from None
