"""The environment of a measurement: versions, cores, threads."""

from __future__ import annotations

from typing import Any

from threadpoolctl import threadpool_info

from saddleback.paper import environment as machine
from saddleback.paper.environment import cores

__all__ = ["blas_threads", "cores", "environment"]

LIBRARIES = ("numpy", "scipy", "numba", "piqp", "scikit-learn", "cvxpy", "clarabel", "threadpoolctl")


def environment() -> dict[str, Any]:
    """The kind of machine and the versions of the libraries; not the name of the machine."""
    return machine.environment(LIBRARIES)


def blas_threads() -> int:
    """The current limit of BLAS threads."""
    return max((pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"), default=1)
