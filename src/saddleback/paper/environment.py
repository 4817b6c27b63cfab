"""The environment of a measurement: versions, cores, SIMD extension."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np

from ..machine.resources import cores

__all__ = ["best_simd", "cores", "environment", "installed"]

LIBRARIES = ("numpy", "scipy", "numba", "piqp", "threadpoolctl")


def environment(libraries: Sequence[str] = LIBRARIES) -> dict[str, Any]:
    """The kind of machine and the versions of the libraries; not the name of the machine."""
    return {
        "saddleback": installed("saddleback"),
        "python": platform.python_version(),
        **{name: installed(name) for name in libraries},
        "system": platform.system(),
        "machine": platform.machine(),
        "cpus": cores(),
        "simd": best_simd(),
    }


def installed(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "-"


def best_simd() -> str:
    """The widest SIMD extension that NumPy found."""
    config: Any = np.show_config(mode="dicts")
    found = config.get("SIMD Extensions", {}).get("found", [])
    return str(found[-1]) if found else "-"
