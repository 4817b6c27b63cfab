"""The entry point: it runs the commands and turns errors into messages and exit statuses."""

from __future__ import annotations

import sys

from .._version import __version__
from ..errors import SaddlebackError

BAD_INPUT = 2


def main() -> None:
    """Run the command line. Exit status: 0 success, 2 bad input or usage, 130 interrupted."""
    try:
        from .app import app
    except ImportError as error:
        if sys.argv[1:] == ["--version"]:
            print(__version__)
            return
        _complain(
            f"the command line needs {error.name}; install it with: pip install 'saddleback[cli]', or from a copy of "
            "the repository: pip install '.[cli]'"
        )
        sys.exit(BAD_INPUT)
    try:
        app()
    except SaddlebackError as error:
        _complain(str(error))
        sys.exit(BAD_INPUT)


def _complain(message: str) -> None:
    print(f"saddleback: {message}", file=sys.stderr)
