"""Writes docs/reliability.md from the stored counts."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from textwrap import fill
from typing import Any

from ..writing import markdown, write_text
from .section import Section
from .tally import HEADER

INTRODUCTION = """\
# Reliability

The guarantees of the library, checked on problems whose answers are known by other means. The benchmark generates this
page; to repeat it:

    make truth
    .venv/bin/python -m benchmarks.truth --write docs/reliability.md        # and this page

Terms: w are the parameters, f(w) the losses, lam their weights, chosen by an adversary within a set; the *value* is the
largest weighted sum that it finds, less what a regularizer makes it pay, and the *optimum* the least value of all w
([guide](guide.md)).

The command fails if a count exceeds its limit. A case that violates a guarantee is printed with the arguments that
repeat it alone, such as `--only tables --case 17`. A certified result proves its error: the bound holds wherever
`Result.radius` says. An estimated result states an estimate of its distance from the optimum. tol is the tolerance of
the run, and an error is the value of the run minus the optimum.
"""


def load(directory: Path, sections: Mapping[str, Section]) -> dict[str, tuple[Section, dict[str, Any]]]:
    """The sections that have been run, in their order."""
    found = {name: directory / f"{name}.json" for name in sections}
    return {
        name: (sections[name], json.loads(path.read_text(encoding="utf-8")))
        for name, path in found.items()
        if path.exists()
    }


def write_page(path: Path, reports: Mapping[str, tuple[Section, Mapping[str, Any]]]) -> None:
    write_text(path, page(reports))


def page(reports: Mapping[str, tuple[Section, Mapping[str, Any]]]) -> str:
    """All sections, each with its counts and the endings of its runs."""
    parts = [INTRODUCTION]
    for name, (section, report) in reports.items():
        cases, seed = report["cases"], report["seed"]
        size = "" if cases == section.sizes["full"] else f" --count {cases}"
        command = f"python -m benchmarks.truth --only {name}{size}" + (f" --seed {seed}" if seed else "")
        parts += [f"## {section.title}\n", _wrapped(section.about), _wrapped(f"{cases} cases, by `{command}`.")]
        parts += [markdown(HEADER, report["counts"]), "How the runs ended:\n", report["endings"]]
    return "\n".join(parts)


def _wrapped(text: str) -> str:
    return fill(" ".join(text.split()), 120, break_long_words=False, break_on_hyphens=False) + "\n"
