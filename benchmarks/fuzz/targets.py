"""The readers that are fuzzed, by name."""

from __future__ import annotations

from .files import FILES, REPAIRED
from .tables import TABLES
from .target import Target

TARGETS: dict[str, Target] = {target.name: target for target in (TABLES, FILES, REPAIRED)}
