"""Bad input in partitions: one error that names what is wrong, before anything is solved."""

import dask
import dask.array as da
import dask.bag
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from distributed import Client

import saddleback as sb

from .tables import UNEQUAL, assert_same_facts, lazy, lazy_frame, table

X, Y, GROUPS = table()
N = len(X)
COLUMNS = list("abcde")
FRAME = pd.DataFrame(X, columns=COLUMNS).assign(y=Y, g=GROUPS)


def joined(*parts, dtype=np.float64, shape=None):
    """A Dask array of parts that may not be what Dask believes."""
    blocks = [da.from_delayed(dask.delayed(x, traverse=False), shape or x.shape, dtype) for x in parts]
    return da.concatenate(blocks)


def changed(x, row, value):
    """Another value in one row, which is in the last partition but one."""
    x = x.astype(object if isinstance(value, str) else float)
    x[row] = value
    return x


def files(folder, change=None, delete=None):
    """A data frame of four Parquet files, of which one is changed, or gone once the frame is made."""
    for k in range(4):
        part = FRAME.iloc[50 * k : 50 * (k + 1)]
        (change(part) if change and k == 2 else part).to_parquet(folder / f"part-{k}.parquet")
    frame = dd.read_parquet(folder)
    if delete is not None:
        (folder / f"part-{delete}.parquet").unlink()
    return frame


def of_frame(frame):
    return frame[COLUMNS], frame["y"], frame["g"]


def fail(x):
    raise OSError("the disk is gone")


NONE_LENGTHS = da.from_array(X, chunks=(50, 5))[lazy(X[:, 0], (50, 50, 50, 50, 1)) > 0]

