"""A table of several sections, in all of the ways in which files hold it."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

RNG = np.random.default_rng(0)
N, D, J = 60_000, 20, 4
X = RNG.standard_normal((N, D))
Y = (X[:, 0] + RNG.standard_normal(N) > 0.0).astype(int)
GROUPS = RNG.integers(0, J, N)
WEIGHTS = RNG.random(N)
OFFSET = RNG.standard_normal(N)
NAMES = [f"x{k}" for k in range(D)]


def arrow_table(X=X, **more):
    return pa.table({**{f"x{k}": X[:, k] for k in range(X.shape[1])}, **more})


def write_npy(folder):
    np.save(folder / "table.npy", X)
    return folder / "table.npy"


def write_fortran(folder):
    np.save(folder / "fortran.npy", np.asfortranarray(X))
    return folder / "fortran.npy"


def write_npy_folder(folder):
    for k, part in enumerate(np.split(X, [7, 30_000, 30_000])):
        np.save(folder / f"part-{k}.npy", part)
    return folder


def write_npy_pattern(folder):
    write_npy_folder(folder)
    (folder / "notes.txt").write_text("no table")
    return str(folder / "part-*.npy")


def write_parquet(folder):
    pq.write_table(arrow_table(), folder / "table.parquet", row_group_size=17_000)
    return folder / "table.parquet"


def write_parquet_folder(folder):
    table = arrow_table()
    for k, (first, last) in enumerate([(0, 7), (7, 30_000), (30_000, 30_000), (30_000, N)]):
        pq.write_table(table.slice(first, last - first), folder / f"part-{k}.parquet", row_group_size=50_000)
    return folder


WAYS = {
    "npy": write_npy,
    "Fortran order": write_fortran,
    "folder of npy": write_npy_folder,
    "pattern of npy": write_npy_pattern,
    "Parquet": write_parquet,
    "folder of Parquet": write_parquet_folder,
}
