"""What groups are measured by: predictions of any kind, losses of rows, rates, and their intervals."""

from __future__ import annotations
