"""Labels of many rows in few bytes: those of a table in memory."""

import numpy as np
import pyarrow as pa
import pytest

import saddleback as sb
from saddleback.learn.groups.reading import read_sensitive_features
from saddleback.tabular import learn_encoding, read_table
from saddleback.tabular.reading import parquet_files
from saddleback.tabular.reading.parquet_files import ParquetFiles
from saddleback.workflow.blocks import row_labels
from saddleback.workflow.blocks.coded_labels import CodedLabels, LabelReader, smallest_type
from saddleback.workflow.blocks.row_labels import read_labels, target_values
from saddleback.workflow.table_rows import rows_of

from ..tables import people_frame, people_parquet

GROUPS = ("sex", "race")


def test_labels_are_sorted_and_missing_ones_have_no_number():
    reader = LabelReader("town")
    reader.add(pa.chunked_array([["south", " west ", None]]), np.array([True, True, True]))
    reader.add(pa.chunked_array([["never", "1.0", "NA", "east"]]), np.array([False, True, True, True]))
    labels = reader.read()
    assert labels.categories == ["1", "east", "south", "west"]
    assert labels.codes.tolist() == [2, 3, -1, 0, -1, 1]
    assert labels.codes.dtype == np.int8
    assert labels.labels().tolist() == ["south", "west", None, "1", None, "east"]
    assert labels[np.array([0, 3])].labels().tolist() == ["south", "1"]


@pytest.mark.parametrize(("n", "kind"), [(127, np.int8), (128, np.int16), (2**15, np.int32)])
def test_numbers_are_as_small_as_they_can_be(n, kind):
    assert smallest_type(n) is kind


def test_estimators_read_them_as_they_read_the_labels():
    labels = CodedLabels(["a", "b", "c"], np.array([2, 0, -1, 2], dtype=np.int8))
    for crossed in (True, False):
        features = {"race": labels, "sex": ["f", "m", "f", "f"]}
        plain = features | {"race": labels.labels()}
        own, expected = (
            read_sensitive_features(each, 4, crossed=crossed, missing_groups="group") for each in (features, plain)
        )
        assert own.names == expected.names
        np.testing.assert_array_equal(own.numbers, expected.numbers)


@pytest.mark.parametrize("weight", [None, "income"])
def test_labels_of_many_files_are_those_of_one_table(weight, tmp_path, monkeypatch):
    monkeypatch.setattr(parquet_files, "ROWS_AT_A_TIME", 30)
    files = ParquetFiles.of(people_parquet(tmp_path / "people", people_frame()))
    encoding = learn_encoding(files.table(), target="approved", groups=GROUPS)
    rows = rows_of(encoding, files.table(), weight)
    cuts = files.cut(100)
    labels = read_labels(files, cuts, encoding.target, GROUPS, weight)
    assert len(cuts) > len(files.files)
    assert (len(labels), labels.left_out) == (len(rows), rows.left_out)
    assert encoding.target.class_array()[labels.y].tolist() == rows.y.tolist()
    assert {name: own.labels().tolist() for name, own in labels.groups.items()} == {
        name: own.tolist() for name, own in rows.groups.items()
    }
    assert (labels.weight is None and rows.weight is None) or labels.weight.tolist() == rows.weight.tolist()
    kept = [cut.n_rows if of is None else int(of.sum()) for cut, of in zip(cuts, labels.kept, strict=True)]
    assert sum(kept) == len(rows)


def test_every_value_of_a_target_is_known_but_those_of_numbers(tmp_path, monkeypatch):
    frame = people_frame()
    files = ParquetFiles.of(people_parquet(tmp_path / "people", frame))
    assert sorted(map(str, target_values(files, "approved").to_pylist())) == ["None", "no", "yes"]
    monkeypatch.setattr(row_labels, "MOST_VALUES", 50)
    assert target_values(files, "income") is None
    with pytest.raises(sb.ProblemError, match="target"):
        target_values(files, "aproved")


def test_a_target_that_is_missing_everywhere(tmp_path):
    frame = people_frame(90)
    target = learn_encoding(read_table(people_parquet(tmp_path / "a", frame)), target="approved").target
    files = ParquetFiles.of(people_parquet(tmp_path / "b", frame.assign(approved=pd_none(frame))))
    with pytest.raises(sb.ProblemError, match="the target 'approved' is missing in all 90 rows"):
        read_labels(files, files.cut(100), target, GROUPS, None)


def pd_none(frame):
    return frame["approved"].where(frame["approved"] == "neither", None)
