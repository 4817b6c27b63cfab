"""What an install with the extra ``cli`` must do; installs.py runs this in a fresh environment, with the version as
argument."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

PROGRAM = str(Path(sys.executable).with_name("saddleback"))


def command(*arguments: str) -> str:
    """What a command prints; it must succeed."""
    done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, (arguments, done.stdout, done.stderr)
    return done.stdout


def main(version: str) -> None:
    assert command("--version").strip() == version
    assert "reproduce" in command("--help")


if __name__ == "__main__":
    main(sys.argv[1])
