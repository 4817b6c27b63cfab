"""The Pythons of this machine, by version: from PATH, and from pyenv where it is installed."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

# What pyproject.toml promises by its classifiers.
SUPPORTED = ("3.11", "3.12", "3.13")
# Prints the version as "3.12"; fails where the program is a shim for a version that is not installed.
ASK = "import sys, venv, ensurepip; print('%d.%d' % sys.version_info[:2])"


def find_interpreters(versions: Sequence[str] = SUPPORTED) -> dict[str, Path]:
    """Of every version the first interpreter that answers and can make environments."""
    found: dict[str, Path] = {}
    for version in versions:
        working = (path for path in candidates(version) if answers(path, version))
        path = next(working, None)
        if path is not None:
            found[version] = path
    return found


def candidates(version: str) -> Iterator[Path]:
    """Programs that may be the interpreter of a version: of PATH first, then of pyenv, the newest first."""
    for name in (f"python{version}", "python3", "python"):
        program = shutil.which(name)
        if program is not None:
            yield Path(program)
    root = pyenv_root()
    if root is not None:
        installed = sorted((root / "versions").glob(f"{version}.*"), key=patch_number, reverse=True)
        yield from (folder / "bin" / "python" for folder in installed)


def patch_number(folder: Path) -> int:
    """9 of "3.12.9"; -1 of names that are no releases."""
    last = folder.name.rpartition(".")[2]
    return int(last) if last.isdigit() else -1


def pyenv_root() -> Path | None:
    """The folder of pyenv, from its variable or from the program; None where there is none."""
    named = os.environ.get("PYENV_ROOT")
    if named:
        return Path(named)
    program = shutil.which("pyenv")
    if program is None:
        return None
    done = subprocess.run([program, "root"], capture_output=True, text=True, check=False)
    return Path(done.stdout.strip()) if done.returncode == 0 and done.stdout.strip() else None


def answers(path: Path, version: str) -> bool:
    """Whether the program runs, is that version, and can make environments."""
    try:
        done = subprocess.run([path, "-c", ASK], capture_output=True, text=True, check=False)
    except OSError:
        return False
    return done.returncode == 0 and done.stdout.strip() == version
