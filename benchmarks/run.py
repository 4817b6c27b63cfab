"""`make bench`: all sections in one process, medians of five interleaved rounds.

Each section writes ``NAME.json``; the report and its pictures are made from these files, so that sections can be
measured one at a time.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from .figures import draw
from .render import load, page, picture, section_text
from .report import Options, Scale
from .sections import SECTIONS
from .setting import environment
from .writing import REPORTS, ROOT, write_json, write_text

DOCS = ROOT / "docs"
REPEATS = 5


def main(arguments: Sequence[str] | None = None) -> None:
    asked = _parser().parse_args(arguments)
    scale: Scale = "full" if asked.full else "tiny" if asked.tiny else "small"
    if not asked.render:
        measure(asked.only or list(SECTIONS), Options(scale, asked.repeats, asked.data), asked.out)
    write_report(asked.out)
    if asked.docs:
        write_docs(asked.out)


def measure(names: Sequence[str], options: Options, directory: Path) -> None:
    """One file per section, written as soon as it is measured."""
    for name in names:
        started = time.perf_counter()
        section = SECTIONS[name](options).to_dict()
        seconds = time.perf_counter() - started
        setting = {"environment": environment(), "scale": options.scale, "repeats": options.repeats}
        section = {**section, **setting, "seconds": seconds}
        write_json(directory / f"{name}.json", section)
        print(section_text(section, ""))
        for demand in section["demands"]:
            print(f"{'PASS' if demand['met'] else 'miss'}: {demand['what']}: {demand['measured']} ({demand['bound']})")
        print(f"{name} took {seconds:.0f} s.\n", flush=True)


def write_report(directory: Path) -> None:
    """Write bench.md and its pictures from all sections in the directory."""
    sections = load(directory)
    write_text(directory / "bench.md", page(sections, ""))
    _draw(sections, directory)
    print(f"Written: {directory / 'bench.md'}")


def write_docs(directory: Path, docs: Path = DOCS) -> None:
    """Write the page of the documentation from the same files."""
    sections = load(directory)
    write_text(docs / "benchmarks.md", page(sections, "images/"))
    _draw(sections, docs / "images")
    print(f"Written: {docs / 'benchmarks.md'}")


def _draw(sections: Mapping[str, Mapping[str, Any]], directory: Path) -> None:
    for section in sections.values():
        for figure in section["figures"]:
            draw(figure, directory / picture(figure))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.run", description=__doc__)
    parser.add_argument("--only", nargs="+", choices=list(SECTIONS), metavar="NAME", help=", ".join(SECTIONS))
    sizes = parser.add_mutually_exclusive_group()
    sizes.add_argument("--full", action="store_true", help="the paper's sizes: 8 GB of memory, an hour")
    sizes.add_argument("--tiny", action="store_true", help="sizes for tests, in seconds")
    parser.add_argument("--repeats", type=int, default=REPEATS, help="rounds, of which medians are taken")
    parser.add_argument("--data", type=Path, help="a folder with adult, compas, law_school and drug as CSV files")
    parser.add_argument("--out", type=Path, default=REPORTS / "bench", help="where files and pictures go")
    parser.add_argument("--docs", action="store_true", help="write docs/benchmarks.md as well")
    parser.add_argument("--render", action="store_true", help="measure nothing, write the report from the stored files")
    return parser


if __name__ == "__main__":
    main()
