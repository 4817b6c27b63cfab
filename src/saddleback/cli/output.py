"""What commands print on standard output: text, or one JSON object."""

from __future__ import annotations

import json
import shlex
import sys
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from shutil import get_terminal_size
from typing import Any

import typer

from .printable import printable, printable_json

WIDEST = 110
"""Characters of a line: longer ones are hard to read, however wide the terminal is."""


def say(text: str = "", indent: str = "") -> None:
    """A paragraph, in lines that fit the terminal; wherever output goes, names with odd characters are shown."""
    width = min(get_terminal_size((WIDEST, 24)).columns, WIDEST)
    filled = textwrap.wrap(printable(text), width, subsequent_indent=indent, break_long_words=False)
    typer.echo("\n".join(filled))


def say_json(value: Mapping[str, Any]) -> None:
    """One JSON object; what is no number is null."""
    from ..learn.evidence.plain import plain

    typer.echo(printable_json(json.dumps(plain(value), ensure_ascii=False, indent=2, allow_nan=False)))


def say_line(text: str) -> None:
    """One line as it is, however long, such as one of a table or a command."""
    typer.echo(printable(text))


def group_text(name: Any, columns: Sequence[str], *, crossed: bool) -> str:
    """A group as column=label, crossed columns joined by commas; merged groups of several columns have no column."""
    from ..learn.groups.titles import title_of

    return title_of(name, columns, overlap=not crossed and len(columns) > 1) or str(name)


def columns_text(columns: Sequence[str], *, crossed: bool) -> str:
    """Group columns as they make groups: crossed, or each by itself."""
    if crossed or len(columns) == 1:
        return " x ".join(columns)
    return f"{', '.join(columns)}, each by itself"


def command_line(arguments: Iterable[object]) -> str:
    """A command as it can be pasted into a shell."""
    return shlex.join(["saddleback", *map(str, arguments)])


@dataclass(frozen=True)
class Typed:
    """Arguments of a command that another one runs, as if they had been typed."""

    arguments: tuple[str, ...]


def this_command(context: typer.Context) -> str:
    """The command that runs, as it was typed, or as another one runs it."""
    typed = context.find_object(Typed)
    return command_line(sys.argv[1:] if typed is None else typed.arguments)
