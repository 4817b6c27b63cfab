"""Files that are damaged, that do not fit together or that change: one clear error each, with the name of the file."""

import os
import pickle

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import saddleback as sb

from .samples import GROUPS, N, X, Y, arrow_table

W = np.zeros(X.shape[1] + 1)


def refuses(path, message, error=sb.ProblemError):
    with pytest.raises(error, match=message):
        sb.GroupedLinear(path, Y, GROUPS)


def test_nothing_there(tmp_path):
    refuses(tmp_path / "missing.npy", r"missing\.npy' cannot be read: No such file")
    refuses(tmp_path, "is a folder without files .npy or .parquet or .pq")
    refuses(str(tmp_path / "*.npy"), "no file is named like")
    with pytest.raises(sb.ProblemError, match="path must be a file, a folder or a pattern; got int"):
        sb.FileTable(3)


def test_a_missing_file_in_the_middle(tmp_path):
    for k in (0, 1, 3):
        np.save(tmp_path / f"part-{k}.npy", X[:5])
    refuses(tmp_path, "number 2 is missing: 'part-1.npy' is followed by 'part-3.npy'")


def test_neither_format(tmp_path):
    (tmp_path / "table.npy").write_bytes(b"a,b\n1,2\n")
    refuses(tmp_path / "table.npy", "neither a .npy nor a Parquet file.*begins with b'a,b")
    (tmp_path / "empty.npy").touch()
    refuses(tmp_path / "empty.npy", "begins with b''")


def test_both_formats(tmp_path):
    np.save(tmp_path / "a.npy", X)
    pq.write_table(arrow_table(), tmp_path / "b.parquet")
    refuses(tmp_path, r"one format; '.*a.npy' is .npy and '.*b.parquet' is Parquet")


class Trap:
    def __reduce__(self):
        return os.mkdir, ("trap",)


@pytest.mark.parametrize("version", [(1, 0), (3, 0)])
def test_objects_are_never_loaded(version, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with open("table.npy", "wb") as file:
        np.lib.format.write_array(file, np.array([[Trap()]], dtype=object), version)
    refuses("table.npy", "holds Python objects, which are never loaded")
    assert not os.path.exists("trap")


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (np.zeros(5), r"must hold a matrix.*shape \(5,\)"),
        (np.zeros((2, 2), complex), "must hold real numbers; got entries of type complex128"),
        (np.array([["a"]]), "must hold real numbers; got entries of type <U1"),
        (np.zeros((2, 2), [("a", float)]), "must hold real numbers"),
        (np.zeros((0, 3)), r"at least one row and one column; got shape \(0, 3\)"),
        (np.zeros((3, 0)), r"at least one row and one column; got shape \(3, 0\)"),
    ],
)
def test_arrays_that_are_no_features(array, message, tmp_path):
    np.save(tmp_path / "table.npy", array)
    refuses(tmp_path / "table.npy", message)


@pytest.mark.parametrize("name", ["t.npy", "t.parquet"])
def test_no_features(name, tmp_path):
    write(tmp_path / name)
    table = sb.FileTable(tmp_path / name)
    refuses(table.drop(table.columns), rf"one column; got shape \({N}, 0\) of '.*{name}'\. Keep features")
    with pytest.raises(sb.ProblemError, match="one column; got shape"):
        sb.GroupedLinear(X, Y, GROUPS).on(table.drop(table.columns), Y, GROUPS)


def test_a_parquet_file_without_columns(tmp_path):
    pq.write_table(pa.table({}), tmp_path / "t.parquet")
    refuses(tmp_path / "t.parquet", r"one column; got shape \(0, 0\)")


def test_headers_that_lie(tmp_path):
    np.save(tmp_path / "table.npy", X)
    content = (tmp_path / "table.npy").read_bytes()
    (tmp_path / "short.npy").write_bytes(content[:-1])
    needed = f"short.npy' is cut off: an array of shape \\({N}, 20\\) takes {len(content)} bytes"
    refuses(tmp_path / "short.npy", needed)
    (tmp_path / "head.npy").write_bytes(content[:60])
    refuses(tmp_path / "head.npy", "head.npy' is no file in the format .npy")
    for shape in ("(-1, 20)", "(10**9, 10**9, )", "(1.5, 20)", "(True, 2)"):
        header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
        (tmp_path / "lie.npy").write_bytes(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode())
        with pytest.raises(sb.ProblemError, match=r"lie\.npy' is (no file in the format|cut off)"):
            sb.FileTable(tmp_path / "lie.npy")


def test_files_that_do_not_fit_together(tmp_path):
    np.save(tmp_path / "a.npy", X)
    np.save(tmp_path / "b.npy", X[:, 1:])
    refuses(tmp_path, "same columns; '.*b.npy' has 19 and '.*a.npy' has 20")
    np.save(tmp_path / "b.npy", X.astype(np.float32))
    refuses(tmp_path, "same type; '.*b.npy' has float32 and '.*a.npy' has float64")


def test_parquet_files_that_do_not_fit_together(tmp_path):
    pq.write_table(arrow_table(), tmp_path / "a.parquet")
    pq.write_table(arrow_table().drop(["x7"]), tmp_path / "b.parquet")
    refuses(tmp_path, r"b.parquet' lacks \['x7'\]")
    pq.write_table(arrow_table(more=Y), tmp_path / "b.parquet")
    refuses(tmp_path, r"b.parquet' has \['more'\] besides")
    table = arrow_table()
    pq.write_table(table.set_column(7, "x7", pa.array(Y)), tmp_path / "b.parquet")
    refuses(tmp_path, "the column 'x7' must have one type in all files; it is double in '.*a.parquet' and int64 in")


