"""Labels of groups and classes that may be the same one, written in two ways."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ..content.labels import relabelled
from ..content.texts import Texts
from ..names import quoted
from .finding import Finding, note, warning

MOST_TOLD = 3
"""Pairs of labels that are told of one column."""


def spelling_findings(
    texts: Texts, label: Callable[[str], str], rows: NDArray[np.bool_] | None, name: str, what: str
) -> list[Finding]:
    """What to know of the spelling of the labels of a column; ``what`` is "group column" or "target"."""
    found = []
    for same in _alike(texts, label, rows)[:MOST_TOLD]:
        taken = quoted(label(same[0][0]))
        told = f"The labels {_listed(same)} of the {what} {quoted(name)} are taken for one, {taken}."
        found.append(note(name, "label", told))
    for alike in _alike(relabelled(texts, label), _folded, rows)[:MOST_TOLD]:
        told = f"The labels {_listed(alike)} of the {what} {quoted(name)} differ only in capitals or blanks"
        found.append(warning(name, "label", f"{told}: did you mean the same? They are taken for different ones."))
    return found


def _alike(texts: Texts, key: Callable[[str], str], rows: NDArray[np.bool_] | None) -> list[list[tuple[str, int]]]:
    """Labels with the same key, two or more, with their numbers of rows, most frequent first."""
    counts = texts.counts(rows)[:-1]
    of_key: dict[str, list[tuple[str, int]]] = defaultdict(list)
    for level, count in zip(texts.levels.to_pylist(), counts.tolist(), strict=True):
        if count:
            of_key[key(level)].append((level, count))
    alike = [sorted(labels, key=lambda item: (-item[1], item[0])) for labels in of_key.values() if len(labels) > 1]
    return sorted(alike, key=lambda labels: -sum(count for _, count in labels))


def _folded(text: str) -> str:
    """The text without differences of capitals, blanks and forms of the same character."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def _listed(labels: list[tuple[str, int]]) -> str:
    parts = [f"{quoted(label)} ({count:,} rows)" for label, count in labels[:4]]
    more = f" and {len(labels) - 4} more" if len(labels) > 4 else ""
    return (f"{', '.join(parts[:-1])} and {parts[-1]}" if not more else ", ".join(parts)) + more
