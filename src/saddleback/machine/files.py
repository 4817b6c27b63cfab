"""Atomic writes of files."""

from __future__ import annotations

import os
import re
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import blake2b
from pathlib import Path
from platform import node
from typing import IO

# Longer names are replaced by a digest in temporary names: systems allow 255 bytes.
LONGEST_NAME = 150

_being_written: set[str] = set()


@contextmanager
def atomic(path: Path) -> Iterator[IO[bytes]]:
    """A temporary file that replaces ``path`` at the end, so that ``path`` is never incomplete, also after a crash.

    It gets the permissions of the file that it replaces.
    """
    name = f"{_prefix(path)}{os.getpid()}-{secrets.token_hex(4)}.tmp"
    temporary = path.parent / name
    _being_written.add(name)
    try:
        with open(temporary, "xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        with suppress(FileNotFoundError):
            os.chmod(temporary, stat.S_IMODE(path.stat().st_mode))
        os.replace(temporary, path)
    except BaseException:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise
    finally:
        _being_written.discard(name)


def remove_stale(path: Path) -> None:
    """Remove temporary files of ``path`` that killed processes of this machine have left."""
    pattern = re.compile(re.escape(_prefix(path)) + r"(\d{1,10})-[0-9a-f]{8}\.tmp")
    with suppress(OSError), os.scandir(path.parent) as entries:
        for entry in entries:
            found = pattern.fullmatch(entry.name)
            if found and entry.is_file(follow_symlinks=False) and _is_abandoned(entry.name, int(found[1])):
                with suppress(OSError):
                    os.unlink(entry.path)


def _prefix(path: Path) -> str:
    """The prefix of temporary names for ``path``, with the machine's name, as process numbers are its own."""
    name = path.name
    if len(os.fsencode(name)) > LONGEST_NAME:
        name = blake2b(os.fsencode(name), digest_size=16).hexdigest()
    return f".{name}.{re.sub(r'[^0-9A-Za-z-]', '-', node())[:40]}-"


def _is_abandoned(name: str, process: int) -> bool:
    if process == os.getpid():
        # A restarted container often has the process number of the one that was killed.
        return name not in _being_written
    if os.name != "posix":
        return False
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    except (OSError, OverflowError):
        return False
    return False
