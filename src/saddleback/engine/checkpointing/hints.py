"""Schemas from type hints: the kinds of values that a checkpoint can hold."""

from __future__ import annotations

import typing
from dataclasses import MISSING, Field, fields, is_dataclass
from functools import lru_cache
from types import NoneType, UnionType
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

import numpy as np

from ..._types import Added, Axes, NonFinite
from ...errors import ProblemError
from ..method import State
from .container import NAMES
from .schema import AddedLater, ArrayOf, Maybe, NumberList, OneOf, RecordOf, Scalar, Schema, TupleOf

# The type of ``type Numbers = list[float]``, and of NDArray in NumPy 2.5. Before Python 3.12 there is none.
ALIAS: Any = getattr(typing, "TypeAliasType", ())


def schema_of(kind: Any) -> Schema:
    """How a dataclass is written and read; a ProblemError names a field that no schema fits.

    States of methods are written with the name of their class, by which a resumed run knows their type.
    """
    if not isinstance(kind, type) or not is_dataclass(kind):
        raise ProblemError(f"a checkpoint holds dataclasses; got {kind!r}.")
    schema = _compiled(kind)
    return OneOf({kind.__name__: schema}) if issubclass(kind, State) else schema


@lru_cache(maxsize=256)
def _compiled(kind: Any) -> Schema:
    try:
        hints = get_type_hints(kind, include_extras=True)
    except (NameError, TypeError, AttributeError) as error:
        raise ProblemError(
            f"a checkpoint needs the type hints of {kind.__name__}, which cannot be read ({error}); define the types "
            "that it names at the top of its module."
        ) from None
    members = []
    # Fields that are not arguments of the constructor are computed by it and not written.
    for member in (member for member in fields(kind) if member.init):
        nan = isinstance(member.default, float) and member.default != member.default
        schema = _of_hint(hints[member.name], nan=nan)
        if schema is None:
            raise ProblemError(
                f"a checkpoint cannot hold {kind.__name__}.{member.name}, of type {hints[member.name]}: it holds "
                "int, float, bool, str, arrays, lists of int or float, dataclasses, unions of dataclasses, tuples of "
                "one kind, and X | None."
            )
        added = Added in _expanded(hints[member.name])[1]
        members.append((member.name, AddedLater(schema, _default(member)) if added else schema))
    return RecordOf(kind, tuple(members), getattr(kind, "removed_fields", ()))


def _default(member: Field[Any]) -> Any:
    return member.default if member.default_factory is MISSING else member.default_factory()


def _of_hint(hint: Any, *, nan: bool = False) -> Schema | None:
    hint, marks = _expanded(hint)
    nan = nan or NonFinite in marks
    origin, arguments = get_origin(hint), get_args(hint)
    if hint in (bool, int, float, str):
        return Scalar(hint, nan)
    if hint is np.ndarray or origin is np.ndarray:
        axes = next((mark for mark in marks if isinstance(mark, Axes)), None)
        return ArrayOf(_dtype_name(arguments), axes, finite=NonFinite not in marks)
    if origin in (UnionType, Union):
        return _of_union(arguments, nan=nan)
    if origin is list and arguments in ((int,), (float,)):
        return NumberList(arguments[0])
    if origin is tuple and len(arguments) == 2 and arguments[1] is Ellipsis:
        inner = _of_hint(arguments[0], nan=nan)
        return None if inner is None else TupleOf(inner)
    return schema_of(hint) if isinstance(hint, type) and is_dataclass(hint) else None


def _expanded(hint: Any) -> tuple[Any, tuple[Any, ...]]:
    """A hint with its aliases replaced by what they stand for, and the marks of its annotations."""
    marks: tuple[Any, ...] = ()
    while True:
        if get_origin(hint) is Annotated:
            hint, *rest = get_args(hint)
            marks += tuple(rest)
        elif isinstance(hint, ALIAS):
            hint = hint.__value__
        elif isinstance(alias := get_origin(hint), ALIAS):
            chosen = dict(zip(alias.__type_params__, get_args(hint), strict=True))
            hint = alias.__value__[tuple(chosen[name] for name in alias.__value__.__parameters__)]
        else:
            return hint, marks


def _of_union(arguments: tuple[Any, ...], *, nan: bool) -> Schema | None:
    """X | None, or several dataclasses with different names, or both."""
    options = [option for option in arguments if option is not NoneType]
    if len(options) == 1:
        inner = _of_hint(options[0], nan=nan)
    elif all(isinstance(option, type) and is_dataclass(option) for option in options):
        # A file names dataclasses by their class, so that two of the same name would be ambiguous.
        named = {option.__name__: schema_of(option) for option in options}
        inner = OneOf(named) if len(named) == len(options) else None
    else:
        inner = None
    return Maybe(inner) if inner is not None and len(options) < len(arguments) else inner


def _dtype_name(arguments: tuple[Any, ...]) -> str | None:
    """The type of the entries that a hint such as NDArray[np.float64] asks for; None where it asks for none."""
    scalar = get_args(arguments[1])[0] if len(arguments) == 2 and get_args(arguments[1]) else None
    name = np.dtype(scalar).name if isinstance(scalar, type) and issubclass(scalar, np.generic) else None
    return name if name in NAMES else None
