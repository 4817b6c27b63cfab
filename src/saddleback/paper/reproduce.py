"""Run the experiments of the paper that are not in the cache, and write tables and figures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from os import PathLike
from pathlib import Path
from typing import Protocol

from .._validation import lookup, number, whole
from ..errors import ProblemError
from ..machine.destination import make_folder
from . import figure_a, table_b, table_c, tables_d_e, theory_report
from .cache import Cache
from .cell import Cell
from .environment import environment
from .files import write_csv, write_json, write_text
from .laboratory import NOT_APPLICABLE, Laboratory, reference_cell, silent
from .pictures import draw
from .recipe import Recipe
from .scales import SCALES, Scale
from .table import COLUMNS, Table


class Experiment(Protocol):
    """A figure or table: the cells that it needs, and the table of their results."""

    def cells(self, scale: Scale, seed: int, /) -> list[Cell]: ...

    def measure(self, lab: Laboratory, scale: Scale, seed: int, /) -> Table: ...


EXPERIMENTS: dict[str, Experiment] = {
    "a": figure_a,
    "b": table_b,
    "c": table_c,
    "d": tables_d_e.D,
    "e": tables_d_e.E,
}
THEORY = "theory"
TARGETS = (*EXPERIMENTS, THEORY)
ALL = "all"


@dataclass(frozen=True)
class Reproduction:
    """The files that were written, and the cells that could not run."""

    directory: Path
    files: tuple[Path, ...]
    failures: tuple[str, ...]


@dataclass(frozen=True)
class Reporter:
    """Progress callbacks: ``plan`` gets the number of steps, ``done`` is called after each, ``tell`` gets messages."""

    plan: Callable[[int], None] = lambda steps: None
    done: Callable[[], None] = lambda: None
    tell: Callable[[str], None] = silent


def reproduce(
    targets: Sequence[str] = (ALL,),
    scale: str = "small",
    seed: int = 0,
    out: str | PathLike[str] = "reports/paper",
    reporter: Reporter | None = None,
    max_memory: float | None = None,
) -> Reproduction:
    """Rerun the paper's experiments and write what was measured next to what the paper prints.

    Parameters
    ----------
    targets : sequence of str
        "a" (figure), "b", "c", "d", "e" (tables), "theory" (the scaling that the theory predicts), "all".
    scale : {"small", "full", "tiny"}
        "small" takes minutes; "full" has the paper's sizes (d to 5000, J to 32, N = 5000, float32) and takes up to an
        hour and 4 GB; "tiny" takes seconds.
    seed : int
        The seed of the random data.
    out : path
        The directory for tables and figures; each cell that has run is stored in its folder ``cache``.
    reporter : Reporter, optional
        Receives progress.
    max_memory : float, optional
        Bytes that the data may take; cells that need more are not run, and the table says so.

    Examples
    --------
    >>> import tempfile
    >>> from saddleback.paper import reproduce
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     written = reproduce(["c"], scale="tiny", out=folder)
    ...     print(sorted(file.name for file in written.files))
    ['report.md', 'table_c.csv', 'table_c.json', 'table_c.md']
    """
    sizes = lookup(SCALES, scale, "scale")
    seed = whole(seed, "seed")
    names = _wanted(targets)
    if max_memory is not None:
        max_memory = number(max_memory, "max_memory", minimum=0.0, strict=True)
    directory = _directory(out)
    reporter = reporter or Reporter()
    cache = Cache(directory / "cache")
    lab = Laboratory(cache, reporter.tell, max_memory, sizes.repeats)
    reporter.plan(sum(_steps(name, sizes, seed) for name in names))
    files: list[Path] = []
    failures: list[str] = []
    texts: list[str] = []
    for name in names:
        if name == THEORY:
            lab.forget_data()
            written, text = theory_report.write(directory, cache, scale, seed, reporter.tell, reporter.done)
        else:
            table = _table(name, lab, sizes, seed, reporter)
            failures += [f"({name}) {row.label}: {row.note}" for row in table.rows if _is_failure(row.note)]
            written, text = _write(table, lab, sizes, seed, directory)
        files += written
        texts.append(text)
    report = directory / "report.md"
    write_text(report, _heading(scale, seed) + "\n".join(texts))
    return Reproduction(directory, (*files, report), tuple(dict.fromkeys(failures)))


def _wanted(targets: Sequence[str]) -> list[str]:
    """The names of the targets in the order of the paper, each once."""
    if isinstance(targets, str):
        targets = [targets]
    for name in targets:
        lookup(dict.fromkeys((*TARGETS, ALL)), name, "target")
    if not targets:
        raise ProblemError(f"nothing to reproduce; expected some of {', '.join(TARGETS)}, or {ALL}.")
    return [name for name in TARGETS if name in targets or ALL in targets]


def _directory(out: str | PathLike[str]) -> Path:
    """Create the directory and check that it can be written to, before any work is done."""
    directory = make_folder(out, "out")
    make_folder(directory / "cache", "out")
    return directory


def _cells(name: str, scale: Scale, seed: int) -> list[Cell]:
    """The cells of a table and the references that they need, ordered by data set."""
    cells = EXPERIMENTS[name].cells(scale, seed)
    references = [reference_cell(cell.recipe, cell.gamma) for cell in cells]
    together: dict[Recipe, dict[Cell, None]] = {}
    for cell in [*references, *cells]:
        together.setdefault(cell.recipe, {})[cell] = None
    return [cell for group in together.values() for cell in group]


def _steps(name: str, scale: Scale, seed: int) -> int:
    return theory_report.STEPS if name == THEORY else len(_cells(name, scale, seed))


def _table(name: str, lab: Laboratory, scale: Scale, seed: int, reporter: Reporter) -> Table:
    for cell in _cells(name, scale, seed):
        lab.curve(cell)
        reporter.done()
    return EXPERIMENTS[name].measure(lab, scale, seed)


def _write(table: Table, lab: Laboratory, scale: Scale, seed: int, directory: Path) -> tuple[list[Path], str]:
    stem = directory / (f"figure_{table.name}" if table.name == "a" else f"table_{table.name}")
    text = table.to_markdown()
    files = [stem.with_suffix(suffix) for suffix in (".md", ".csv", ".json")]
    if table.name == "a":
        pictures, remark = draw(stem, lambda figure: figure_a.draw(lab, scale, seed, figure), size=(9.0, 5.0))
        files += pictures
        text += remark
    write_text(files[0], text)
    write_csv(files[1], COLUMNS, [asdict(row) for row in table.rows])
    write_json(files[2], {**table.to_dict(), "environment": environment()})
    return files, text


def _is_failure(note: str) -> bool:
    return bool(note) and not note.startswith(NOT_APPLICABLE)


def _heading(scale: str, seed: int) -> str:
    setting = ", ".join(f"{key} {value}" for key, value in environment().items())
    return (
        "# The paper's experiments, measured\n\n"
        "Lezane, Langer and Koolen, Acceleration for affine-coupling problems. "
        f"Scale {scale}, seed {seed}; {setting}. The optimum of each problem is the lowest value that our default "
        "method reaches with tol = 1e-10. Times start when the losses at w = 0 have been evaluated and include the "
        "evaluation of the objective after each iteration. They exclude the generation of the data and the computation "
        "of L, as in the paper.\n\n"
    )
