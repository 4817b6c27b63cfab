"""Compiler options of the kernels, and their cache on disk."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from hashlib import sha256
from pathlib import Path
from typing import Any

import numba
from numba.core import event

from .notice import Notice

FUSED = {"contract"}
"""Floating-point freedoms: a*b + c may be fused. Elementary functions stay accurate, NaN and inf are kept."""

REORDERED = {"contract", "reassoc", "arcp", "nsz"}
"""Floating-point freedoms: sums may also be reordered, which vectorizes them. NaN and inf are kept."""


event.register("numba:compile", Notice())  # type: ignore[no-untyped-call]


def options(fastmath: set[str]) -> Any:
    """The options of every function that is compiled here."""
    return {"fastmath": fastmath, "nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}


def inlined(fastmath: set[str]) -> Callable[[Callable[..., Any]], Any]:
    """A function that kernels call, and Python cannot, which saves a fifth of the compilation; cached with them."""
    return numba.njit(**options(fastmath) | {"no_cpython_wrapper": True})


def pasted(fastmath: set[str]) -> Callable[[Callable[..., Any]], Any]:
    """A function whose body is copied into its callers: a call would count references for each of its many arrays."""
    return numba.njit(inline="always", **options(fastmath))


def kernel(fastmath: set[str]) -> Callable[[Callable[..., Any]], Any]:
    """A function called from Python: cached on disk where a folder can be written, else compiled in each process."""

    def decorate(function: Callable[..., Any]) -> Any:
        try:
            dispatcher = numba.njit(cache=True, **options(fastmath))(function)
        except RuntimeError:
            return numba.njit(**options(fastmath))(function)
        # Numba checks the date of the kernel's own file only: the stamp covers the functions that it calls as well.
        cache_file: Any = getattr(getattr(dispatcher, "_cache", None), "_cache_file", None)
        if hasattr(cache_file, "_source_stamp"):
            cache_file._source_stamp = _sources(Path(function.__code__.co_filename).parent)
            dispatcher._cache._index_key = partial(_key, _values(function))
        return dispatcher

    return decorate


def _key(values: tuple[Any, ...], signature: Any, codegen: Any) -> tuple[Any, ...]:
    """What a kernel is found by on disk: Numba's own key has a random number for each function that is used."""
    return signature, codegen.magic_tuple(), values


def _values(function: Callable[..., Any]) -> tuple[Any, ...]:
    """The numbers that a kernel and the functions pasted into it are made for, and the names of these."""
    cells = [cell.cell_contents for cell in function.__closure__ or ()]
    return tuple((x.py_func.__qualname__, _values(x.py_func)) if hasattr(x, "py_func") else x for x in cells)


@cache
def _sources(folder: Path) -> str:
    """A hash of all files of the kernel's folder."""
    files = sorted(folder.glob("*.py"))
    return sha256(b"".join(file.read_bytes() for file in files)).hexdigest()
