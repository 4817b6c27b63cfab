"""The argument ``sensitive_features``: the groups of the rows, by which models are trained and judged."""

from __future__ import annotations

from .columns import take_columns
from .groups import Groups
from .levels import MISSING
from .reading import read_sensitive_features
from .small import REST

__all__ = ["MISSING", "REST", "Groups", "read_sensitive_features", "take_columns"]
