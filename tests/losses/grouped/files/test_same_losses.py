"""Losses of files are those of the same table in memory, and their bits depend neither on threads nor on memory."""

import copy
import pickle

import numpy as np
import pytest
import scipy.sparse as sp

import saddleback as sb
from saddleback.losses.grouped.tables.streamed_table import StreamedTable

from .samples import GROUPS, NAMES, OFFSET, WAYS, WEIGHTS, D, J, N, X, Y, arrow_table

W = np.random.default_rng(1).standard_normal((3, D + 1)) * 0.3
LAM = np.array([0.1, 0.0, 0.5, 0.4])


@pytest.fixture(scope="module")
def in_memory():
    return sb.GroupedLinear(X, Y, GROUPS, l2=0.1)


def assert_same(own, expected):
    np.testing.assert_allclose(own, expected, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("way", WAYS)
def test_everything_that_losses_are_asked_for(way, in_memory, tmp_path):
    losses = sb.GroupedLinear(WAYS[way](tmp_path), Y, GROUPS, l2=0.1)
    assert (losses.n_samples, losses.n_features, losses.n_entries) == (N, D, N * D)
    assert losses.group_names == in_memory.group_names
    assert losses.group_sizes.tolist() == in_memory.group_sizes.tolist()
    for own, expected in zip(losses.evaluate(W[0]), in_memory.evaluate(W[0]), strict=True):
        assert_same(own, expected)
    assert_same(losses.values(W[0]), in_memory.values(W[0]))
    for own, expected in zip(losses.evaluate_many(W), in_memory.evaluate_many(W), strict=True):
        assert_same(own, expected)
    assert_same(losses.hessian(W[0], LAM), in_memory.hessian(W[0], LAM))
    assert_same(losses.loss_hessians(W[0], [1, 3]), in_memory.loss_hessians(W[0], [1, 3]))
    # An upper bound of the smoothness constant, by Lanczos iterations that end within a tenth of it.
    assert losses.smoothness(slack=1.001) == pytest.approx(in_memory.smoothness(slack=1.001), rel=1e-3)
    # Samples of 2048 rows each: root mean squares are accurate to some percent.
    np.testing.assert_allclose(losses.parameter_scales(), in_memory.parameter_scales(), rtol=0.1)
    H = in_memory.sampled_hessian(W[0], LAM)
    np.testing.assert_allclose(losses.sampled_hessian(W[0], LAM), H, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("loss", ["squared", "softmax", "poisson"])
def test_weights_offsets_and_overlapping_groups(loss, tmp_path):
    path = WAYS["folder of npy"](tmp_path)
    groups = sp.csr_array(np.eye(J)[GROUPS] + np.eye(J)[(GROUPS + 1) % J] * (OFFSET > 0)[:, None])
    y = {"squared": X[:, 1] + OFFSET, "softmax": np.array(["b", "a", "c"])[GROUPS % 3], "poisson": GROUPS}[loss]
    offset = np.column_stack([OFFSET, -OFFSET, 0.1 * OFFSET]) if loss == "softmax" else OFFSET
    options = {"loss": loss, "sample_weight": WEIGHTS, "offset": offset}
    own, expected = (sb.GroupedLinear(table, y, groups, **options) for table in (path, X))
    w = np.random.default_rng(1).standard_normal(expected.n_params) * 0.1
    for a, b in zip(own.evaluate(w), expected.evaluate(w), strict=True):
        assert_same(a, b)
    assert_same(own.hessian(w, LAM), expected.hessian(w, LAM))
    for a, b in zip(own.evaluate_many([w, 0.5 * w]), expected.evaluate_many([w, 0.5 * w]), strict=True):
        assert_same(a, b)


def test_single_precision(tmp_path):
    np.save(tmp_path / "single.npy", X.astype(np.float32))
    own = sb.GroupedLinear(tmp_path / "single.npy", Y, GROUPS)
    expected = sb.GroupedLinear(X.astype(np.float32), Y, GROUPS)
    for a, b in zip(own.evaluate(W[0]), expected.evaluate(W[0]), strict=True):
        assert_same(a, b)


@pytest.mark.parametrize("way", ["npy", "Parquet"])
def test_bits_depend_on_the_table_alone(way, tmp_path):
    path = WAYS[way](tmp_path)
    answers = []
    for n_threads, memory in [(1, "1GB"), (2, "1GB"), (3, 1), (2, 50_000)]:
        losses = sb.GroupedLinear(sb.FileTable(path, memory=memory), Y, GROUPS, n_threads=n_threads)
        for _ in range(2):  # The second pass has plans from the first one, as far as memory allows.
            answers.append([*losses.evaluate(W[0]), losses.hessian(W[0], LAM), *losses.evaluate_many(W)])
    for answer in answers[1:]:
        assert all(map(np.array_equal, answer, answers[0]))


def test_a_solution_is_that_of_the_table_in_memory(in_memory, tmp_path):
    own = sb.solve(sb.Problem(sb.GroupedLinear(WAYS["npy"](tmp_path), Y, GROUPS, l2=0.1)), tol=1e-8)
    expected = sb.solve(sb.Problem(in_memory), tol=1e-8)
    assert own.gap <= 1e-8
    assert own.value == pytest.approx(expected.value, rel=1e-8)


def test_other_rows(tmp_path):
    path = WAYS["npy"](tmp_path)
    losses = sb.GroupedLinear(X[:1000], Y[:1000], GROUPS[:1000])
    own, expected = losses.on(path, Y, GROUPS), losses.on(X, Y, GROUPS)
    assert_same(own.values(W[0]), expected.values(W[0]))
    assert_same(own.margins(W[0]), expected.margins(W[0]))


def test_copies(tmp_path):
    losses = sb.GroupedLinear(WAYS["npy"](tmp_path), Y, GROUPS)
    for other in (pickle.loads(pickle.dumps(losses)), copy.deepcopy(losses)):
        assert np.array_equal(other.evaluate(W[0])[1], losses.evaluate(W[0])[1])


def test_named_columns(tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = arrow_table(
        y=np.array(["no", "yes"])[Y],
        race=pa.array(np.array(["p", "q", "r", "s"])[GROUPS]).dictionary_encode(),
        sex=np.array(["f", "m"])[(OFFSET > 0).astype(int)],
        weight=WEIGHTS,
        offset=OFFSET,
    )
    pq.write_table(table, tmp_path / "table.parquet", row_group_size=25_000)
    frame = table.to_pandas().astype({"race": str})
    own = sb.GroupedLinear(tmp_path / "table.parquet", "y", ["race", "sex"], sample_weight="weight", offset="offset")
    arguments = {"sample_weight": WEIGHTS, "offset": OFFSET}
    expected = sb.GroupedLinear(frame[NAMES], frame["y"], frame[["race", "sex"]], **arguments)
    assert own.feature_names == NAMES
    assert own.group_names == expected.group_names
    assert own.classes == ["no", "yes"]
    for a, b in zip(own.evaluate(W[0]), expected.evaluate(W[0]), strict=True):
        assert_same(a, b)
    one = sb.GroupedLinear(sb.FileTable(tmp_path / "table.parquet", columns=["x1", "y", "x0"]), "y", "race")
    assert one.feature_names == ["x1", "x0"]
    assert one.group_names == ["p", "q", "r", "s"]


class Generated:
    """A source of one's own: blocks that are made when they are read."""

    lengths, sections = (1000, 1000, 500, 800), (0, 3)
    n_columns, names, dtype = 2, ("a", "b"), np.dtype(np.float64)

    def read(self, number):
        return np.random.default_rng(number).standard_normal((self.lengths[number], 2))

    def place(self, number):
        return "the generator"

    def row(self, number):
        return sum(self.lengths[:number])


def test_a_source_of_ones_own():
    from saddleback.losses.grouped.partitions.streaming import streamed_features

    source = Generated()
    X = np.concatenate([source.read(number) for number in range(4)])
    y, groups = np.arange(len(X)) % 2, np.arange(len(X)) % 3
    features = streamed_features(source)
    assert features.lengths.tolist() == [2500, 800]
    own, expected = sb.GroupedLinear(features, y, groups), sb.GroupedLinear(X, y, groups)
    for a, b in zip(own.evaluate(np.ones(3)), expected.evaluate(np.ones(3)), strict=True):
        assert_same(a, b)
    assert own.feature_names == ["a", "b"]


def test_a_source_that_breaks_its_word(monkeypatch):
    monkeypatch.setattr(Generated, "read", lambda self, number: np.zeros((3, 2)))
    table = StreamedTable(Generated(), 0, 3)
    with pytest.raises(sb.ProblemError, match=r"block 0 of 'the generator' must be of shape \(1000, 2\)"):
        next(table.pieces())


def test_rows_as_losses_are_refused(tmp_path):
    with pytest.raises(sb.ProblemError, match="groups='rows' makes every row a loss"):
        sb.GroupedLinear(WAYS["npy"](tmp_path), Y, "rows")
