"""How the kernels are compiled: cached on disk, without the interpreter lock, and never with a stale cache."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import numba

FUSED = {"contract"}
"""Only a*b + c may be fused: the functions are exact to the last bits and keep NaN and inf."""

REORDERED = {"contract", "reassoc", "arcp", "nsz"}
"""Sums may be reordered, which vectorizes them; NaN and inf keep their meaning."""


def options(fastmath: set[str]) -> Any:
    """The options of everything that is compiled here."""
    return {"fastmath": fastmath, "nogil": True, "error_model": "numpy"}


def inlined(fastmath: set[str]) -> Callable[[Callable[..., Any]], Any]:
    """A piece of a kernel. It is compiled, and cached, with the kernel that calls it."""
    return numba.njit(**options(fastmath))


def pasted(fastmath: set[str]) -> Callable[[Callable[..., Any]], Any]:
    """A piece that is copied into the kernels that call it: a call would count the references of its many arrays."""
    return numba.njit(inline="always", **options(fastmath))


def kernel(fastmath: set[str]) -> Callable[[Callable[..., Any]], Any]:
    """An entry point: cached on disk where any folder can be written, else compiled once per process."""

    def decorate(function: Callable[..., Any]) -> Any:
        try:
            dispatcher = numba.njit(cache=True, **options(fastmath))(function)
        except RuntimeError:
            return inlined(fastmath)(function)
        # Numba notices edits of the kernel's own file only, and would go on using the machine code of edited pieces.
        cache_file: Any = getattr(getattr(dispatcher, "_cache", None), "_cache_file", None)
        if hasattr(cache_file, "_source_stamp"):
            cache_file._source_stamp = _sources()
        return dispatcher

    return decorate


@cache
def _sources() -> str:
    files = sorted(Path(__file__).parent.glob("*.py"))
    return sha256(b"".join(file.read_bytes() for file in files)).hexdigest()
