"""Where a checkpoint may be written: a new file, or the place of an older checkpoint."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

from ...errors import ProblemError
from ...storage.destination import checked_destination


def checked_path(path: str | PathLike[str] | None, resume: bool) -> Path | None:
    """The file to write, with links followed; refused where it cannot be written or is not a checkpoint."""
    if path is None:
        if resume:
            raise ProblemError("resume=True needs checkpoint=..., the file to resume from.")
        return None
    return checked_destination(
        path, "checkpoint", kinds=("checkpoint",), owner="a checkpoint of this program", empty=not resume
    )
