"""Where a checkpoint may be written: a new file, or the place of an older checkpoint."""

from __future__ import annotations

import os
import stat
from os import PathLike
from pathlib import Path

from ...errors import ProblemError
from .container import Unreadable, open_regular, read_header

KINDS = (
    (stat.S_ISDIR, "a directory"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


def checked_path(path: str | PathLike[str] | None, resume: bool) -> Path | None:
    """The file to write, with links followed; refused where it cannot be written or is not a checkpoint."""
    if path is None:
        if resume:
            raise ProblemError("resume=True needs checkpoint=..., the file to resume from.")
        return None
    try:
        given = Path(path)
        mode = given.stat().st_mode if given.exists() else None
        # The file that a link names is written, and the link stays.
        file = given.resolve()
        if file.is_symlink() or (mode is not None and stat.S_ISREG(mode) and not file.exists()):
            raise OSError("the link points to a file that does not exist")
    except TypeError:
        raise ProblemError(f"checkpoint must be a path; got {path!r}.") from None
    except (OSError, ValueError, RuntimeError) as error:
        raise ProblemError(f"checkpoint: {path!r} is not a possible path of a file ({error}).") from None
    if not file.parent.is_dir():
        raise ProblemError(f"checkpoint: there is no directory {file.parent}; create it first.")
    if mode is not None:
        _check_replaceable(file, mode, resume)
    if not os.access(file.parent, os.W_OK | os.X_OK):
        raise ProblemError(f"checkpoint: no file can be written in {file.parent}; choose a directory of your own.")
    return file


def _check_replaceable(file: Path, mode: int, resume: bool) -> None:
    if not stat.S_ISREG(mode):
        kind = next((name for is_kind, name in KINDS if is_kind(mode)), "not a regular file")
        raise ProblemError(f"checkpoint must be a file; {file} is {kind}. Give the name of a file.")
    if not resume and file.stat().st_size == 0:
        return
    try:
        with open_regular(file) as opened:
            read_header(opened)
    except Unreadable as reason:
        raise ProblemError(
            f"{file} is not a checkpoint of this program and stays as it is: {reason}. Delete it, or give another name."
        ) from None
