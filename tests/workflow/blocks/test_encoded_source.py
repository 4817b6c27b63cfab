"""Rows that are encoded at every pass: the features of the table, in any order of asking."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pickle import dumps, loads
from shutil import copyfile

import numpy as np
import pytest

import saddleback as sb
from saddleback.losses.grouped.files.block_source import BlockSource
from saddleback.tabular import learn_encoding
from saddleback.tabular.reading import parquet_files
from saddleback.tabular.reading.parquet_files import ParquetFiles
from saddleback.workflow.blocks import encoded_source
from saddleback.workflow.blocks.encoded_cut import EncodedCut
from saddleback.workflow.blocks.encoded_source import EncodedSource
from saddleback.workflow.blocks.row_labels import read_labels
from saddleback.workflow.table_rows import rows_of

from ..tables import people_frame, people_parquet


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    return ParquetFiles.of(people_parquet(tmp_path_factory.mktemp("blocks") / "people", people_frame()))


@pytest.fixture(scope="module")
def encoding(files):
    return learn_encoding(files.table(), target="approved", groups=["sex", "race"])


@pytest.fixture(scope="module")
def X(files, encoding):
    return rows_of(encoding, files.table()).X


@pytest.fixture
def source(files, encoding, monkeypatch):
    """Blocks of 20 rows, pieces of 30 and cuts of one or two row groups of up to 70."""
    monkeypatch.setattr(parquet_files, "ROWS_AT_A_TIME", 30)
    monkeypatch.setattr(encoded_source, "BLOCK_ENTRIES", 20 * len(encoding.feature_names))
    return EncodedSource(cuts_of(files, encoding), encoding)


def cuts_of(files, encoding):
    cuts = files.cut(100)
    kept = read_labels(files, cuts, encoding.target, (), None).kept
    assert any(rows is not None for rows in kept)
    return [EncodedCut(c, k, c.n_rows if k is None else int(k.sum())) for c, k in zip(cuts, kept, strict=True)]


def test_blocks_are_the_rows_that_have_a_target(source, X):
    assert isinstance(source, BlockSource)
    blocks = [source.read(number) for number in range(len(source.lengths))]
    assert [len(block) for block in blocks] == list(source.lengths)
    assert (source.n_columns, source.dtype, len(source.names)) == (X.shape[1], np.float64, X.shape[1])
    np.testing.assert_array_equal(np.concatenate(blocks), X)
    np.testing.assert_array_equal(np.concatenate([cut.features(source.encoding) for cut in source.cuts]), X)


def test_blocks_of_a_section_have_equal_lengths_but_for_the_last(source):
    ends = [*source.sections[1:], len(source.lengths)]
    assert len(ends) == len(source.cuts) > 3
    for first, end in zip(source.sections, ends, strict=True):
        of_section = source.lengths[first:end]
        assert set(of_section[:-1]) <= {20}
        assert 0 < of_section[-1] <= 20
        assert [source.row(number) for number in range(first, end)] == list(range(0, 20 * len(of_section), 20))
    assert source.place(0).endswith("part-0.parquet")


def test_blocks_may_be_skipped_asked_for_again_and_read_by_threads(source, X):
    starts = np.cumsum([0, *source.lengths])
    order = [3, 5, 5, 1, 0, len(source.lengths) - 1, 2, 7]
    with ThreadPoolExecutor(3) as pool:
        for number, block in zip(order * 3, pool.map(source.read, order * 3), strict=True):
            np.testing.assert_array_equal(block, X[starts[number] : starts[number + 1]])
    copy = loads(dumps(source))
    np.testing.assert_array_equal(copy.read(4), source.read(4))


def test_a_file_that_was_written_anew_is_refused_by_name(files, encoding, tmp_path):
    for file in files.files:
        copyfile(file, tmp_path / file.name)
    copies = ParquetFiles.of(tmp_path)
    source = EncodedSource([EncodedCut(cut, None, cut.n_rows) for cut in copies.cut(1000)], encoding)
    source.read(0)
    copyfile(files.files[0], tmp_path / "part-1.parquet")
    with pytest.raises(sb.ProblemError, match=r"part-1\.parquet' has changed since it was opened"):
        source.read(1)


@pytest.mark.parametrize("more", [True, False])
def test_files_that_have_changed_are_refused_by_name(source, more):
    last = len(source.lengths) - 1
    *others, cut = source.cuts
    changed = replace(cut, files=replace(cut.files, group_rows=((cut.files.n_rows + (1 if more else -1),),)))
    with pytest.raises(sb.ProblemError, match=r"part-2\.parquet' has changed since its end was read"):
        EncodedSource([*others, replace(changed, kept=None)], source.encoding).read(last)
