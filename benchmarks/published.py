"""The published minimax problems, as the tests define them."""

from __future__ import annotations

import importlib.util
import sys
from typing import Any

from .writing import ROOT

SOURCE = ROOT / "tests" / "references" / "published.py"


def published() -> dict[str, Any]:
    """Name: a problem with ``pair(x) -> (f, G)``, ``start`` and ``optimum``. Tests and benchmarks share them."""
    name = "saddleback_published_problems"
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, SOURCE)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        # Dataclasses look up the module that they are defined in.
        sys.modules[name] = module
        spec.loader.exec_module(module)
    problems: dict[str, Any] = sys.modules[name].PUBLISHED
    return problems
