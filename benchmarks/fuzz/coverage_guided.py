"""Inputs chosen by what they reach in the reader's own code, by atheris (libFuzzer)."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from types import FunctionType

from .target import Target


def own_functions() -> list[FunctionType]:
    """The functions and methods of the package's modules that are loaded; those of libraries are too many."""
    functions = []
    for name, module in list(sys.modules.items()):
        if name.startswith("saddleback."):
            members = [*vars(module).values()]
            members += [member for kind in members if isinstance(kind, type) for member in vars(kind).values()]
            functions += [f for f in members if isinstance(f, FunctionType) and f.__module__ == name]
    return functions


def fuzz_by_coverage(target: Target, n: int, seed: int, keep: Path | None) -> int:
    """Run n inputs. libFuzzer ends the process: with status 0, or at the first input that fails, which it writes."""
    try:
        import atheris
    except ImportError:
        print("atheris is not installed: pip install atheris. Without it, leave --atheris out.", file=sys.stderr)
        return 2
    corpus = Path(tempfile.mkdtemp(prefix="saddleback-fuzz-"))
    for i, data in enumerate(target.seeds()):
        (corpus / f"seed-{i}").write_bytes(data)
    for function in own_functions():
        atheris.instrument_func(function)
    folder = keep or Path()
    folder.mkdir(parents=True, exist_ok=True)
    options = [f"-runs={n}", f"-seed={seed + 1}", "-max_len=20000", "-rss_limit_mb=6000", "-timeout=60"]
    options.append(f"-artifact_prefix={folder}/{target.name}-")
    atheris.Setup([sys.argv[0], *options, str(corpus)], lambda data: target.outcome(data) and None)
    atheris.Fuzz()
    return 0
