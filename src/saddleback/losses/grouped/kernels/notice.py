"""One line on standard error where compiling has taken more than a second."""

from __future__ import annotations

import logging
from time import perf_counter
from typing import Any

from numba.core import event

SECONDS = 1.0
"""The time of compilation from which a user wonders."""

KEPT = "They are kept on disk, so that later runs begin at once."
LOST = "No folder could be written to keep them: set NUMBA_CACHE_DIR to one."

PACKAGE = __name__.split(".")[0] + "."


class Notice(event.Listener):
    """Adds up the times in which kernels of this library are compiled, and logs a warning once.

    Without handlers, Python's ``logging`` prints warnings as lines on standard error. Kernels that are read from the
    disk are not compiled.
    """

    def __init__(self) -> None:
        self._depth = 0
        self._started = 0.0
        self._seconds = 0.0
        self._said = False

    def on_start(self, event: Any) -> None:
        if self._is_ours(event):
            if self._depth == 0:
                self._started = perf_counter()
            self._depth += 1

    def on_end(self, event: Any) -> None:
        if not self._is_ours(event):
            return
        self._depth -= 1
        if self._depth > 0:
            return
        self._seconds += perf_counter() - self._started
        if self._seconds > SECONDS and not self._said:
            self._said = True
            kept = getattr(getattr(event.data["dispatcher"], "_cache", None), "cache_path", None) is not None
            logging.getLogger(__name__).warning(
                "saddleback has compiled its loops for tables and losses of this kind in %.1f s. %s",
                self._seconds,
                KEPT if kept else LOST,
            )

    @staticmethod
    def _is_ours(event: Any) -> bool:
        function = getattr(event.data.get("dispatcher"), "py_func", None)
        return str(getattr(function, "__module__", "")).startswith(PACKAGE)
