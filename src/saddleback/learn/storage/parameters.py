"""The constructor's parameters of an estimator in a file."""

from __future__ import annotations

from collections.abc import Collection
from functools import cache
from typing import Any

from ..._validation import flag
from ...errors import ProblemError
from ...storage import Parts, Reader, Unreadable
from ...storage.values import Unstorable, pack_value, unpack_value
from ..groups.group_input import group_columns
from .components import describe, make

PARAMETERS = "parameters"
USED = ("loss", "estimator", "features", "group_by", "keep_group_columns")
"""Parameters on which predictions depend."""


def write_parameters(model: Any, parts: Parts, without: Collection[str] = ()) -> None:
    """All parameters but some; a ProblemError names one that a file cannot hold."""
    packed = {}
    for name, value in model.get_params(deep=False).items():
        if name in without:
            continue
        try:
            packed[name] = pack_value(value, parts.prefix + PARAMETERS, parts.arrays, describe)
        except Unstorable as error:
            raise ProblemError(_refusal(model, name, error.kind)) from None
    parts.json(PARAMETERS, packed)


def _refusal(model: Any, name: str, kind: str) -> str:
    if name in USED:
        remedy = "Take one of this package"
    else:
        remedy = f"Replace it by set_params({name}=...), as predictions do not depend on it"
    return (
        f"{type(model).__name__} cannot be saved: its parameter {name} is or holds an object of class {kind}, and a "
        f"file holds no code. {remedy}, or keep the model by joblib.dump."
    )


@cache
def parameter_names(kind: Any) -> list[str]:
    """The parameters of an estimator's class."""
    names: list[str] = kind._get_param_names()
    return names


def read_parameters(reader: Reader, known: Collection[str], *, drop_unknown: bool = False) -> dict[str, Any]:
    """The parameters by name. Those of a newer or older class are refused, or dropped where nothing depends on them."""
    packed = reader.json(PARAMETERS)
    if not isinstance(packed, dict):
        raise reader.wrong(PARAMETERS, "a table of values", type(packed).__name__)
    full = reader.prefix + PARAMETERS
    values = {name: unpack_value(value, full, reader.taken, make) for name, value in packed.items()}
    unknown = [name for name in values if name not in known]
    if unknown and not drop_unknown:
        raise Unreadable(f"it has the parameter {unknown[0][:60]!r}, which this version does not know")
    return {name: value for name, value in values.items() if name in known}


def check_columns(model: Any) -> list[Any]:
    """The columns of ``group_by`` that are no features; Unreadable where the parameters do not name columns."""
    try:
        kept = flag(model.keep_group_columns, "keep_group_columns")
        columns = group_columns(model.group_by)
        hash(tuple(columns))
    except (ProblemError, TypeError) as error:
        raise Unreadable(f"its groups are of no known columns ({' '.join(str(error).split())[:200]})") from None
    return [] if kept else columns
