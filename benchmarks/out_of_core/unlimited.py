"""The same table without a limit: ``python -m benchmarks.out_of_core.unlimited PATH TOL``; prints JSON.

A `.npy` file is mapped, as it may be larger than memory; Parquet is loaded. Parameters w are read as JSON.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

import saddleback as sb


def main(path: Path, tol: float, w: Any) -> dict[str, Any]:
    """The values of the losses at w, and a solution."""
    X = np.load(path, mmap_mode="r") if path.suffix == ".npy" else _loaded(path)
    y, groups = np.load(path.parent / "y.npy"), np.load(path.parent / "groups.npy")
    losses = sb.GroupedLinear(X, y, groups)
    result = sb.solve(sb.Problem(losses), tol=tol)
    return {"values": losses.values(np.array(w)).tolist(), "value": result.value, "gap": result.gap}


def _loaded(path: Path) -> Any:
    import pyarrow.parquet as pq

    return np.column_stack([column.to_numpy() for column in pq.read_table(path).columns])


if __name__ == "__main__":
    print(json.dumps(main(Path(sys.argv[1]), float(sys.argv[2]), json.loads(sys.stdin.read()))))
