"""The report of the benchmark in Markdown, written from the files of the measurements."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from textwrap import fill
from typing import Any

from .sections import SECTIONS
from .writing import NOT_REACHED, markdown

INTRODUCTION = """\
The benchmark generates this page. To repeat it:

    make bench                                          # small sizes, a few minutes
    .venv/bin/python -m benchmarks.run --full --docs    # the paper's sizes, and this page

Terms: w are the d parameters, f(w) the J losses, each the mean over N rows where there is a table; lam are their
weights, and g(w) is the largest <lam, f(w)> - gamma/2 times the squared distance of lam to equal weights. gamma = 0 is
the largest loss. L is the Lipschitz constant of the gradients. The dual subproblem is the small problem in lam that a
step solves ([guide](guide.md)).

All solvers run in one process, on the same data and the same cores, in interleaved rounds; the tables show medians.
(Other libraries, in their own section, run in their own processes and environments.) Progress is measured at the
losses, in the same way for every solver: the time to a gap is the time of the first evaluation at a point whose
objective is within the gap of the optimum, which a more accurate, certified run provides. Compilation and the
computation of L are not counted, as in the paper. Every solver is measured with one BLAS thread, with all, and with all
for NumPy but one for SciPy, and the best median counts: several threads slow down solvers of small systems, and one
thread slows down large products.

An evaluation is a point at which the losses were evaluated; a + b means that b of a + b were without a Jacobian.
Hessians are counted up to the smallest gap, exact ones (newton, trust-constr) and those that quasi-newton estimates
from a sample of the rows. They are not among the evaluations, but their time is included.

Times are ratios, because seconds depend on the machine.
"""


def load(directory: Path) -> dict[str, dict[str, Any]]:
    """The sections that have been measured, in their order."""
    found = {name: directory / f"{name}.json" for name in SECTIONS}
    return {name: json.loads(path.read_text(encoding="utf-8")) for name, path in found.items() if path.exists()}


def page(sections: Mapping[str, Mapping[str, Any]], images: str) -> str:
    """The whole report; ``images`` is the relative path of its pictures."""
    parts = ["# Benchmarks\n", _setting(sections), INTRODUCTION, _demands(sections)]
    parts += [section_text(section, images) for section in sections.values()]
    return "\n".join(parts)


def section_text(section: Mapping[str, Any], images: str) -> str:
    parts = [f"## {section['title']}\n", _wrapped(f"{section['text']} Medians of {section['repeats']}.")]
    for table in section["tables"]:
        parts += [_wrapped(f"{table['caption']}:"), markdown(table["header"], table["rows"])]
    for figure in section["figures"]:
        parts.append(f"![{figure['title']}]({images}{picture(figure)})\n")
    return "\n".join(parts)


def picture(figure: Mapping[str, Any]) -> str:
    return f"bench_{figure['name']}.png"


def _setting(sections: Mapping[str, Mapping[str, Any]]) -> str:
    lines = []
    for environment, names in _by_environment(sections).items():
        what = ", ".join(f"{key} {value}" for key, value in json.loads(environment).items())
        lines.append(_wrapped(f"Measured on: {what}. Sections: {', '.join(names)}."))
    return "\n".join(lines)


def _by_environment(sections: Mapping[str, Mapping[str, Any]]) -> dict[str, list[str]]:
    """Sections by environment: they may come from different runs."""
    groups: dict[str, list[str]] = {}
    for name, section in sections.items():
        groups.setdefault(json.dumps(section["environment"]), []).append(f"{name} ({section['scale']})")
    return groups


def _demands(sections: Mapping[str, Mapping[str, Any]]) -> str:
    """All demands in one table."""
    rows = []
    for name, section in sections.items():
        for demand in section["demands"]:
            measured = NOT_REACHED if demand["measured"] is None else f"{demand['measured']:.3g}"
            verdict = "PASS" if demand["met"] else "miss"
            rows.append((f"{name}: {demand['what']}", section["scale"], measured, demand["bound"], verdict))
    if not rows:
        return ""
    return "## Demands\n\n" + markdown(["what", "size", "measured", "demanded", "verdict"], rows)


def _wrapped(text: str) -> str:
    return fill(text, 120, break_long_words=False, break_on_hyphens=False) + "\n"
