"""Exit statuses of the commands, and the one line on standard error that goes with a failure."""

from __future__ import annotations

import sys
from contextlib import suppress

from .printable import printable

FINE = 0
UNEXPECTED = 1
"""An error of the program; SADDLEBACK_DEBUG=1 shows where."""
BAD_INPUT = 2
NOT_CONVERGED = 3
"""The run stopped before convergence, or a certificate does not hold; what there is has been written."""
INTERRUPTED = 130
"""The status of a program that SIGINT ends: 128 + 2."""
NOBODY_READS = 141
"""The status of a program that SIGPIPE ends, 128 + 13: the reader of its output, such as head, has left."""

INSTALL = "pip install 'saddleback[cli]', or from a copy of the repository: pip install '.[cli]'"


def complain(message: str) -> None:
    """One line on standard error, whatever the message holds."""
    with suppress(BrokenPipeError):
        print(f"saddleback: {printable(' '.join(message.split()))}", file=sys.stderr)
