"""Where results are written: looked at before any work, replaced in one step at the end."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable
from os import PathLike
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any

from ..errors import ProblemError
from ..machine.files import atomic

AnyPath = str | PathLike[str]


def check_destination(
    path: AnyPath, name: str, *, suffixes: tuple[str, ...] = (), inputs: Iterable[AnyPath | None] = ()
) -> Path:
    """The path, refused where nothing could be written to it at the end: this is known before hours of work.

    ``name`` is what the argument is called, ``inputs`` are files that must not be replaced. An existing file stays as
    it is until `write_file` replaces it.
    """
    text = os.fspath(path)
    if not text.strip():
        raise ProblemError(f"{name} must name a file; got an empty path.")
    if "\0" in text:
        raise ProblemError(f"{name} must name a file; got {text!r}, with a null character.")
    target = Path(text)
    if suffixes and not target.name.lower().endswith(suffixes):
        raise ProblemError(f"{name} must end in {_either(suffixes)}; got {text!r}.")
    try:
        _check_place(target, name)
        _check_inputs(target, name, inputs)
        with TemporaryFile(dir=target.parent):
            pass
    except OSError as error:
        raise ProblemError(f"{name}: cannot write to {text}: {_reason(error)}.") from error
    return target


def write_file(path: Path, name: str, write: Callable[[IO[bytes]], Any]) -> None:
    """Fill a temporary file by ``write`` and put it in the place of ``path``; nothing is left where this fails."""
    try:
        with atomic(path) as file:
            write(file)
    except OSError as error:
        raise ProblemError(f"{name}: cannot write {path}: {_reason(error)}. Nothing was left there.") from error


def _check_place(target: Path, name: str) -> None:
    if target.is_dir():
        raise ProblemError(f"{name} must name a file; got the directory {target}.")
    if not target.parent.exists():
        raise ProblemError(f"{name}: the directory {target.parent} does not exist. Create it, or write elsewhere.")
    if not target.parent.is_dir():
        raise ProblemError(f"{name}: {target.parent} is a file, not a directory. Write elsewhere.")
    if target.exists():
        if not stat.S_ISREG(target.stat().st_mode):
            raise ProblemError(f"{name} must name a file; got {target}, a device or a pipe.")
        if not os.access(target, os.W_OK, effective_ids=os.access in os.supports_effective_ids):
            raise ProblemError(f"{name}: {target} exists and is write-protected. Remove it, or write elsewhere.")


def _check_inputs(target: Path, name: str, inputs: Iterable[AnyPath | None]) -> None:
    for path in inputs:
        if path is not None and target.exists() and os.path.exists(path) and os.path.samefile(target, path):
            raise ProblemError(f"{name} must be another file than the input {os.fspath(path)}, which it would replace.")


def _either(suffixes: tuple[str, ...]) -> str:
    return suffixes[0] if len(suffixes) == 1 else f"{', '.join(suffixes[:-1])} or {suffixes[-1]}"


def _reason(error: OSError) -> str:
    """What the system says, as in "No space left on device"."""
    return error.strerror or str(error) or type(error).__name__
