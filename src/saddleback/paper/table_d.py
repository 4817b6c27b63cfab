"""Table (d): objective and time after T iterations against d."""

from __future__ import annotations

from .objectives_after import Scan
from .published import TABLE_D

SCAN = Scan("d", "d", lambda scale: scale.dimensions, TABLE_D)
cells, measure = SCAN.cells, SCAN.measure
