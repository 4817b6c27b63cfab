"""What the numbers depend on: versions, cores, threads."""

from __future__ import annotations

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np
from threadpoolctl import threadpool_info

import saddleback as sb

LIBRARIES = ("numpy", "scipy", "numba", "piqp", "scikit-learn", "cvxpy", "clarabel", "threadpoolctl")


def environment() -> dict[str, Any]:
    """The kind of machine and the versions of the libraries; nothing that names the machine."""
    return {
        "saddleback": sb.__version__,
        "python": platform.python_version(),
        **{name: installed(name) for name in LIBRARIES},
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


def cores() -> int:
    """The cores that this process may use: the kernels take all of them."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def best_simd() -> str:
    """The widest vector extension that NumPy found."""
    config: Any = np.show_config(mode="dicts")
    found = config.get("SIMD Extensions", {}).get("found", [])
    return str(found[-1]) if found else "-"


def blas_threads() -> int:
    """How many threads BLAS may use at this moment."""
    return max((pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"), default=1)
