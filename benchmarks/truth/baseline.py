"""Counts evaluations on well-conditioned tables with the imported release, as a reference for later releases.

PYTHONPATH=path/to/a/release/src python -m benchmarks.truth.baseline
"""

from __future__ import annotations

from ..writing import write_json
from .sections import tables


def main() -> None:
    write_json(tables.BASELINE, tables.evaluations())
    print(f"Written: {tables.BASELINE}")


if __name__ == "__main__":
    main()
