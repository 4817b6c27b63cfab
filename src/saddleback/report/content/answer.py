"""The answer in three sentences, and the figures behind it."""

from __future__ import annotations

from ..blocks import Bullets, Fact, Facts, Section
from ..formatting import code_for
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
    items += _scale(source) + _least_impact_ratio(source)
    items.append(Fact("Rows held out", number(source.evidence["rows"], "/rows", "held_out", "d")))
    return Facts(tuple(items), "figures")


def _scale(source: Source) -> list[Fact]:
    """What is lost without a model."""
    rows, classes = source.evidence["rows"], source.evidence["task"] == "classification"
    if rows.get("guess_loss") is None:
        return []
    term = "Loss of guessing by the shares of the classes" if classes else "Loss of one number for all rows"
    return [Fact(term, number(rows, "/rows", "guess_loss", code_for([rows["guess_loss"]])))]


def _least_impact_ratio(source: Source) -> list[Fact]:
    """The smallest impact ratio among known groups that are not small; that of the largest rate is 1."""
    found = [
        (entry["impact_ratio"], f"/groups/{i}/held_out/{k}", entry)
        for i, table in enumerate(source.evidence["groups"])
        for k, entry in enumerate(table["held_out"])
        if table["kind"] != "all" and not entry["small"] and not entry["unknown"]
        if entry.get("impact_ratio") is not None
    ]
    if len(found) < 2:
        return []
    _, base, entry = min(found, key=lambda item: item[0])
    return [
        Fact(f"Smallest impact ratio: {source.isolated(entry['group'])}", number(entry, base, "impact_ratio", "f2"))
    ]


def _terms(source: Source, entry: Entry) -> dict[str, str]:
    """What is shown of the chosen model. Where it is the baseline itself, there is no change to show."""
    worst = {"worst_loss": "Largest held-out loss of a group"}
    kept = source.evidence["outcome"] == "nothing to gain"
    if kept or not any(entry[key] for key in ("difference", "difference_error", "average_difference")):
        return worst | {"average_loss": "Held-out loss of all rows"}
    serves = f"Change for the group that {source.baseline} serves worst"
    return worst | {"difference": serves, "average_difference": "Change for all rows"}
