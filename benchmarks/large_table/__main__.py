"""`python -m benchmarks.large_table`: the section of the benchmark for a file of any size."""

from __future__ import annotations

import argparse

from ..render import section_text
from ..sections.large_table import report_of


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.large_table", description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--columns", type=int, default=50, help="besides the target")
    parser.add_argument("--repeats", type=int, default=3, help="rounds of what takes seconds")
    asked = parser.parse_args()
    report = report_of(asked.rows, asked.columns, asked.repeats)
    print(section_text({**report.to_dict(), "repeats": asked.repeats}, ""))
    for demand in report.demands:
        print(f"{'PASS' if demand.met else 'miss'}: {demand.what}: {demand.measured:.3g} ({demand.bound})")


if __name__ == "__main__":
    main()
