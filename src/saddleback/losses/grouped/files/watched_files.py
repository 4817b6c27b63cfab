"""Files that are read over and over, and must not change in the meantime."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass, field
from datetime import datetime
from io import FileIO
from pathlib import Path
from threading import local
from typing import Any

from ....errors import ProblemError


@dataclass(frozen=True)
class WatchedFile:
    """A file as it was when it was first seen. Each thread opens it for itself, one file at a time."""

    path: Path
    size: int
    changed: int
    """Nanoseconds of its last change."""
    inode: int

    @classmethod
    def of(cls, path: Path) -> WatchedFile:
        """Refuse what cannot be read, and what is no regular file."""
        try:
            status = path.stat()
            if not stat.S_ISREG(status.st_mode):
                raise ProblemError(f"{str(path)!r} is no regular file. Pass a file, a folder of files or a pattern.")
            with open(path, "rb"):
                pass
        except OSError as error:
            raise cannot_read(path, error) from error
        return cls(path, status.st_size, status.st_mtime_ns, status.st_ino)

    def check(self, status: os.stat_result) -> None:
        """Refuse a file that has changed."""
        if status.st_nlink == 0:
            raise ProblemError(
                f"{str(self.path)!r} has been removed or replaced since it was opened. Open the table anew when its "
                "files are complete, and leave them unchanged."
            )
        if status.st_size != self.size:
            differs = f"it had {self.size} bytes and has {status.st_size}"
        elif status.st_ino != self.inode:
            differs = "another file has its name"
        elif status.st_mtime_ns != self.changed:
            differs = f"it was written anew, or touched, at {datetime.fromtimestamp(int(status.st_mtime))}"
        else:
            return
        raise ProblemError(
            f"{str(self.path)!r} has changed since it was opened: {differs}. Open the table anew when its files are "
            "complete, and leave them unchanged."
        )

    def check_unchanged(self) -> None:
        """The same by the name of the file, which may be that of another one by now."""
        try:
            self.check(self.path.stat())
        except OSError as error:
            raise cannot_read(self.path, error) from error


@dataclass(frozen=True)
class FileReader:
    """Reads bytes of files; every thread keeps the last file that it has opened."""

    _of_thread: local = field(default_factory=local, init=False, repr=False, compare=False)

    def __reduce__(self) -> tuple[Any, ...]:
        return FileReader, ()

    def read_into(self, file: WatchedFile, room: Any, offset: int, *, scattered: bool = False) -> None:
        """Fill a contiguous array with the bytes of a file from ``offset``.

        The system reads ahead of a thread that reads on, in time with what is computed meanwhile; not of scattered
        pieces.
        """
        view, done = memoryview(room).cast("B"), 0
        try:
            opened = self._opened(file, scattered)
            file.check(os.fstat(opened.fileno()))
            opened.seek(offset)
            while done < len(view):
                n_bytes = opened.readinto(view[done:])
                if not n_bytes:
                    raise ProblemError(
                        f"{str(file.path)!r} ends at byte {offset + done}, before the end of its table: it was cut "
                        "off. Write it again, and open the table anew."
                    )
                done += n_bytes
        except OSError as error:
            raise cannot_read(file.path, error) from error

    def _opened(self, file: WatchedFile, scattered: bool) -> FileIO:
        opened: _Opened | None = getattr(self._of_thread, "opened", None)
        if opened is None or opened.file is not file:
            opened = _Opened(file, scattered)
            self._of_thread.opened = opened
        return opened.stream


class _Opened:
    """An open file, closed when nobody uses it any more: a thread may end without notice."""

    def __init__(self, file: WatchedFile, scattered: bool) -> None:
        self.file = file
        self.stream = FileIO(file.path)
        if hasattr(os, "posix_fadvise"):
            # Sequential doubles what the system reads ahead: on a disk of 2 GB/s, asking for pieces ahead by ourselves
            # (POSIX_FADV_WILLNEED) reached half of its speed.
            advice = os.POSIX_FADV_RANDOM if scattered else os.POSIX_FADV_SEQUENTIAL
            os.posix_fadvise(self.stream.fileno(), 0, 0, advice)

    def __del__(self) -> None:
        if "stream" in vars(self):
            self.stream.close()


def cannot_read(path: Path, error: OSError) -> ProblemError:
    """What the system says of a file that cannot be read."""
    return ProblemError(f"{str(path)!r} cannot be read: {error.strerror or error}.")


def ask_ahead(path: Path, offset: int, n_bytes: int) -> None:
    """Ask the system to read a part of a file into its cache meanwhile; where it cannot, nothing happens."""
    if not hasattr(os, "posix_fadvise"):
        return
    try:
        with FileIO(path) as opened:
            os.posix_fadvise(opened.fileno(), offset, n_bytes, os.POSIX_FADV_WILLNEED)
    except OSError:
        return
