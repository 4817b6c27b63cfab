"""The entry point: it runs the commands and turns every error into one line and an exit status."""

from __future__ import annotations

import errno
import logging
import os
import sys
import warnings
from typing import Any, TextIO

from .._version import __version__
from ..errors import SaddlebackError
from .status import BAD_INPUT, FINE, INSTALL, INTERRUPTED, NOBODY_READS, UNEXPECTED, complain
from .words import in_options

DEBUG = "SADDLEBACK_DEBUG"
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""The disk, the quota or the limit of a file's size."""


def main() -> None:
    """Run the command line.

    Exit status: 0 fine, 1 an unexpected error, 2 bad input or usage, 3 stopped before convergence (the result is
    saved), 130 interrupted, 141 the reader of the output has left.
    """
    _open_closed_streams()
    # Standard error is for the commands' own lines: how long loops were compiled is not among them.
    logging.getLogger("saddleback").setLevel(logging.ERROR)
    status = _run()
    if not _is_flushed(sys.stdout):
        status = NOBODY_READS
    _is_flushed(sys.stderr)
    sys.exit(status)


def _open_closed_streams() -> None:
    """Where a shell has closed standard output or standard error, as by ``>&-``, nobody reads what is printed."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115 - open until the process ends


def _is_flushed(stream: TextIO) -> bool:
    """Whether what was printed has found its reader; where it has left, Python must not try again at its end."""
    try:
        stream.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
        return False
    return True


def _run() -> int:
    try:
        from .app import app, usage_error
    except ImportError as error:
        if sys.argv[1:] == ["--version"]:
            print(__version__)
            return FINE
        complain(f"the command line needs {error.name}; install it with: {INSTALL}")
        return BAD_INPUT
    try:
        with warnings.catch_warnings():
            # Those of libraries about their own future are not for users.
            warnings.simplefilter("ignore")
            warnings.simplefilter("default", UserWarning)
            warnings.showwarning = _warn
            return app(prog_name="saddleback", standalone_mode=False) or FINE
    except usage_error() as error:
        complain(_usage(error))
        return BAD_INPUT
    except BrokenPipeError:
        return NOBODY_READS
    except KeyboardInterrupt:
        complain("interrupted; nothing was written")
        return INTERRUPTED
    except BaseException as error:
        if os.environ.get(DEBUG):
            raise
        return _failed(error)


def _failed(error: BaseException) -> int:
    if isinstance(error, SystemExit):
        # Click ends a program whose output has no reader with status 1.
        if isinstance(error.__context__, BrokenPipeError):
            return NOBODY_READS
        raise error
    if isinstance(error, SaddlebackError):
        complain(in_options(str(error)))
        return BAD_INPUT
    if isinstance(error, ImportError) and error.name and not error.name.startswith("saddleback"):
        complain(f"this command needs {error.name}; install it with: {INSTALL}")
        return BAD_INPUT
    if isinstance(error, MemoryError):
        complain("the memory of this machine does not suffice. Take fewer rows or columns (--drop), or --jobs 1.")
        return BAD_INPUT
    if isinstance(error, OSError) and error.errno in FULL:
        where = f" {error.filename}" if error.filename else " a file"
        complain(f"cannot write{where}: {error.strerror}. Make room on the disk.")
        return BAD_INPUT
    complain(f"unexpected {type(error).__name__}: {_short(error)} (set {DEBUG}=1 to see the traceback)")
    return UNEXPECTED


def _usage(error: Any) -> str:
    """What is wrong with the arguments, and where to look them up."""
    message = str(error.format_message()).rstrip()
    command = "saddleback" if error.ctx is None else error.ctx.command_path
    return f"{message}{'' if message.endswith(('.', '?')) else '.'} See: {command} --help"


def _short(error: BaseException) -> str:
    text = " ".join(str(error).split())
    return text if len(text) <= 300 else f"{text[:300]}..."


def _warn(message: Warning | str, *_: Any, **__: Any) -> None:
    complain(f"warning: {in_options(str(message))}")
