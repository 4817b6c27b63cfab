"""Names of columns in messages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from ..errors import ProblemError

# A name or a value of more characters is cut in messages, so that they stay one line.
LONGEST_SHOWN = 60
LONGEST_PATH = 500
# A message lists at most this many names.
MOST_LISTED = 12
# Names beyond this length and number are not compared for likeness: the comparison takes quadratic time.
LONGEST_COMPARED, MOST_COMPARED = 200, 5000


def quoted(name: Any) -> str:
    """A name or a value as it is shown in a message: in quotes, on one line, cut where it is long."""
    text = repr(name)
    return text if len(text) <= LONGEST_SHOWN else f"{text[: LONGEST_SHOWN - 4]}...{text[-1]}"


def shown_path(file: Path) -> str:
    """A path as it is shown in a message: whole, unless it is very long."""
    text = repr(str(file))
    return text if len(text) <= LONGEST_PATH else f"'...{text[-LONGEST_PATH + 4 :]}"


def listed(names: Iterable[Any], most: int = MOST_LISTED) -> str:
    """Names for a message, the first ones where there are many."""
    names = list(names)
    rest = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(quoted(name) for name in names[:most]) + rest


def plural(n: int, noun: str) -> str:
    """1 row, 2 rows."""
    return f"{n} {noun}{'' if n == 1 else 's'}"


def columns_listed(names: Iterable[Any]) -> str:
    """As `listed`, after "the column" or "the columns"."""
    names = list(names)
    return f"the column{'' if len(names) == 1 else 's'} {listed(names)}"


def to_type(option: str, names: Iterable[str]) -> str:
    """An option of the command line for each of these columns, as it is to be typed."""
    return " ".join(f"{option} {_shell_quoted(name)}" for name in names)


def _shell_quoted(name: str) -> str:
    plain = name.isascii() and name.replace("_", "").replace("-", "").isalnum() and len(name) <= LONGEST_SHOWN
    return name if plain else quoted(name)


def near_names(name: str, known: Sequence[str]) -> list[str]:
    """The known names most like ``name``, also where only capitals differ."""
    short = [other for other in known[:MOST_COMPARED] if len(other) <= LONGEST_COMPARED]
    if len(name) > LONGEST_COMPARED:
        return []
    folded = {other.casefold().strip(): other for other in reversed(short)}
    found = get_close_matches(name.casefold().strip(), list(folded), n=3, cutoff=0.6)
    return [folded[match] for match in found]


def refuse_unknown(name: str, known: Sequence[str], what: str) -> None:
    """Refuse a name that no column has, with the names most like it."""
    if name in known:
        return
    near = near_names(name, known)
    meant = f" Did you mean {' or '.join(map(quoted, near))}?" if near else f" The columns are {listed(known)}."
    numeric = sum(_is_number(other) for other in known)
    header = (
        " Most of these names are numbers: does the file lack a first line with names?"
        if 2 * numeric > len(known)
        else ""
    )
    raise ProblemError(f"there is no column {quoted(name)}, which {what} names.{meant}{header}")


def column_names(names: Any, what: str) -> tuple[str, ...]:
    """An argument that names columns: one name, or several that differ."""
    if isinstance(names, str):
        names = (names,)
    try:
        names = tuple(names)
    except TypeError:
        raise ProblemError(f"{what} must be names of columns; got {quoted(names)}.") from None
    for name in names:
        if not isinstance(name, str):
            raise ProblemError(f"{what} must be names of columns, which are text; got {quoted(name)}.")
    if twice := [name for name, count in Counter(names).items() if count > 1]:
        raise ProblemError(f"{what} names the column {quoted(twice[0])} twice; name every column once.")
    return names


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
