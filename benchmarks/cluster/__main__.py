"""`python -m benchmarks.cluster [PART ...]`: the parts of this folder, one after the other, as sections of a report."""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from textwrap import fill

from ..report import Options, Report
from ..writing import markdown
from . import PARTS, part

WIDTH = 120


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cluster", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    sizes = parser.add_mutually_exclusive_group()
    sizes.add_argument("--full", action="store_true", help="2 GB of data, 16 workers; minutes each")
    sizes.add_argument("--tiny", action="store_true", help="sizes for tests, in seconds")
    parser.add_argument("--repeats", type=int, default=9, help="rounds, of which medians are taken")
    asked = parser.parse_args(arguments)
    unknown = sorted(set(asked.parts) - set(PARTS))
    if unknown:
        parser.error(f"unknown parts: {', '.join(unknown)}; there are {', '.join(PARTS)}")
    options = Options("full" if asked.full else "tiny" if asked.tiny else "small", asked.repeats)
    for name in asked.parts or PARTS:
        begun = time.perf_counter()
        report = part(name)(options)
        print(_text(report))
        for demand in report.demands:
            print(f"{'PASS' if demand.met else 'miss'}: {demand.what}: {demand.measured:.3g} ({demand.bound})")
        print(f"{name} took {time.perf_counter() - begun:.0f} s.\n", flush=True)


def _text(report: Report) -> str:
    parts = [f"## {report.title}\n", fill(report.text, WIDTH, break_on_hyphens=False) + "\n"]
    for table in report.tables:
        parts += [f"{table.caption}:\n", markdown(table.header, table.to_dict()["rows"])]
    return "\n".join(parts)


if __name__ == "__main__":
    main()
