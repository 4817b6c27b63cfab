"""What ``saddleback fit`` says of a model: facts for JSON, and sentences made of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..learn.fitting.region import EVERYWHERE, region_of
from ..workflow.table_model import TableModel
from .output import columns_text, command_line, group_text, say

MOST_NOTES = 6
"""Findings that ask for no decision, beyond which the rest is counted."""
FIRST_NOTES = {"memory": 0, "sample": 1, "group": 2}
"""The order of notes; those of other kinds come after them."""
MOST_NAMED = 8
"""Columns that are named in one sentence."""


def fit_facts(model: TableModel, place: str, page: str | None) -> dict[str, Any]:
    """The JSON object of the command; docs/command_line.md describes it."""
    encoding, estimator, evidence = model.encoding, model.model, model.evidence
    target, result = encoding.target, estimator.result_
    return {
        "command": "fit",
        "model": place,
        "report": page,
        "rows": model.facts["rows"],
        "left_out": model.facts["left_out"],
        "target": {
            "name": target.name,
            "task": target.task,
            "classes": list(target.classes) or None,
            "positive": target.positive,
        },
        "groups": list(encoding.groups),
        "crossed": bool(estimator.crossed) and len(encoding.groups) > 1,
        "columns": [{"name": rule.name, "kind": rule.kind, "rule": rule.rule} for rule in encoding.columns],
        "n_features": len(encoding.feature_names),
        "findings": _findings(model),
        "estimator": type(estimator).__name__,
        "outcome": None if evidence is None else evidence["outcome"],
        "answer": answer_of(model),
        **_point(estimator),
        "worst_group": worst_group(model),
        "certificate": {
            "value": result.value,
            "lower_bound": result.lower_bound,
            "gap": estimator.gap_,
            "certified": bool(estimator.certified_),
            "region": region_of(result.reach, _point(estimator)["l2"]),
            "words": None if evidence is None else evidence["certificate"]["words"],
        },
        "status": result.status.value,
        "converged": model.converged,
        "next": None if evidence is None or page is not None else _next(place),
    }


def _findings(model: TableModel) -> list[dict[str, Any]]:
    """Those of the evidence, which has looked at the groups as well; without it those of the columns."""
    if model.evidence is not None:
        return [dict(finding) for finding in model.evidence["data"]["findings"]]
    return [
        {"column": f.column, "kind": f.kind, "severity": f.severity, "message": f.message}
        for f in model.encoding.findings
    ]


def answer_of(model: TableModel) -> list[str]:
    """The three sentences of the evidence; without it what the choice says, or that nothing was chosen."""
    if model.evidence is not None:
        return list(model.evidence["answer"])
    selection = getattr(model.model, "selection_", None)
    if selection is not None:
        return [str(selection)]
    p, l2 = model.model.worst_weight, model.model.l2
    return [f"The model at worst_weight={p:g} and l2={l2:g}, as asked for; it was not judged by held-out rows."]


def worst_group(model: TableModel) -> dict[str, Any] | None:
    """The group with the largest loss: on held-out rows where there is evidence, else on the training rows."""
    if model.evidence is not None:
        lines = [line for part in model.evidence["groups"] if part["kind"] != "all" for line in part["held_out"]]
        crossed = [part for part in model.evidence["groups"] if part["kind"] == "crossed"]
        lines = list(crossed[0]["held_out"]) if crossed else lines
        lines = [line for line in lines if line.get("loss") is not None]
        if not lines:
            return None
        worst = max(lines, key=lambda line: line["loss"])
        return {"group": worst["group"], "rows": worst["rows"], "loss": worst["loss"], "of": "held-out rows"}
    estimator = model.model
    j = int(np.nanargmax(estimator.group_losses_))
    text = group_text(estimator.group_names_[j], model.encoding.groups, crossed=estimator.crossed)
    rows, loss = int(estimator.group_sizes_[j]), float(estimator.group_losses_[j])
    return {"group": text, "rows": rows, "loss": loss, "of": "training rows"}


def say_fit(facts: dict[str, Any]) -> None:
    """The same as text: how columns were read, what was noticed, the answer, and what comes next."""
    _say_columns(facts)
    _say_findings(facts["findings"])
    say()
    for sentence in facts["answer"]:
        say(sentence)
    say()
    worst = facts["worst_group"]
    if worst is not None:
        say(f"Worst group on {worst['of']}: {worst['group']}, loss {worst['loss']:.4g}, {worst['rows']:,} rows.")
    _say_certificate(facts)
    say()
    say(f"Written: {facts['model']}" + (f" and {facts['report']}" if facts["report"] else ""))
    if facts["next"]:
        say(f"Next: {facts['next']}")


def _say_columns(facts: dict[str, Any]) -> None:
    target = facts["target"]
    kind = "a number"
    if target["classes"]:
        classes = ", ".join(map(str, target["classes"][:MOST_NAMED]))
        kind = f"classes {classes}" + (f"; positive: {target['positive']}" if target["positive"] is not None else "")
    left_out = f" ({facts['left_out']:,} without a target left out)" if facts["left_out"] else ""
    groups = columns_text(facts["groups"], crossed=facts["crossed"])
    say(f"{facts['rows']:,} rows{left_out}. Target {target['name']}: {kind}. Groups: {groups}.")
    for kind, title in (("number", "Numbers"), ("category", "Categories"), ("dropped", "Left out")):
        names = [column["name"] for column in facts["columns"] if column["kind"] == kind]
        if names:
            more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
            say(f"{title}: {', '.join(names[:MOST_NAMED])}{more}.", indent="  ")


def _say_findings(findings: list[dict[str, Any]]) -> None:
    """Leakage first, then what else asks for a decision, then notes."""
    warnings = [finding for finding in findings if finding["severity"] == "warning"]
    for finding in sorted(warnings, key=lambda finding: finding["kind"] != "leakage"):
        word = "WARNING, leakage?" if finding["kind"] == "leakage" else "Warning:"
        say(f"{word} {finding['message']}", indent="  ")
    # That of groups is about the verdict; how the rows were read is about all others.
    notes = [finding for finding in findings if finding["severity"] != "warning"]
    notes.sort(key=lambda finding: FIRST_NOTES.get(finding["kind"], len(FIRST_NOTES)))
    for finding in notes[:MOST_NOTES]:
        say(f"Note: {finding['message']}", indent="  ")
    if len(notes) > MOST_NOTES:
        n_more = len(notes) - MOST_NOTES
        say(f"Note: {n_more} more {'note is' if n_more == 1 else 'notes are'} in the report and in --json.")


def _say_certificate(facts: dict[str, Any]) -> None:
    certificate = facts["certificate"]
    if not facts["converged"]:
        say(f"The solver stopped before convergence ({facts['status']}); the model is written as it is.")
    elif certificate["words"]:
        say(f"Certificate: {certificate['words'][0]}")
    elif certificate["certified"]:
        where = "" if certificate["region"] == EVERYWHERE else f" {certificate['region']}"
        say(
            "Certificate: on the training rows no linear model with this penalty has an objective that is lower by "
            f"more than {certificate['gap']:.2g}{where}; this is about optimization, not about new data."
        )


def _point(estimator: Any) -> dict[str, Any]:
    """The point of the path: chosen, given, or that of a correction."""
    if getattr(estimator, "estimator_", None) is not None:
        table, chosen = estimator.selection_.candidates, estimator.selection_.chosen
        point = {name: table[name][chosen] for name in ("worst_weight", "prior", "l2")}
        return {**point, "corrected": bool(estimator.corrected_)}
    if getattr(estimator, "selection_", None) is not None:
        return {"worst_weight": estimator.worst_weight_, "prior": estimator.prior_, "l2": estimator.l2_}
    return {"worst_weight": estimator.worst_weight, "prior": estimator.prior, "l2": estimator.l2}


def _next(place: str) -> str:
    stem = place.removesuffix(".safetensors")
    return command_line(["report", place, "--out", f"{stem}.html"])
