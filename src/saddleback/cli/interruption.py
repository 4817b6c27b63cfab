"""Ctrl-C ends a command with one line."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

import typer

from .status import INTERRUPTED, complain

P = ParamSpec("P")
R = TypeVar("R")


def interruptible(command: Callable[P, R]) -> Callable[P, R]:
    """The command, which says that it was interrupted; outputs are written at the end, so that nothing is left."""

    @wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return command(*args, **kwargs)
        except KeyboardInterrupt:
            complain("interrupted; nothing was written")
            raise typer.Exit(INTERRUPTED) from None

    return run
