"""Checkpoints: the state of a run as plain arrays in one file, written atomically and read without executing code."""

from __future__ import annotations

import zipfile
from dataclasses import fields, is_dataclass
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, get_args, get_origin, get_type_hints

import numpy as np

from ._files import atomic
from .errors import ProblemError

Arrays = dict[str, Any]


def save(path: Path, **parts: object) -> None:
    """Write dataclasses of arrays, numbers, strings, lists and further such dataclasses; never half a file."""
    arrays: Arrays = {}
    for name, part in parts.items():
        _flatten(name, part, arrays)
    with atomic(path) as file:
        np.savez(file, **arrays)


def load(path: Path, **kinds: type) -> dict[str, Any]:
    """The parts that ``save`` wrote, each rebuilt by the type hints of its kind."""
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as archive:
            arrays: Arrays = dict(archive)
        return {name: _rebuild(kind, name, arrays) for name, kind in kinds.items()}
    except (OSError, ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile) as error:
        raise ProblemError(
            f"{path} is not a checkpoint of this kind of run ({error}); delete it, or start with resume=False."
        ) from error


def _flatten(name: str, value: Any, arrays: Arrays) -> None:
    if is_dataclass(value):
        for field in fields(value):
            _flatten(f"{name}.{field.name}", getattr(value, field.name), arrays)
    elif isinstance(value, tuple):
        arrays[f"{name}.length"] = np.array(len(value))
        for k, item in enumerate(value):
            _flatten(f"{name}.{k}", item, arrays)
    elif value is not None:
        arrays[name] = np.asarray(value)
        if arrays[name].dtype == object:
            raise ProblemError(f"a checkpoint holds numbers and strings only; got {type(value).__name__} in {name}.")


def _rebuild(kind: Any, name: str, arrays: Arrays) -> Any:
    if get_origin(kind) is UnionType:
        (kind,) = (option for option in get_args(kind) if option is not NoneType)
        known = any(key == name or key.startswith(f"{name}.") for key in arrays)
        return _rebuild(kind, name, arrays) if known else None
    if is_dataclass(kind):
        hints = get_type_hints(kind)
        build: Any = kind
        return build(**{f.name: _rebuild(hints[f.name], f"{name}.{f.name}", arrays) for f in fields(kind)})
    if get_origin(kind) is tuple:
        length = int(arrays[f"{name}.length"])
        return tuple(_rebuild(get_args(kind)[0], f"{name}.{k}", arrays) for k in range(length))
    value = arrays[name]
    if get_origin(kind) is list:
        return value.tolist()
    return kind(value) if kind in (int, float, bool, str) else value
