"""Files: safetensors with texts in the header, checked before they are believed.

Models, results, paths and checkpoints are of one format (docs/files.md), read without executing code.
"""

from __future__ import annotations

from .container import Unreadable
from .files import Stored, load, refusing, save
from .json_arrays import json_array, json_from
from .parts import Parts
from .reader import Reader

__all__ = ["Parts", "Reader", "Stored", "Unreadable", "json_array", "json_from", "load", "refusing", "save"]
