"""An encoding as values that JSON can hold, and back, with everything checked."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import Any

from ...errors import ProblemError
from ..content.written_numbers import STYLES
from ..names import quoted
from .finding import SEVERITIES, Finding
from .rules import MISSING, OTHER, CategoryRule, ColumnRule, DroppedRule, NumberRule
from .target_rule import CLASSIFICATION, REGRESSION, Label, TargetRule, label_text

FORMAT, VERSION = "saddleback encoding", 1

Parts = tuple[TargetRule, tuple[str, ...], tuple[ColumnRule, ...], tuple[Finding, ...]]


def encoding_parts(
    target: TargetRule, groups: tuple[str, ...], columns: tuple[ColumnRule, ...], findings: tuple[Finding, ...]
) -> dict[str, Any]:
    """Everything of an encoding as dicts, lists, texts and numbers."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "target": {
            "name": target.name,
            "task": target.task,
            "classes": list(target.classes),
            "positive": target.positive,
            "style": target.style,
        },
        "groups": list(groups),
        "columns": [_rule_parts(rule) for rule in columns],
        "findings": [
            {"column": f.column, "kind": f.kind, "severity": f.severity, "message": f.message} for f in findings
        ],
    }


def _rule_parts(rule: ColumnRule) -> dict[str, Any]:
    parts: dict[str, Any] = {"name": rule.name, "kind": rule.kind, "rule": rule.rule}
    if isinstance(rule, NumberRule):
        parts |= {"mean": rule.mean, "varies": rule.varies, "indicator": rule.indicator, "style": rule.style}
    if isinstance(rule, CategoryRule):
        parts |= {
            "levels": list(rule.levels),
            "other": rule.other,
            "missing": rule.missing,
            "shares": list(rule.shares),
        }
        # Only where it is true: files of before have no such key.
        if rule.codes:
            parts["codes"] = True
    return parts


def read_parts(data: Any) -> Parts:
    """The parts of an encoding; a ProblemError says what is wrong with ``data``."""
    whole = _Dict(data, "the encoding", ("format", "version", "target", "groups", "columns", "findings"))
    if whole["format"] != FORMAT:
        raise ProblemError(f"the encoding must have the format {FORMAT!r}; got {quoted(whole['format'])}.")
    if type(whole["version"]) is not int or whole["version"] != VERSION:
        raise ProblemError(
            f"the encoding is of version {quoted(whole['version'])}; this version of Saddleback reads {VERSION}."
        )
    target = _target(whole["target"])
    columns = tuple(_rule(item, f"column {i}") for i, item in enumerate(whole.items("columns")))
    groups = tuple(_text(name, "a group column") for name in whole.items("groups"))
    findings = tuple(_finding(item) for item in whole.items("findings"))
    names = [rule.name for rule in columns]
    if len({*names, target.name}) != len(names) + 1 or len(set(groups)) != len(groups):
        raise ProblemError("the encoding is damaged: names of its columns must differ.")
    return target, groups, columns, findings


class _Dict:
    """A dict with exactly the expected keys."""

    def __init__(self, data: Any, what: str, keys: tuple[str, ...]) -> None:
        if not isinstance(data, Mapping):
            raise ProblemError(f"{what} must be a dict; got {type(data).__name__}.")
        if set(data) != set(keys):
            raise ProblemError(f"{what} must have the keys {', '.join(keys)}; got {quoted(sorted(map(str, data)))}.")
        self.data, self.what = data, what

    def __getitem__(self, key: str) -> Any:
        return self.data[key]

    def items(self, key: str) -> list[Any]:
        if not isinstance(self.data[key], list | tuple):
            raise ProblemError(f"{self.what} must have a list of {key}; got {quoted(self.data[key])}.")
        return list(self.data[key])

    def text(self, key: str, among: tuple[str, ...] | None = None) -> str:
        text = _text(self.data[key], f"{key} of {self.what}")
        if among is not None and text not in among:
            raise ProblemError(f"{key} of {self.what} must be one of {', '.join(among)}; got {quoted(text)}.")
        return text

    def flag(self, key: str) -> bool:
        if not isinstance(self.data[key], bool):
            raise ProblemError(f"{key} of {self.what} must be true or false; got {quoted(self.data[key])}.")
        return bool(self.data[key])


