"""Run the checks of the scaling that the theorems predict, and write their numbers and plots."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .cache import Cache
from .environment import environment
from .files import write_csv, write_json, write_text
from .pictures import draw
from .theory import CHECKS, COLUMNS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

STEPS = len(CHECKS)


def write(
    directory: Path, cache: Cache, scale: str, seed: int, tell: Callable[[str], None], done: Callable[[], None]
) -> tuple[list[Path], str]:
    """Run the checks that are not in the cache; write theory.md, .csv, .json, .png and .svg."""
    measured: dict[str, dict[str, Any]] = {}
    texts: list[str] = []
    for name, check in CHECKS.items():
        stored = cache.load_check(name, scale, seed)
        measured[name] = stored if stored is not None else check.measure(scale, seed, tell)
        if stored is None:
            cache.save_check(name, scale, seed, measured[name])
        texts.append(check.text(measured[name]))
        done()

    def paint(figure: Figure) -> None:
        panels = iter(figure.subplots(2, 3).flat)
        for name, check in CHECKS.items():
            check.draw(measured[name], [next(panels) for _ in check.PANELS])
        for unused in panels:
            unused.set_axis_off()

    stem = directory / "theory"
    files = [stem.with_suffix(suffix) for suffix in (".md", ".csv", ".json")]
    pictures, remark = draw(stem, paint, size=(15.0, 9.0))
    text = "## The theory's scaling\n\n" + "\n".join(texts) + remark
    write_text(files[0], text)
    write_csv(files[1], COLUMNS, [row for name, check in CHECKS.items() for row in check.rows(measured[name])])
    write_json(files[2], {"checks": measured, "scale": scale, "seed": seed, "environment": environment()})
    return files + pictures, text
