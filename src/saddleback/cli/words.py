"""Errors name arguments of Python; here they become the options of the commands."""

from __future__ import annotations

import re

# The longest first: a name that begins like another one is tried before it.
OPTIONS = {
    "missing_groups": "--missing-groups",
    "min_group_size": "--min-group-size",
    "out_of_core": "--out-of-core",
    "worst_weights": "--worst-weight",
    "worst_weight": "--worst-weight",
    "keep_groups": "--keep-groups",
    "random_state": "--seed",
    "categories": "--category",
    "max_iter": "--max-iter",
    "scheduler": "--scheduler",
    "crossed": "--no-crossed",
    "correct": "--correct",
    "positive": "--positive",
    "n_jobs": "--jobs",
    "jobs": "--jobs",
    "target": "--target",
    "memory": "--memory",
    "groups": "--group",
    "weight": "--weight",
    "folds": "--folds",
    "seed": "--seed",
    "task": "--task",
    "loss": "--loss",
    "drop": "--drop",
    "keep": "--keep",
    "l2s": "--l2",
    "l2": "--l2",
    "cv": "--folds",
}
FLAGS = {
    "crossed=False": "--no-crossed",
    "keep_groups=True": "--keep-groups",
    "evidence=False": "--no-evidence",
    "out_of_core=False": "--in-memory",
}

_NAME = "|".join(OPTIONS)
# name=value, where the value is a quoted text, a number or a list of one of these.
_ASSIGNED = re.compile(rf"(?<![\w.\-'\"])({_NAME})=\[?(?:'([^']*)'|\"([^\"]*)\"|([\w.+\-]+))\]?")
# There is no column x, which target names; x is named by drop.
_NAMING = re.compile(rf"\b(which|named by) ({_NAME})(?= names| as well)")
# The subject of a sentence.
_SUBJECT = re.compile(rf"(^|[.;:] )({_NAME})(?= must | takes | names | needs )")
# What stands in the way of another one.
_WITHOUT = re.compile(rf"\b(must be given without )({_NAME})\b")
# What a remedy names: raise max_iter, or l2.
_REMEDY = re.compile(rf"\b((?:raise|lower) (?:\S+, or )?)({_NAME})\b", re.IGNORECASE)

# A remedy that the commands do not have.
_TOLERANCE = re.compile(r"(?<=raise max_iter), or tol\b")


def in_options(message: str) -> str:
    """The message with ``min_group_size=20`` written as ``--min-group-size 20``."""
    for written, option in FLAGS.items():
        message = message.replace(written, option)
    message = message.replace("sensitive_features must", "--group must")
    message = _TOLERANCE.sub("", message)
    message = _ASSIGNED.sub(_assigned, message)
    message = _WITHOUT.sub(lambda found: found[1] + OPTIONS[found[2]], message)
    message = _NAMING.sub(lambda found: f"{found[1]} {OPTIONS[found[2]]}", message)
    for _ in range(2):
        message = _REMEDY.sub(lambda found: found[1] + OPTIONS[found[2]], message)
    return _SUBJECT.sub(lambda found: found[1] + OPTIONS[found[2]], message)


def _assigned(found: re.Match[str]) -> str:
    value = next(part for part in found.groups()[1:] if part is not None)
    # A point that ends the sentence is no part of a number.
    end = "." if value.endswith(".") else ""
    return f"{OPTIONS[found[1]]} {value.removesuffix('.')}{end}"
