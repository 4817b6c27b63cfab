"""Whether the workers of a cluster can do what they will be asked for, before any work."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from distributed import Client

from ..errors import ClusterError, ProblemError

PACKAGES = ("saddleback", "numpy")
"""What every worker needs."""

MOST_NAMED = 3
"""Workers that one message names."""


def check_workers(client: Client, packages: Sequence[str] = ()) -> None:
    """Refuse workers that lack a package, or have another version of saddleback than this process."""
    asked = [*PACKAGES, *packages]
    told = client.get_versions(packages=asked)
    found, own = told["workers"], told["client"]["packages"]
    if not found:
        raise ClusterError(
            f"the scheduler at {client.scheduler.address} has no workers; expected at least one. Start some: dask "
            f"worker {client.scheduler.address}"
        )
    versions = {address: of_worker["packages"] for address, of_worker in found.items()}
    for package in (name for name in asked if own[name] is not None):
        lacking = [address for address, theirs in versions.items() if theirs.get(package) is None]
        if lacking:
            raise ClusterError(
                f"{_workers(lacking)} cannot import {package}; expected it on all {len(versions)} workers. Install "
                f"there what is installed here: saddleback[dask,learn,table]=={own['saddleback']}."
            )
    others = [address for address, theirs in versions.items() if theirs["saddleback"] != own["saddleback"]]
    if others:
        raise ClusterError(
            f"{_workers(others)} must have the version of saddleback that this process has, {own['saddleback']}; got "
            f"{versions[others[0]]['saddleback']}. Install one version everywhere, and restart the workers."
        )


def check_files(client: Client, files: Sequence[Path]) -> None:
    """Refuse workers that do not see the files, or other ones of the same names."""
    paths = [os.path.abspath(file) for file in files]
    expected = _sizes(paths)
    if None in expected:
        raise ProblemError(f"{paths[expected.index(None)]} is no file here, where its end was read. Restore it.")
    for address, sizes in client.run(_sizes, paths).items():
        for path, here, there in zip(paths, expected, sizes, strict=True):
            if here == there:
                continue
            seen = "it is not there" if there is None else f"it has {there} bytes there, and {here} here"
            raise ClusterError(
                f"the worker {address} must see the files as this process does; {path}: {seen}. Put them in a folder "
                "that all machines share under the same name, or work on this machine: 'local'."
            )


def _sizes(paths: Sequence[str]) -> list[int | None]:
    """The bytes of each file; None where it is not there."""
    return [os.path.getsize(path) if os.path.isfile(path) else None for path in paths]


def _workers(addresses: list[Any]) -> str:
    named = ", ".join(addresses[:MOST_NAMED])
    more = f" and {len(addresses) - MOST_NAMED} more" if len(addresses) > MOST_NAMED else ""
    return f"the worker{'s' if len(addresses) > 1 else ''} {named}{more}"
