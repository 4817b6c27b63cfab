"""The answer in three sentences, and the figures behind it."""

from __future__ import annotations

from ..blocks import Bullets, Fact, Facts, Section
from .source import Source, code_of_errors, number, with_error

OUTCOMES = {
    "gain": "The worst-off group gains",
    "nothing to gain": "Nothing to gain: the average model is kept",
    "given": "The point of the path was given",
    "one group": "One group only: the average model",
}


def answer_section(source: Source) -> Section:
    answer = Bullets(tuple(source.names.prose(sentence) for sentence in source.evidence["answer"]), "answer")
    return Section("answer", "The answer", (answer, _figures(source)))


def _figures(source: Source) -> Facts:
    """Held-out figures of the chosen model, and how many rows they rest on."""
    evidence, items = source.evidence, []
    for i, entry in enumerate(evidence["challengers"]):
        if entry["chosen"]:
            base = f"/challengers/{i}"
            for term, key in (
                ("Largest held-out loss of a group", "worst_loss"),
                (f"Change for the group that {source.baseline} serves worst", "difference"),
                ("Change for all rows", "average_difference"),
            ):
                code = code_of_errors([entry], key, f"{key}_error", signed=key.endswith("difference"))
                if entry[key] is not None:
                    items.append(Fact(term, with_error(entry, base, key, f"{key}_error", code)))
            break
    items.append(Fact("Rows held out", number(evidence["rows"], "/rows", "held_out", "d")))
    return Facts(tuple(items), "figures")
