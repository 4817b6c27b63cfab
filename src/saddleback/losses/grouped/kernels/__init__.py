"""Kernels compiled by Numba, which is imported with the first of them and not with the library."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any


@cache
def load(module: str, name: str) -> Callable[..., Any]:
    """A kernel by its module and name. Numba takes a second to import: this is the library's only lazy import."""
    kernel: Callable[..., Any] = getattr(import_module(f".{module}", __name__), name)
    return kernel


def load_compiler() -> None:
    """Import Numba, without a kernel."""
    import_module("numba")
