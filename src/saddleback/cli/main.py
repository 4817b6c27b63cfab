"""The program: its commands, and how errors leave it."""

from __future__ import annotations

import sys

from ..errors import SaddlebackError
from .status import BAD_INPUT


def main() -> None:
    """Run the command line. Exit status 0 fine, 2 bad input or usage, 130 interrupted."""
    try:
        from .app import app
    except ImportError as error:
        _complain(f"the command line needs {error.name}; install it with: pip install 'saddleback[cli]'")
        sys.exit(BAD_INPUT)
    try:
        app()
    except SaddlebackError as error:
        _complain(str(error))
        sys.exit(BAD_INPUT)


def _complain(message: str) -> None:
    print(f"saddleback: {message}", file=sys.stderr)
