"""Table (e): objective and time after T iterations against J."""

from __future__ import annotations

from .objectives_after import Scan
from .published import TABLE_E

SCAN = Scan("e", "J", lambda scale: scale.groups, TABLE_E)
cells, measure = SCAN.cells, SCAN.measure