def test_damaged_parquet(tmp_path):
    pq.write_table(arrow_table(), tmp_path / "table.parquet")
    content = (tmp_path / "table.parquet").read_bytes()
    (tmp_path / "short.parquet").write_bytes(content[:-100])
    refuses(tmp_path / "short.parquet", "short.parquet' is a damaged Parquet file")
    (tmp_path / "middle.parquet").write_bytes(content[:10_000] + b"\xff" * 100_000 + content[110_000:])
    refuses(tmp_path / "middle.parquet", "middle.parquet' is a damaged Parquet file|X must be finite")


def test_numbers_that_are_not_finite(tmp_path):
    bad = X.copy()
    bad[50_000, 3] = np.nan
    np.save(tmp_path / "part-0.npy", X[:100])
    np.save(tmp_path / "part-1.npy", bad)
    refuses(tmp_path, r"got nan in row 50100, column 3\..*In block \d+ of \d+, rows \d+ to \d+ of '.*part-1.npy'")


def test_missing_entries_of_parquet(tmp_path):
    column = pa.array([None if k == 50_000 else float(k) for k in range(N)])
    pq.write_table(arrow_table().set_column(3, "x3", column), tmp_path / "t.parquet", row_group_size=20_000)
    filled = r"saddleback fit --out-of-core fills missing ones, in Python saddleback\.fit_table\("
    refuses(tmp_path / "t.parquet", rf"missing entry in column 'x3', row 50000 of '.*t.parquet'\. Impute.*{filled}")
    not_a_number = pa.array([np.nan if k == 50_000 else float(k) for k in range(N)])
    pq.write_table(arrow_table().set_column(3, "x3", not_a_number), tmp_path / "t.parquet", row_group_size=20_000)
    refuses(tmp_path / "t.parquet", rf"got nan in row 50000, column 'x3'\. Impute.*{filled}")
    pq.write_table(arrow_table().set_column(3, "x3", pa.nulls(N)), tmp_path / "t.parquet")
    refuses(tmp_path / "t.parquet", "column 'x3' must hold numbers or booleans; got values of type null")


def test_labels_are_counted_from_the_first_row_of_a_section(tmp_path):
    np.save(tmp_path / "t.npy", X)
    y = Y.astype(float)
    y[-1] = np.nan
    with pytest.raises(sb.ProblemError, match=rf"In rows \d+ to {N - 1}; rows are counted from its first one"):
        sb.GroupedLinear(tmp_path / "t.npy", y, GROUPS)
    refuses_lengths = r"y must have one entry per row of X, 60000; got 5"
    with pytest.raises(sb.ProblemError, match=refuses_lengths):
        sb.GroupedLinear(tmp_path / "t.npy", [0, 1, 0, 1, 1], GROUPS)


def test_no_regular_file(tmp_path):
    os.mkfifo(tmp_path / "pipe.npy")
    refuses(tmp_path / "pipe.npy", "pipe.npy' is no regular file")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_no_permission(tmp_path):
    np.save(tmp_path / "t.npy", X)
    (tmp_path / "t.npy").chmod(0)
    refuses(tmp_path / "t.npy", "t.npy' cannot be read: Permission denied")


def write(path, matrix=X):
    if path.suffix == ".npy":
        np.save(path, matrix)
    else:
        pq.write_table(arrow_table(matrix), path, row_group_size=20_000)


def truncated(path):
    os.truncate(path, path.stat().st_size // 2)


def rewritten(path):
    write(path, -X)
    os.utime(path, ns=(1, 1))


def replaced(path):
    write(path.with_name("other" + path.suffix))
    path.with_name("other" + path.suffix).rename(path)


def touched(path):
    os.utime(path, (86_400 * 365 + 43_200,) * 2)


def removed(path):
    path.unlink()


@pytest.mark.parametrize("name", ["t.npy", "t.parquet"])
@pytest.mark.parametrize("change", [truncated, rewritten, replaced, removed])
def test_a_file_that_changes_during_a_run(name, change, tmp_path):
    path = tmp_path / name
    write(path)
    losses = sb.GroupedLinear(path, Y, GROUPS, n_threads=2)
    before = losses.evaluate(W)[0]
    other = sb.GroupedLinear(pickle.loads(pickle.dumps(sb.FileTable(path))), Y, GROUPS, n_threads=2)
    np.testing.assert_array_equal(other.evaluate(W)[0], before)
    change(path)
    for _ in range(2):
        with pytest.raises(sb.ProblemError, match=rf"{name}' (has changed|has been removed|cannot be read: No such)"):
            losses.evaluate(W)


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (truncated, r"it had \d+ bytes and has \d+"),
        (touched, "it was written anew, or touched, at 1971-01-01 .*"),
        (replaced, "another file has its name"),
    ],
)
def test_what_has_changed(change, what, tmp_path):
    write(tmp_path / "t.parquet")
    table = sb.FileTable(tmp_path / "t.parquet")
    change(tmp_path / "t.parquet")
    refuses(table, rf"has changed since it was opened: {what}\. Open the table anew")