ARRAYS = {
    "widths": (
        lambda: (joined(X[:100], X[100:, :4], shape=(100, 5)), Y[:200], GROUPS[:200]),
        r"every partition of X must have 5 columns; got one of shape \(101, 4\).*In partition 1 of 2",
    ),
    "chunks of columns": (
        lambda: (da.from_array(X, chunks=(50, 2)), Y, GROUPS),
        r"all of its columns in every chunk; got 3 chunks of columns. Call X.rechunk\(\{1: -1\}\)",
    ),
    "type of one block": (
        lambda: (joined(X[:100], X[100:].astype(np.float32)), Y, GROUPS),
        "the type that Dask was told, float64; got float32.*In partition 1 of 2",
    ),
    "text": (lambda: (joined(X[:100], X[100:].astype(str)), Y, GROUPS), "told, float64; got <U32"),
    "dimensions": (lambda: (da.zeros((N, 2, 2)), Y, GROUPS), "X must be a matrix.*of 3 dimensions"),
    "vector": (lambda: (lazy(X[:, 0]), Y, GROUPS), "X must be a matrix.*of 1 dimensions"),
    "bag": (lambda: (dask.bag.from_sequence([1, 2]), Y, GROUPS), "Dask array or a Dask data frame; got Bag"),
    "series": (lambda: (lazy_frame(FRAME["a"]), Y, GROUPS), "Dask array or a Dask data frame; got Series"),
    "delayed": (lambda: (dask.delayed(X), Y, GROUPS), r"got Delayed\w*\. Make it one by dask\.array\.from_delayed"),
    "delayed y": (
        lambda: (lazy(X), dask.delayed(Y), GROUPS),
        r"y must be a Dask array.*got Delayed\w*\. Pass y\.compute",
    ),
    "nan": (
        lambda: (lazy(np.where(np.arange(N)[:, None] == 180, np.nan, X)), Y, GROUPS),
        "X must be finite; got nan in row 10.*In partition 4 of 5, counted from 0; rows are counted from its first one",
    ),
    "masked": (
        lambda: (lazy(X).map_blocks(lambda x: np.ma.masked_greater(x, 1.0)), Y, GROUPS),
        r"masked entries.*In partition \d of 5",
    ),
    "empty": (
        lambda: (lazy(X[:0], (0, 0)), lazy(Y[:0], (0, 0)), lazy(GROUPS[:0], (0, 0))),
        "X must have at least one row; got 2 partitions without rows",
    ),
    "no columns": (lambda: (lazy(X[:, :0]), Y, GROUPS), "at least one row and one column"),
    "task": (
        lambda: (lazy(X).map_blocks(fail, dtype=float), Y, GROUPS),
        "could not be made; got OSError: the disk is gone. See to the files or the tasks",
    ),
    "lengths in memory": (lambda: (lazy(X), Y[:-1], GROUPS), "y must have one entry per row of X, 201; got 200"),
    "lengths": (lambda: (lazy(X), lazy(Y[:-1], (200,)), GROUPS), "y must have one entry per row of X, 201; got 200"),
    "lengths of partitions": (
        lambda: (NONE_LENGTHS, da.from_array(Y, chunks=50), GROUPS),
        r"y must have the partitions of X; got 50 rows for \d+ rows of X.*In partition \d of 5",
    ),
    "unknown lengths": (
        lambda: (NONE_LENGTHS, da.from_array(Y, chunks=100), GROUPS),
        r"y must have the partitions of X; got 3 for 5.*X.compute_chunk_sizes\(\)",
    ),
    "lazy y alone": (lambda: (X, lazy(Y), GROUPS), r"y is a Dask collection and X is not; got X of type ndarray"),
    "lazy groups alone": (lambda: (X, Y, lazy(GROUPS)), r"groups is a Dask collection and X is not.*groups.compute"),
    "rows": (lambda: (lazy(X), Y, "rows"), "got 'rows', whose Jacobian.*not distributed"),
    "a text": (lambda: (lazy(X), "yes", GROUPS), "y must have an entry per row of X; got str"),
    "a number": (lambda: (lazy(X), Y, 3), "groups must have an entry per row of X; got int"),
    "nothing": (lambda: (lazy(X), None, GROUPS), "y must have an entry per row of X; got NoneType"),
    "no groups": (lambda: (lazy(X), Y, None), "groups must have an entry per row of X; got NoneType"),
    "one class": (lambda: (lazy(X), lazy(np.full(N, "yes")), GROUPS), r"at least two classes; got only 'yes'\.$"),
    "three classes": (
        lambda: (lazy(X), lazy(np.where(np.arange(N) == 180, "so", Y)), GROUPS),
        "two classes for this loss; got 3: 'no', 'so', 'yes'",
    ),
    "types of labels": (
        lambda: (lazy(X), Y, joined(GROUPS[:100], GROUPS[100:].astype(str), dtype=int)),
        r"groups must be of one type in all partitions; got NumPy types of the kinds \['U', 'i'\]",
    ),
    "missing labels": (
        lambda: (lazy(X), Y, lazy(changed(GROUPS, 180, np.nan))),
        "groups must not hold missing labels; got .*nan.* in row 10.*In partition 4 of 5",
    ),
}


@pytest.mark.parametrize("case", ARRAYS)
def test_arrays(case):
    arguments, said = ARRAYS[case]
    with pytest.raises(sb.ProblemError, match=said):
        sb.GroupedLinear(*arguments())


OPTIONS = {
    "negative weight": (
        {"sample_weight": lazy(changed(np.ones(N), 180, -1.0))},
        "sample weights must be finite and >= 0; got -1 in row 10.*In partition 4 of 5",
    ),
    "group without weight": (
        {"sample_weight": lazy((GROUPS != 3).astype(float))},
        "every group must have a positive weight; got weight 0 for all rows of group 3",
    ),
    "shape of offset": ({"offset": lazy(np.zeros((N, 2)))}, r"offset must have one number per row of X.*\(70, 2\)"),
}


@pytest.mark.parametrize("case", OPTIONS)
def test_weights_and_offsets(case):
    options, said = OPTIONS[case]
    with pytest.raises(sb.ProblemError, match=said):
        sb.GroupedLinear(lazy(X), Y, lazy(GROUPS), **options)


