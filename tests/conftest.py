"""The marker of tests that depend on how a CPU rounds, the CPU that libraries are told to assume, and Hypothesis."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import settings

# The same examples in every run, so that a failure points to a change of the code. `pytest
# --hypothesis-profile=default` searches for new examples.
settings.register_profile("suite", derandomize=True, deadline=None)
settings.load_profile("suite")

HERE = Path(__file__).parent
# Whole runs of methods, solvers and kernels: `make test-portable` repeats them as other CPUs would compute them, except
# the geometries of the subproblem, which take half as long as all others together.
BLAS = (
    "engine/test_certificates.py",
    "engine/test_convexity.py",
    "engine/test_far_starts.py",
    "engine/test_recession.py",
    "engine/test_stopping.py",
    "engine/test_unbounded.py",
    "engine/test_unbounded_variants.py",
    "losses/grouped",
    "methods",
    "references",
    "subproblem",
    "theory",
    "test_result.py",
    "test_solve.py",
)
NOT_BLAS = ("subproblem/test_geometries.py",)

if os.environ.get("PIQP_BUILD"):
    # PIQP loads the build that piqp.instruction_set names; it has no other switch.
    instructions = ModuleType("piqp.instruction_set")
    instructions.__dict__.update(avx512f=False, avx2=os.environ["PIQP_BUILD"] == "avx2")
    sys.modules["piqp.instruction_set"] = instructions


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        path = item.path.relative_to(HERE).as_posix()
        if path.startswith(BLAS) and not path.startswith(NOT_BLAS):
            item.add_marker("blas")


def pytest_report_header() -> str:
    """The CPU features that the libraries use, which may differ from those they were told to."""
    import numba
    import numpy as np
    import piqp
    import scipy.linalg  # noqa: F401  (it brings a BLAS of its own)
    from threadpoolctl import threadpool_info

    blas = {info["architecture"] for info in threadpool_info() if "architecture" in info}
    simd = np.show_config(mode="dicts")["SIMD Extensions"].get("found", [])
    return (
        f"cpu: BLAS {', '.join(sorted(blas))}; NumPy {', '.join(simd) or 'baseline'}; "
        f"Numba {numba.config.CPU_NAME or 'host'}; PIQP {piqp.DenseSolver.__module__.rpartition('.')[2]}"
    )
