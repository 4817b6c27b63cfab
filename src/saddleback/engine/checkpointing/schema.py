"""The kinds of values in a state: how each is written and read, with checks in both directions."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..._types import Axes
from .container import NAMES
from .entries import Array, Entries, Misfit, Source

Sizes = dict[str, int]

ABSENT = "none"
PATTERNS: dict[type, re.Pattern[str]] = {
    bool: re.compile("True|False"),
    int: re.compile(r"-?[0-9]{1,18}"),
    float: re.compile(r"-?(inf|nan|[0-9]{1,20}(\.[0-9]{1,20})?(e[+-]?[0-9]{1,4})?)"),
}
KINDS: dict[type, Any] = {
    bool: bool | np.bool_,
    int: int | np.integer,
    float: float | int | np.floating | np.integer,
    str: str,
}


class Schema(ABC):
    """One kind of value: how it is written and how it is read."""

    @abstractmethod
    def flatten(self, name: str, value: Any, entries: Entries, sizes: Sizes) -> None:
        """Add the value to what is to be written; a Misfit where it could not be read back."""

    @abstractmethod
    def rebuild(self, name: str, source: Source, sizes: Sizes) -> Any:
        """The value; a Misfit where it is not of this kind."""


@dataclass(frozen=True)
class Scalar(Schema):
    """A truth value, a whole number, a number or a text."""

    kind: type
    nan: bool = False
    """Whether a number may be nan, as its default is."""

    def flatten(self, name: str, value: Any, entries: Entries, sizes: Sizes) -> None:
        if not isinstance(value, KINDS[self.kind]) or (self.kind is not bool and isinstance(value, bool)):
            raise Misfit(f"{name} must be of type {self.kind.__name__}; got {type(value).__name__}")
        value = self.kind(value)
        self._check(name, value)
        if self.kind is not str and not PATTERNS[self.kind].fullmatch(repr(value)):
            raise Misfit(f"{name} = {value!r:.40} has too many digits")
        # Lone surrogates are not valid UTF-8 and are escaped.
        entries.texts[name] = (value if self.kind is str else repr(value)).encode("utf-8", "backslashreplace").decode()

    def rebuild(self, name: str, source: Source, sizes: Sizes) -> Any:
        text = source.required(name)
        if self.kind is str:
            return text
        if not PATTERNS[self.kind].fullmatch(text):
            raise Misfit(f"{name} must be of type {self.kind.__name__}; got {text[:40]!r}")
        value = text == "True" if self.kind is bool else self.kind(text)
        self._check(name, value)
        return value

    def _check(self, name: str, value: Any) -> None:
        if value != value and not self.nan:
            raise Misfit(f"{name} is not a number")


@dataclass(frozen=True)
class ArrayOf(Schema):
    """An array of numbers, of the shape that its axes ask for."""

    dtype: str | None
    axes: Axes | None
    finite: bool

    def flatten(self, name: str, value: Any, entries: Entries, sizes: Sizes) -> None:
        if not isinstance(value, np.ndarray) or value.dtype.name not in NAMES or value.ndim > 2:
            got = f"{value.dtype} {value.shape}" if isinstance(value, np.ndarray) else type(value).__name__
            raise Misfit(f"{name} must be an array of numbers with one or two axes; got {got}")
        self._check(name, value, sizes, known=True)
        entries.add(name, value)

    def rebuild(self, name: str, source: Source, sizes: Sizes) -> Array:
        array = source.array(name)
        self._check(name, array, sizes, known=source.known)
        return array

    def _check(self, name: str, array: Array, sizes: Sizes, *, known: bool) -> None:
        if self.dtype not in (None, array.dtype.name):
            raise Misfit(f"{name} must hold numbers of type {self.dtype}; got {array.dtype}")
        if self.axes is not None:
            wanted = tuple(
                axis if isinstance(axis, int) else sizes.setdefault(axis, array.shape[i] if i < array.ndim else 0)
                for i, axis in enumerate(self.axes.names)
            )
            if array.shape != wanted:
                raise Misfit(f"{name} must have shape {self.axes} = {wanted}; got {array.shape}")
        if known and self.finite and not np.isfinite(array).all():
            raise Misfit(f"{name} holds nan or inf")


@dataclass(frozen=True)
class NumberList(Schema):
    """A list of numbers of one type, of any length."""

    kind: type

    def flatten(self, name: str, value: Any, entries: Entries, sizes: Sizes) -> None:
        try:
            entries.arrays[name] = np.array(value, dtype=self._dtype).reshape(len(value))
        except (TypeError, ValueError, OverflowError):
            raise Misfit(f"{name} must be a list of {self.kind.__name__}") from None

    def rebuild(self, name: str, source: Source, sizes: Sizes) -> list[Any]:
        array = source.array(name)
        if array.dtype != self._dtype or array.ndim != 1:
            raise Misfit(f"{name} must be a list of {self.kind.__name__}; got {array.dtype} {array.shape}")
        return array.tolist() if source.known else []

    @property
    def _dtype(self) -> np.dtype[Any]:
        return np.dtype(np.int64 if self.kind is int else np.float64)


@dataclass(frozen=True)
class TupleOf(Schema):
    """Any number of values of one kind."""

    item: Schema

    def flatten(self, name: str, value: Any, entries: Entries, sizes: Sizes) -> None:
        if not isinstance(value, tuple):
            raise Misfit(f"{name} must be a tuple; got {type(value).__name__}")
        entries.texts[f"{name}.length"] = str(len(value))
        for k, item in enumerate(value):
            self.item.flatten(f"{name}.{k}", item, entries, sizes)

    def rebuild(self, name: str, source: Source, sizes: Sizes) -> tuple[Any, ...]:
        length = source.required(f"{name}.length")
        # There are no more items than entries.
        if not re.fullmatch(r"[0-9]{1,7}", length) or int(length) > len(source.texts) + len(source.arrays):
            raise Misfit(f"{name} cannot have {length[:40]!r} items")
        return tuple(self.item.rebuild(f"{name}.{k}", source, sizes) for k in range(int(length)))


@dataclass(frozen=True)
class Maybe(Schema):
    """A value or None."""

    item: Schema

    def flatten(self, name: str, value: Any, entries: Entries, sizes: Sizes) -> None:
        if value is None:
            entries.texts[f"{name}?"] = ABSENT
        else:
            self.item.flatten(name, value, entries, sizes)

    def rebuild(self, name: str, source: Source, sizes: Sizes) -> Any:
        return None if source.text(f"{name}?") == ABSENT else self.item.rebuild(name, source, sizes)


@dataclass(frozen=True)
class AddedLater(Schema):
    """A field that files of earlier versions lack: its default is not written."""

    item: Schema
    default: Any

    def flatten(self, name: str, value: Any, entries: Entries, sizes: Sizes) -> None:
        if value is not self.default:
            self.item.flatten(name, value, entries, sizes)

    def rebuild(self, name: str, source: Source, sizes: Sizes) -> Any:
        return self.item.rebuild(name, source, sizes) if source.mentions(name) else self.default


@dataclass(frozen=True)
class OneOf(Schema):
    """One of several dataclasses: the name of its class is written, and when read only compared with the options."""

    options: dict[str, Schema]
    """The dataclasses by the names of their classes."""

    def flatten(self, name: str, value: Any, entries: Entries, sizes: Sizes) -> None:
        kind = type(value).__name__
        entries.texts[f"{name}.class"] = kind
        self._option(name, kind).flatten(name, value, entries, sizes)

    def rebuild(self, name: str, source: Source, sizes: Sizes) -> Any:
        return self._option(name, source.required(f"{name}.class")).rebuild(name, source, sizes)

    def _option(self, name: str, kind: str) -> Schema:
        option = self.options.get(kind)
        if option is None:
            raise Misfit(f"{name} must be one of {', '.join(self.options)}; got {kind[:40]!r}")
        return option


@dataclass(frozen=True)
class RecordOf(Schema):
    """A dataclass, whose fields are each of their own kind."""

    kind: Any
    members: tuple[tuple[str, Schema], ...]
    removed: tuple[str, ...] = ()
    """Fields that only files of earlier versions have."""

    def flatten(self, name: str, value: Any, entries: Entries, sizes: Sizes) -> None:
        if type(value) is not self.kind:
            raise Misfit(f"{name} must be a {self.kind.__name__}; got {type(value).__name__}")
        if self.frozen and entries.shares(name, value):
            return
        local = dict(sizes)
        for member, schema in self.members:
            schema.flatten(f"{name}.{member}", getattr(value, member), entries, local)

    def rebuild(self, name: str, source: Source, sizes: Sizes) -> Any:
        shared = source.shared(name, self.kind) if self.frozen else None
        if shared is not None:
            return shared[0]
        value = self._built(name, source, sizes)
        source.remember(name, self.kind, value)
        return value

    @property
    def frozen(self) -> bool:
        """Whether objects of this kind cannot change, so that several fields may share one."""
        return bool(self.kind.__dataclass_params__.frozen)

    def _built(self, name: str, source: Source, sizes: Sizes) -> Any:
        local = dict(sizes)
        values = {member: schema.rebuild(f"{name}.{member}", source, local) for member, schema in self.members}
        for member in self.removed:
            source.text(f"{name}.{member}")
        if not source.known:
            return None
        try:
            return self.kind(**values)
        except (TypeError, ValueError, ArithmeticError, LookupError) as error:
            raise Misfit(f"{name} is no {self.kind.__name__} ({error})") from None
