"""Arguments of ``fit`` by names that it does not have."""

from __future__ import annotations

from collections.abc import Callable
from difflib import get_close_matches
from functools import wraps
from inspect import signature
from typing import Any, ParamSpec, TypeVar

from ...errors import ProblemError

P = ParamSpec("P")
R = TypeVar("R")

SENSITIVE_FEATURES = "sensitive_features"
SYNONYMS = ("group", "groups", "group_labels", "protected_attributes", "protected_groups", "sensitive_attributes")
"""What other libraries call sensitive_features."""


def refusing_unknown(fit: Callable[P, R]) -> Callable[P, R]:
    """``fit``, whose refusal of an unknown argument names the one that is meant; its signature stays the same."""
    known = list(signature(fit).parameters)[1:]

    @wraps(fit)
    def checked(*args: P.args, **kwargs: P.kwargs) -> R:
        for name in kwargs:
            if name not in known:
                raise ProblemError(_refusal(args[0], name, known))
        return fit(*args, **kwargs)

    return checked


def _refusal(estimator: Any, name: str, known: list[str]) -> str:
    who = type(estimator).__name__
    if name in SYNONYMS and SENSITIVE_FEATURES in known:
        remedy = f"Pass the labels of the groups as {SENSITIVE_FEATURES}."
    elif name in estimator.get_params(deep=False):
        remedy = f"It is a parameter of the estimator: {who}({name}=...)."
    else:
        near = get_close_matches(name, known, n=1)
        remedy = f"Did you mean {near[0]!r}?" if near else f"Expected {', '.join(known)}."
    return f"{who}.fit has no argument {name!r}. {remedy}"
