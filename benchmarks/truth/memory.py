"""The peak memory of this process."""

from __future__ import annotations

import resource
import sys
from pathlib import Path

STATUS, CLEAR = Path("/proc/self/status"), Path("/proc/self/clear_refs")
FORGET_PEAK = "5"


class Peak:
    """The peak memory in bytes since the object was made, minus the memory at that time."""

    def __init__(self) -> None:
        # Linux can reset the peak; on other systems it only grows, so that a smaller peak after a larger one is missed.
        self._forgets = CLEAR.exists()
        if self._forgets:
            CLEAR.write_text(FORGET_PEAK)
        self._before = self._now()

    def beyond(self) -> int:
        return self._now() - self._before

    def _now(self) -> int:
        if self._forgets:
            line = next(line for line in STATUS.read_text().splitlines() if line.startswith("VmHWM:"))
            return 1024 * int(line.split()[1])
        unit = 1 if sys.platform == "darwin" else 1024
        return unit * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
