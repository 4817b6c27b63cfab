"""Where files may be written: looked at before any work, replaced in one step at the end."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Mapping
from os import PathLike
from pathlib import Path
from reprlib import repr as shortened
from tempfile import TemporaryFile
from typing import IO, Any

from ..errors import ProblemError
from .files import atomic, remove_stale

AnyPath = str | PathLike[str]

NOT_FILES = (
    (stat.S_ISDIR, "a directory"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


def check_place(
    path: AnyPath, name: str, *, suffixes: Mapping[str, str] | None = None, inputs: Iterable[AnyPath | None] = ()
) -> Path:
    """The path, refused where no file could be written at the end: this is known before hours of work.

    ``name`` is what the argument is called, ``suffixes`` are the endings that it may have, with what they mean, and
    ``inputs`` are files that must not be replaced. An existing file stays as it is until `write_file` replaces it.
    """
    try:
        place, text = Path(path), os.fspath(path)
    except TypeError:
        raise ProblemError(f"{name} must be a path; got {shortened(path)}.") from None
    if not text.strip():
        raise ProblemError(f"{name} must name a file; got an empty path.")
    if suffixes and not place.name.lower().endswith(tuple(suffixes)):
        raise ProblemError(f"{name} must end in {_either(suffixes)}; got {text!r}.")
    try:
        if "\0" in text:
            raise ValueError("it holds a null character")
        mode = place.stat().st_mode if place.exists() else None
        file = followed(place)
        if file.is_symlink() or (mode is not None and stat.S_ISREG(mode) and not file.exists()):
            raise OSError("the link points to a file that does not exist")
    except (OSError, ValueError, RuntimeError) as error:
        raise ProblemError(f"{name}: {text!r} is not a possible path of a file ({reason_of(error)}).") from None
    _check_folder(file.parent, name)
    if mode is not None:
        _check_file(place, mode, name)
        _check_inputs(place, name, inputs)
    _try_folder(file.parent, place, name)
    return place


def make_folder(path: AnyPath, name: str) -> Path:
    """The directory, made where it is missing; refused where no file can be written in it."""
    if not os.fspath(path).strip():
        raise ProblemError(f"{name} must name a directory; got an empty path. Pass '.' for the current one.")
    folder = Path(path)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        raise ProblemError(_not_writable(name, folder, error)) from None
    _try_folder(folder, folder, name)
    return folder


def write_file(
    path: Path,
    write: Callable[[IO[bytes]], Any],
    remedy: str = "Nothing was changed; make room, or give another name.",
) -> None:
    """Fill a temporary file by ``write`` and put it in the place of ``path``; nothing is left where this fails.

    Of a link, the file that it names is written. ``remedy`` is what a failure says after its reason.
    """
    file = followed(path)
    remove_stale(file)
    try:
        with atomic(file) as opened:
            write(opened)
    except OSError as error:
        raise ProblemError(f"{shown(path)} was not written: {reason_of(error)}. {remedy}") from error


def followed(path: Path) -> Path:
    """The file that a link names; any other path as it is, which may be relative to a directory below closed ones."""
    return path.resolve() if path.is_symlink() else path


def shown(path: AnyPath) -> str:
    """A path, or another text, in one line for messages."""
    text = os.fspath(path)
    return text if text.isprintable() else repr(text)


def reason_of(error: BaseException) -> str:
    """What the system says, as in "No space left on device"."""
    return (error.strerror if isinstance(error, OSError) else None) or str(error) or type(error).__name__


def _check_folder(folder: Path, name: str) -> None:
    if folder.is_dir():
        return
    if folder.exists():
        raise ProblemError(f"{name}: {shown(folder)} is a file, not a directory. Choose another directory.")
    raise ProblemError(f"{name}: there is no directory {shown(folder)}; create it first.")


def _check_file(file: Path, mode: int, name: str) -> None:
    if not stat.S_ISREG(mode):
        kind = next((name for is_kind, name in NOT_FILES if is_kind(mode)), "not a regular file")
        raise ProblemError(f"{name} must be a file; {shown(file)} is {kind}. Give the name of a file.")
    if not os.access(file, os.W_OK, effective_ids=os.access in os.supports_effective_ids):
        raise ProblemError(f"{name}: {shown(file)} is there and write-protected. Remove it, or give another name.")


def _check_inputs(file: Path, name: str, inputs: Iterable[AnyPath | None]) -> None:
    for path in inputs:
        if path is not None and os.path.exists(path) and os.path.samefile(file, path):
            raise ProblemError(f"{name} must be another file than the input {shown(path)}, which it would replace.")


def _try_folder(folder: Path, asked: Path, name: str) -> None:
    """Make a file and remove it: permissions alone do not tell of disks that are full or can only be read."""
    try:
        with TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise ProblemError(_not_writable(name, asked, error)) from None


def _not_writable(name: str, asked: Path, error: BaseException) -> str:
    return f"{name}: cannot write to {shown(asked)}: {reason_of(error)}. Choose another directory."


def _either(suffixes: Mapping[str, str]) -> str:
    """The endings, one for each meaning where they have meanings."""
    meanings: dict[str, str] = {}
    for suffix, meaning in suffixes.items():
        meanings.setdefault(meaning or suffix, f"{suffix} ({meaning})" if meaning else suffix)
    *first, last = meanings.values()
    return f"{', '.join(first)} or {last}" if first else last
