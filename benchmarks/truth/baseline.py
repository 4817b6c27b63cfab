"""Evaluations on well-conditioned tables by the code that is imported, for later releases to be compared with.

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
