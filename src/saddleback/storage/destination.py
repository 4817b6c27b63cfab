"""Where a file may be written: a new file, or the place of an older one of this program."""

from __future__ import annotations

import os
import stat
from collections.abc import Collection
from os import PathLike
from pathlib import Path

from ..errors import ProblemError
from .container import Unreadable, open_regular, read_header
from .kinds import KINDS

NOT_FILES = (
    (stat.S_ISDIR, "a directory"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


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
    try:
        given = Path(path)
        mode = given.stat().st_mode if given.exists() else None
        # The file that a link names is written, and the link stays.
        file = given.resolve()
        if file.is_symlink() or (mode is not None and stat.S_ISREG(mode) and not file.exists()):
            raise OSError("the link points to a file that does not exist")
    except TypeError:
        raise ProblemError(f"{argument} must be a path; got {path!r}.") from None
    except (OSError, ValueError, RuntimeError) as error:
        raise ProblemError(f"{argument}: {path!r} is not a possible path of a file ({error}).") from None
    if not file.parent.is_dir():
        raise ProblemError(f"{argument}: there is no directory {shown(file.parent)}; create it first.")
    if mode is not None:
        if not stat.S_ISREG(mode):
            kind = next((name for is_kind, name in NOT_FILES if is_kind(mode)), "not a regular file")
            raise ProblemError(f"{argument} must be a file; {shown(file)} is {kind}. Give the name of a file.")
        if not (empty and file.stat().st_size == 0):
            _check_ours(file, kinds, owner)
    if not os.access(file.parent, os.W_OK | os.X_OK):
        raise ProblemError(
            f"{argument}: no file can be written in {shown(file.parent)}; choose a directory of your own."
        )
    return file


def shown(path: str | PathLike[str]) -> str:
    """A path in one line, for messages."""
    text = os.fspath(path)
    return text if text.isprintable() else repr(text)


def _check_ours(file: Path, kinds: Collection[str], owner: str) -> None:
    try:
        with open_regular(file) as opened:
            read_header(opened, kinds)
    except Unreadable as reason:
        raise ProblemError(
            f"{shown(file)} is not {owner} and stays as it is: {reason}. Delete it, or give another name."
        ) from None
