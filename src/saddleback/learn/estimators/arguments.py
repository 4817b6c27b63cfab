"""Arguments of ``fit`` and parameters of estimators by names that they do not have."""

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
DUAL_SET = "dual_set"
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


def refusing_unknown_parameters(init: Callable[P, None]) -> Callable[P, None]:
    """``__init__``, whose refusal names the class that was called and the parameter that is meant."""
    known = list(signature(init).parameters)[1:]

    @wraps(init)
    def checked(*args: P.args, **kwargs: P.kwargs) -> None:
        for name in kwargs:
            if name not in known:
                who = type(args[0]).__name__
                raise TypeError(f"{who} has no parameter {name!r}. {_parameter_instead(who, name, known)}")
        init(*args, **kwargs)

    return checked


def _parameter_instead(who: str, name: str, known: list[str]) -> str:
    if name == DUAL_SET and "worst_weights" in known:
        single = f"; {who.removesuffix('CV')} has {DUAL_SET}" if who.endswith("CV") else ""
        return f"It chooses among weights of the groups that worst_weights= and priors= list{single}."
    if name in (SENSITIVE_FEATURES, *SYNONYMS):
        return f"Pass the labels of the groups to fit, as {SENSITIVE_FEATURES}=, or name columns of X by group_by=."
    near = get_close_matches(name, known, n=1)
    return f"Did you mean {near[0]!r}?" if near else f"It has {', '.join(known)}."
