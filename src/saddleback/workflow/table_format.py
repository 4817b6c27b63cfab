"""The parts that a model of a table adds to the file of an estimator."""

from __future__ import annotations

VERSION = "table.version"
"""The text that says that a file has them, and of which version they are."""
FORMAT_VERSION = 1
