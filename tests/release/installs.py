"""Installs the wheel as users do, and uses it: python tests/release/installs.py dist (a part of make dist).

In a fresh environment of each supported Python that this machine has: the bare wheel, and ``smoke_bare.py``. In that of
the first one also the types, as mypy sees them in a user's script, and then the extra ``cli`` with the commands.
Everything runs in an empty folder and without PYTHONPATH, so that nothing of the working tree is imported.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from contents import only, version
from interpreters import SUPPORTED, find_interpreters

HERE = Path(__file__).resolve().parent
# Variables by which the working tree or another environment would be imported.
LEADING_ELSEWHERE = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")


@dataclass(frozen=True)
class Environment:
    """A fresh virtual environment in a folder of its own."""

    folder: Path

    @property
    def bin(self) -> Path:
        return self.folder / "venv" / "bin"

    def run(self, *command: str | Path) -> None:
        """Run in an empty folder beside the environment; what fails ends everything, with its output."""
        work = self.folder / "work"
        work.mkdir(exist_ok=True)
        variables = {key: text for key, text in os.environ.items() if key not in LEADING_ELSEWHERE}
        done = subprocess.run(command, cwd=work, env=variables, capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}exit status {done.returncode}")

    def create(self, python: Path) -> None:
        self.run(python, "-m", "venv", self.folder / "venv")

    def install(self, what: str | Path) -> None:
        self.run(self.bin / "python", "-m", "pip", "install", "--quiet", what)

    def script(self, name: str) -> None:
        """A script of this folder, with the version that it must find; warnings are errors."""
        self.run(self.bin / "python", "-W", "error", HERE / name, version())


def check_bare(environment: Environment, wheel: Path) -> None:
    environment.install(wheel)
    environment.script("smoke_bare.py")


def check_types(environment: Environment) -> None:
    """The types of the installed package, for a user who checks strictly."""
    interpreter = f"--python-executable={environment.bin / 'python'}"
    environment.run(sys.executable, "-m", "mypy", "--strict", interpreter, "--cache-dir", os.devnull, HERE / "typed.py")


def check_commands(environment: Environment, wheel: Path) -> None:
    environment.install(f"{wheel}[cli]")
    environment.script("smoke_commands.py")


@contextmanager
def timed(what: str) -> Iterator[None]:
    start = time.perf_counter()
    yield
    print(f"{what}: passed in {time.perf_counter() - start:.0f} s", flush=True)


def main(arguments: list[str]) -> int:
    wheel = only(Path(arguments[0]).resolve(), "*.whl")
    interpreters = find_interpreters()
    with tempfile.TemporaryDirectory() as temporary:
        for number, (name, python) in enumerate(interpreters.items()):
            environment = Environment(Path(temporary) / name)
            environment.folder.mkdir()
            environment.create(python)
            with timed(f"Python {name}, bare wheel"):
                check_bare(environment, wheel)
            if number == 0:
                with timed(f"Python {name}, types of a user's script"):
                    check_types(environment)
                with timed(f"Python {name}, wheel with [cli]"):
                    check_commands(environment, wheel)
    for name in SUPPORTED:
        if name not in interpreters:
            print(f"Python {name}: skipped, there is no such interpreter on PATH or in pyenv")
    return 0 if interpreters else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
