"""A virtual environment for every peer, made at first use and kept until its requirements change."""

from __future__ import annotations

import hashlib
import importlib.util
import platform
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from ..writing import ROOT

HERE = Path(__file__).resolve().parent
PLACE = ROOT / ".venv-peers"
STAMP = "requirements.sha256"
# Installation may download 200 MB; without a network it should fail soon.
LONGEST_INSTALL = 900.0
PIP = ("--quiet", "--disable-pip-version-check", "--retries", "1", "--timeout", "10")
# Packages that are installed without their dependencies.
ALONE = "alone.txt"


class Environments(Protocol):
    """Where peers run."""

    def interpreter(self, peer: str, imports: tuple[str, ...]) -> Path | None:
        """The Python that has the peer, or None: it is not installed."""


@dataclass(frozen=True)
class Shared:
    """The current environment, for the peers that it has; nothing is installed."""

    def interpreter(self, peer: str, imports: tuple[str, ...]) -> Path | None:
        return Path(sys.executable) if all(importlib.util.find_spec(name) for name in imports) else None


@dataclass(frozen=True)
class Separate:
    """One environment for each peer in a folder, from the pinned ``requirements.txt`` beside its job."""

    place: Path = PLACE
    requirements: Path = HERE
    known: dict[str, Path | None] = field(default_factory=dict)
    """Results of this process: without a network, each failure is waited for only once."""

    def interpreter(self, peer: str, imports: tuple[str, ...]) -> Path | None:
        if peer not in self.known:
            wanted = self.requirements / peer / "requirements.txt"
            self.known[peer] = self._made(self.place / peer, wanted) if wanted.exists() else Path(sys.executable)
        return self.known[peer]

    def _made(self, folder: Path, wanted: Path) -> Path | None:
        stamp, python = folder / STAMP, folder / "bin" / "python"
        if not (stamp.exists() and stamp.read_text(encoding="utf-8") == _mark(wanted)):
            try:
                _make(folder, python, wanted)
            except (OSError, subprocess.SubprocessError):
                shutil.rmtree(folder, ignore_errors=True)
                return None
            stamp.write_text(_mark(wanted), encoding="utf-8")
        return python


def _make(folder: Path, python: Path, requirements: Path) -> None:
    """Messages of pip about a failure are printed."""
    print(f"Making an environment for {folder.name}.", flush=True)
    subprocess.run([sys.executable, "-m", "venv", "--clear", str(folder)], check=True, timeout=LONGEST_INSTALL)
    pip = [str(python), "-m", "pip", "install", *PIP]
    subprocess.run([*pip, "-r", str(requirements)], check=True, timeout=LONGEST_INSTALL)
    alone = requirements.with_name(ALONE)
    if alone.exists():
        subprocess.run([*pip, "--no-deps", "-r", str(alone)], check=True, timeout=LONGEST_INSTALL)


def _mark(requirements: Path) -> str:
    """A digest of the requirements and of the Python version."""
    alone = requirements.with_name(ALONE)
    parts = (
        requirements.read_bytes(),
        alone.read_bytes() if alone.exists() else b"",
        platform.python_version().encode(),
    )
    return hashlib.sha256(b"\0".join(parts)).hexdigest()