def _text(value: Any, what: str) -> str:
    if not isinstance(value, str):
        raise ProblemError(f"{what} must be text; got {quoted(value)}.")
    return value


def _number(value: Any, what: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ProblemError(f"{what} must be a number; got {quoted(value)}.")
    try:
        number = float(value)
    except OverflowError:
        number = float("inf")
    if not isfinite(number):
        raise ProblemError(f"{what} must be a finite number; got {quoted(value)}.")
    return number


def _label(value: Any) -> Label:
    if not isinstance(value, str | int | bool | float) or (isinstance(value, float) and not isfinite(value)):
        raise ProblemError(f"a class must be text, a finite number, or true or false; got {quoted(value)}.")
    if isinstance(value, int) and abs(value) >= 2**63:
        raise ProblemError(f"a class must be a whole number below 2^63; got {quoted(value)}.")
    return value


def _target(data: Any) -> TargetRule:
    part = _Dict(data, "the target", ("name", "task", "classes", "positive", "style"))
    classes = tuple(_label(value) for value in part.items("classes"))
    positive = None if part["positive"] is None else _label(part["positive"])
    rule = TargetRule(
        part.text("name"),
        part.text("task", (CLASSIFICATION, REGRESSION)),
        classes,
        positive,
        part.text("style", STYLES),
    )
    fits = not classes if rule.task == REGRESSION else len(classes) >= 2
    distinct = {label_text(label) for label in classes}
    alike = {str if isinstance(label, str) else bool if isinstance(label, bool) else float for label in classes}
    known = positive is None or (
        len(classes) == 2 and any(type(positive) is type(x) and positive == x for x in classes)
    )
    if not (fits and len(distinct) == len(classes) and len(alike) <= 1 and known):
        raise ProblemError(
            f"the target is damaged: classes {quoted(list(classes))}, positive {quoted(positive)}, {rule.task}."
        )
    return rule


def _rule(data: Any, what: str) -> ColumnRule:
    kind = data.get("kind") if isinstance(data, Mapping) else None
    if kind == NumberRule.kind:
        part = _Dict(data, what, ("name", "kind", "rule", "mean", "varies", "indicator", "style"))
        mean = _number(part["mean"], f"mean of {what}")
        flags = part.flag("varies"), part.flag("indicator")
        if not any(flags):
            raise ProblemError(f"{what} is damaged: a number must vary or have missing values.")
        return NumberRule(part.text("name"), part.text("rule"), mean, *flags, part.text("style", STYLES))
    if kind == CategoryRule.kind:
        codes = ("codes",) if "codes" in data else ()
        return _category(_Dict(data, what, ("name", "kind", "rule", "levels", "other", "missing", "shares", *codes)))
    if kind == DroppedRule.kind:
        part = _Dict(data, what, ("name", "kind", "rule"))
        return DroppedRule(part.text("name"), part.text("rule"))
    raise ProblemError(f"{what} must be of the kind number, category or dropped; got {quoted(kind)}.")


def _category(part: _Dict) -> CategoryRule:
    levels = tuple(_text(level, f"a level of {part.what}") for level in part.items("levels"))
    shares = tuple(_number(share, f"a share of {part.what}") for share in part.items("shares"))
    codes = "codes" in part.data and part.flag("codes")
    names, flags = (part.text("name"), part.text("rule")), (part.flag("other"), part.flag("missing"))
    rule = CategoryRule(*names, levels, *flags, shares, codes)
    sound = len(set(levels)) == len(levels) and not {OTHER, MISSING} & set(levels) and len(rule.all_levels) >= 2
    if not sound or len(shares) != len(rule.shown) or not all(0.0 <= share <= 1.0 for share in shares):
        raise ProblemError(
            f"{part.what} is damaged: its levels must differ, two or more, each with a share of the rows."
        )
    return rule


def _finding(data: Any) -> Finding:
    part = _Dict(data, "a finding", ("column", "kind", "severity", "message"))
    return Finding(part.text("column"), part.text("kind"), part.text("severity", SEVERITIES), part.text("message"))
