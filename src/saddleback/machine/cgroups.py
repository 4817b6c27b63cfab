"""Limits of Linux control groups, which containers and job schedulers use."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from math import inf
from pathlib import Path

ROOT = Path("/")
# Version 1 writes "no limit" as a number near the size of the address space.
NO_LIMIT = 2**60


def cpu_quota(root: Path = ROOT) -> float:
    """Core seconds per second, not rounded; inf without a quota."""
    return min(
        (*_each(root, "", "cpu.max", _quota_of_v2), *_each(root, "cpu", "cpu.cfs_quota_us", _quota_of_v1)), default=inf
    )


def memory_left(root: Path = ROOT) -> float:
    """Bytes up to the tightest limit; inf without one. File pages that the kernel can drop count as free."""
    return min((*_each(root, "", "memory.max", _left_of_v2), *_each(root, "memory", "", _left_of_v1)), default=inf)


def _each(root: Path, controller: str, file: str, read: Callable[[Path], float]) -> Iterator[float]:
    """The limit of every group that this process belongs to: its own and its ancestors."""
    for folder in _folders(root, controller):
        # Files that do not exist or cannot be read count as no limit.
        with suppress(OSError, ValueError, IndexError):
            yield read(folder / file)


def _folders(root: Path, controller: str) -> Iterator[Path]:
    """The folders of the groups of a controller of version 1; of version 2 where ``controller`` is empty."""
    top = root / "sys/fs/cgroup"
    try:
        lines = (root / "proc/self/cgroup").read_text().splitlines()
    except OSError:
        lines = []
    for line in lines:
        _, controllers, path = line.split(":", 2)
        if controller not in controllers.split(","):
            continue
        group = Path(path.lstrip("/"))
        for mounted in {controllers, controller}:
            for name in (group, *group.parents):
                yield top / mounted / name
    # Inside a container the path may be that of the host, with the files of the group at the top.
    yield top / controller


def _quota_of_v2(file: Path) -> float:
    quota, period = file.read_text().split()
    return inf if quota == "max" else int(quota) / int(period)


def _quota_of_v1(file: Path) -> float:
    quota = int(file.read_text())
    return inf if quota <= 0 else quota / int((file.parent / "cpu.cfs_period_us").read_text())


def _left_of_v2(file: Path) -> float:
    limit = file.read_text().strip()
    if limit == "max":
        return inf
    used = int((file.parent / "memory.current").read_text())
    return max(0, int(limit) - used + _droppable(file.parent, "inactive_file"))


def _left_of_v1(folder: Path) -> float:
    limit = int((folder / "memory.limit_in_bytes").read_text())
    if limit >= NO_LIMIT:
        return inf
    used = int((folder / "memory.usage_in_bytes").read_text())
    return max(0, limit - used + _droppable(folder, "total_inactive_file"))


def _droppable(folder: Path, name: str) -> int:
    """Bytes of file pages that the kernel drops before it refuses memory."""
    with suppress(OSError, ValueError):
        for line in (folder / "memory.stat").read_text().splitlines():
            key, _, value = line.partition(" ")
            if key == name:
                return int(value)
    return 0
