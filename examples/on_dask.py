"""
The same three lines on Dask
============================

A model of Parquet files whose rows stay on the workers of a Dask cluster: the model of the same rows in memory.

Run it with ``python examples/on_dask.py [ADDRESS]``; ADDRESS is that of a scheduler, and by default two workers are
started on this machine.

The files are made up: incomes of customers of two towns, where the income counts the other way in the small one.
Workers read the rows and keep them; for every evaluation they get the parameters, and return the losses of the groups
and their gradients. The certificate is that of rows in memory: no linear model has a lower objective by more than the
gap.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import saddleback as sb
from saddleback.distributed import connect, read_parquet

FILES, ROWS = 4, 5000


def write_files(folder: Path) -> None:
    """A folder of Parquet files of one table."""
    rng = np.random.default_rng(0)
    for number in range(FILES):
        income, age = rng.normal(3, 1, ROWS), rng.uniform(18, 80, ROWS)
        town = rng.choice(["large", "small"], ROWS, p=[0.8, 0.2])
        sign = np.where(town == "small", -0.5, 1.0)
        paid = sign * (income - 3) + (age - 50) / 20 + rng.logistic(size=ROWS) > 0
        table = pa.table({"income": income, "age": age, "town": town, "paid": np.where(paid, "yes", "no")})
        pq.write_table(table, folder / f"part-{number}.parquet", row_group_size=ROWS // 2)


def main(address: str) -> int:
    """Fit the model on a cluster and in memory; the exit status says whether both agree."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_files(folder)
        with connect(address, n_workers=2 if address == "local" else None) as client:
            frame = read_parquet(folder, rows_per_partition=ROWS)
            model = sb.MinimaxClassifier(0.5).fit(frame[["income", "age"]], frame["paid"], frame["town"])
            print(f"{len(frame):,} rows in {frame.npartitions} partitions on {len(client.nthreads())} workers")
        rows = pq.read_table(folder).to_pandas()
    here = sb.MinimaxClassifier(0.5).fit(rows[["income", "age"]], rows["paid"], rows["town"])
    for group, loss in zip(model.group_names_, model.group_losses_, strict=True):
        print(f"loss of town {group}: {loss:.4f}")
    print(f"certified gap: {model.gap_:.0e}")
    same = bool(np.allclose(model.coef_, here.coef_, rtol=1e-3))
    print(f"the model of the rows in memory: {same}")
    return 0 if same and model.certified_ else 1


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="A model of rows that are on a cluster.")
    parser.add_argument(
        "address",
        nargs="?",
        default="local",
        metavar="ADDRESS",
        help="of a scheduler; workers on this machine by default",
    )
    if status := main(parser.parse_args().address):
        raise SystemExit(status)