def test_lazy_weights_of_rows_in_memory():
    with pytest.raises(sb.ProblemError, match="sample_weight is a Dask collection and X is not"):
        sb.GroupedLinear(X, Y, GROUPS, sample_weight=lazy(np.ones(N)))


FRAMES = {
    "missing file": ({"delete": 2}, r"could not be made; got FileNotFoundError.*part-2.parquet"),
    "integers": (
        {"change": lambda part: part.assign(a=1)},
        "column 'a' is of type int64, not float64: a file whose column has another type.*In partition 2 of 4",
    ),
    "text": ({"change": lambda part: part.assign(a="x")}, "column 'a' is of type .*, not float64"),
    "missing column": ({"change": lambda part: part.drop(columns="a")}, "could not be made; got KeyError.*'a'"),
}


@pytest.mark.parametrize("case", FRAMES)
def test_files(case, tmp_path):
    options, said = FRAMES[case]
    with pytest.raises(sb.ProblemError, match=said):
        sb.GroupedLinear(*of_frame(files(tmp_path, **options)))


def test_files_of_which_few_columns_are_read_keep_their_partitions(tmp_path):
    """Dask reads several files of few columns as one partition where it may, which y would be and X not."""
    frame = files(tmp_path)
    known = sb.GroupedLinear(*of_frame(FRAME.iloc[:200]))
    losses = sb.GroupedLinear(*of_frame(frame))
    assert losses._passes.residents.n_partitions == 4
    assert_same_facts(losses, known)


def test_an_empty_partition_is_fine():
    assert 0 in UNEQUAL
    assert sb.GroupedLinear(lazy(X), lazy(Y), lazy(GROUPS)).n_samples == N


def test_a_column_that_is_no_number_is_named_with_a_remedy_for_dask():
    with pytest.raises(sb.ProblemError, match=r"column 'y' of X must hold real numbers.*saddleback fit --scheduler"):
        sb.GroupedLinear(lazy_frame(FRAME), Y, GROUPS)
    frame = lazy_frame(FRAME)
    numbers = dd.get_dummies(frame.categorize())
    assert sb.GroupedLinear(numbers, Y, GROUPS).n_samples == N


def test_an_entry_that_is_missing_is_named_by_its_column():
    frame = lazy_frame(FRAME[COLUMNS].assign(b=np.where(np.arange(N) == 180, np.nan, FRAME["b"])))
    with pytest.raises(sb.ProblemError, match=r"got nan in row \d+, column 'b'\..*saddleback fit --scheduler.*fills"):
        sb.GroupedLinear(frame, Y, GROUPS)
    assert sb.GroupedLinear(frame.fillna(0.0), Y, GROUPS).n_samples == N


@pytest.mark.parametrize("case", ["widths", "nan", "task", "types of labels", "one class"])
def test_the_same_is_said_on_a_cluster(client, case):
    arguments, said = ARRAYS[case]
    with pytest.raises(sb.ProblemError, match=said):
        sb.GroupedLinear(*arguments())
    # Nothing is left on the workers, and the next losses are fine.
    assert sb.GroupedLinear(lazy(X), Y, GROUPS).n_samples == N


def test_an_asynchronous_client_is_refused(client):
    async def make():
        async with Client(client.scheduler.address, asynchronous=True):
            with pytest.raises(sb.ProblemError, match="the active Dask client is asynchronous"):
                sb.GroupedLinear(lazy(X), Y, GROUPS)

    client.sync(make)


def test_dasks_own_schedulers_are_obeyed(client):
    """Where Dask is told to compute in this process, it does, whatever client there is."""
    with dask.config.set(scheduler="synchronous"):
        losses = sb.GroupedLinear(lazy(X), Y, GROUPS)
    assert type(losses._passes.residents).__name__ == "InProcess"
    assert type(sb.GroupedLinear(lazy(X), Y, GROUPS)._passes.residents).__name__ == "OnWorkers"
