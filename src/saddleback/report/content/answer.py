"""The answer in three sentences, and the figures behind it."""

from __future__ import annotations

from ..blocks import Bullets, Fact, Facts, Section
from .source import Entry, Source, code_of_errors, number, with_error

OUTCOMES = {
    "gain": "The worst-off group gains",
    "not confirmed": "Gain not confirmed",
    "costs more": "The gain costs more than it brings",
    "harm": "The worst-off group loses",
    "nothing to gain": "Nothing to gain: {baseline} is kept",
    "given": "The point of the path was given",
    "one group": "One group only: the average model",
}


def answer_section(source: Source) -> Section:
    answer = Bullets(tuple(source.names.prose(sentence) for sentence in source.evidence["answer"]), "answer")
    return Section("answer", "The answer", (answer, _figures(source)))


def _figures(source: Source) -> Facts:
    """Held-out figures of the chosen model, and how many rows they rest on."""
    challengers, items = source.evidence["challengers"], []
    for i in [i for i, entry in enumerate(challengers) if entry["chosen"]][:1]:
        entry = challengers[i]
        for key, term in _terms(source, entry).items():
            code = code_of_errors([entry], key, f"{key}_error", signed=key.endswith("difference"))
            if entry[key] is not None:
                items.append(Fact(term, with_error(entry, f"/challengers/{i}", key, f"{key}_error", code)))
    items.append(Fact("Rows held out", number(source.evidence["rows"], "/rows", "held_out", "d")))
    return Facts(tuple(items), "figures")


def _terms(source: Source, entry: Entry) -> dict[str, str]:
    """What is shown of the chosen model. Where it is the baseline itself, there is no change to show."""
    worst = {"worst_loss": "Largest held-out loss of a group"}
    kept = source.evidence["outcome"] == "nothing to gain"
    if kept or not any(entry[key] for key in ("difference", "difference_error", "average_difference")):
        return worst | {"average_loss": "Held-out loss of all rows"}
    serves = f"Change for the group that {source.baseline} serves worst"
    return worst | {"difference": serves, "average_difference": "Change for all rows"}
