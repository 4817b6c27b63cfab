"""Files of all kinds as tables, and one clear line for each that is none."""

from __future__ import annotations

import gzip
import os

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from saddleback.errors import ProblemError
from saddleback.tabular import read_table
from saddleback.tabular.reading import csv_reading
from saddleback.tabular.reading.notes import notes_of


def written(folder, content, name="t.csv"):
    file = folder / name
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    return file


def read(folder, content, **options):
    return read_table(written(folder, content), **options).to_pydict()


def refused(folder, content, name="t.csv"):
    with pytest.raises(ProblemError) as caught:
        read_table(written(folder, content, name))
    text = str(caught.value)
    assert "\n" not in text
    return text


@pytest.fixture
def small_blocks(monkeypatch):
    """Files of some thousand rows take many blocks."""
    monkeypatch.setattr(csv_reading, "BLOCK_BYTES", 1 << 12)


def test_types(tmp_path):
    text = "whole,number,truth,word,day,gap\n1,1.5,true,a,2020-01-02,\n-2,3,false,b c,2020-02-03,\n"
    table = read_table(written(tmp_path, text))
    assert [str(kind) for kind in table.schema.types][:3] == ["int64", "double", "bool"]
    assert str(table.schema.field("day").type) == "date32[day]"
    assert table.column("word").to_pylist() == ["a", "b c"]
    assert table.column("gap").null_count == 2


def test_mark_quotes_line_ends_and_empty_lines(tmp_path):
    text = b'\xef\xbb\xbfa,b\r\n1,"x\r\ny"\r\n\r\n2,"say ""no"", please"\r\n'
    assert read(tmp_path, text) == {"a": [1, 2], "b": ["x\r\ny", 'say "no", please']}


@pytest.mark.parametrize(("separator", "word"), [(";", "semicolons"), ("\t", "tabs"), ("|", "vertical bars")])
def test_separators_are_found_and_told(tmp_path, separator, word):
    table = read_table(written(tmp_path, separator.join(["a", "b,c"]) + "\n" + separator.join(["1,5", "x"]) + "\n"))
    assert table.column_names == ["a", "b,c"]
    assert notes_of(table) == [f"The columns of the file are separated by {word}."]


@pytest.mark.parametrize("marker", ["", "?", "NA", "NaN", "null", "N/A", '""', "None"])
def test_markers_of_missing_values(tmp_path, marker):
    assert read(tmp_path, f"a,b\n1,x\n{marker},{marker}\n") == {"a": [1, None], "b": ["x", None]}


def test_codes_with_leading_zeros_stay_text(tmp_path):
    assert read(tmp_path, "zip,n\n00501,0\n10115,10\n") == {"zip": ["00501", "10115"], "n": [0, 10]}


@pytest.mark.parametrize(
    ("early", "late", "kind"),
    [
        ("1", "1.5", "double"),
        ("1", "x", "dict"),
        ("", "7", "dict"),
        ("true", "maybe", "dict"),
        ("2020-01-01", "x", "dict"),
    ],
)
def test_types_that_change_late(tmp_path, small_blocks, early, late, kind):
    rows = 5_000
    table = read_table(written(tmp_path, "a,b\n" + f"{early},1\n" * rows + f"{late},2\n"))
    assert str(table.schema.field("a").type).startswith(kind)
    assert table.num_rows == rows + 1
    assert str(table.column("a")[-1]) == late


def test_many_columns_that_change_late(tmp_path, small_blocks):
    names = [f"x{j}" for j in range(10)]
    text = ",".join(names) + "\n" + ("1," * 9 + "1\n") * 3_000 + ",".join(["x"] * 10) + "\n"
    table = read_table(written(tmp_path, text))
    assert [column[-1].as_py() for column in table.columns] == ["x"] * 10
    assert table.column("x3")[0].as_py() == "1"


@pytest.mark.parametrize("separator", [",", ";", "|"])
@pytest.mark.parametrize("ending", ["\n", "", " \r\n"])
def test_codes_late_in_the_file(tmp_path, small_blocks, separator, ending):
    text = f"a{separator}b\n" + f"1{separator}20\n" * 5_000 + f"3{separator}020{ending}"
    table = read_table(written(tmp_path, text))
    assert str(table.schema.field("a").type) == "int64"
    assert table.column("b")[0].as_py() == "20"
    assert table.column("b")[-1].as_py().strip() == "020"


def test_times_are_no_codes(tmp_path):
    table = read_table(written(tmp_path, "a,b\n" + "1,09:30\n" * 10 + "2,2020-05-01\n"))
    assert str(table.schema.field("a").type) == "int64"


def test_quotes_within_values(tmp_path):
    assert read(tmp_path, 'a,b\n5" pipe,1\nx,2\n') == {"a": ['5" pipe', "x"], "b": [1, 2]}


def test_columns_and_text(tmp_path):
    text = "a,b,c\n1,2,3\n"
    assert read(tmp_path, text, columns=["c", "a"]) == {"c": [3], "a": [1]}
    assert read(tmp_path, text, text=["b", "elsewhere"]) == {"a": [1], "b": ["2"], "c": [3]}
    with pytest.raises(ProblemError, match="there is no column 'd', which columns names"):
        read(tmp_path, text, columns=["d"])


def test_names(tmp_path):
    assert list(read(tmp_path, ", b ,c\n1,2,3\n")) == ["(column 1)", "b", "c"]
    assert "'a' more than once" in refused(tmp_path, "a,b, a\n1,2,3\n")


def test_long_rows(tmp_path, small_blocks):
    long = "x" * 300_000
    assert read(tmp_path, f"a,b\n{long},1\n") == {"a": [long], "b": [1]}


def test_compressed(tmp_path):
    text = b"a,b\n1,x\n2,y\n"
    file = written(tmp_path, gzip.compress(text), "t.csv.gz")
    assert read_table(file).to_pydict() == {"a": [1, 2], "b": ["x", "y"]}
    cut = gzip.compress(os.urandom(1000))[:-20]
    assert "cannot be unpacked" in refused(tmp_path, cut)
    assert "cannot be unpacked" in refused(tmp_path, b"\x1f\x8bnonsense")


def test_parquet(tmp_path):
    table = pa.table({"a": [1, 2], "b": ["x", None], "c": pa.array([1.5, None])})
    pq.write_table(table, tmp_path / "t.csv")
    assert read_table(tmp_path / "t.csv").to_pydict() == table.to_pydict()
    assert read_table(tmp_path / "t.csv", columns=["b"]).to_pydict() == {"b": ["x", None]}
    with pytest.raises(ProblemError, match="Did you mean 'b'"):
        read_table(tmp_path / "t.csv", columns=["B"])
    whole = (tmp_path / "t.csv").read_bytes()
    assert "damaged Parquet file" in refused(tmp_path, whole[:-1], "u")
    assert "damaged Parquet file" in refused(tmp_path, whole[:-8] + b"\xff\xff\xff\x7fPAR1", "u")
    assert "damaged Parquet file" in refused(tmp_path, b"PAR1", "u")


def test_missing_file(tmp_path):
    written(tmp_path, "a\n1\n", "people.csv")
    with pytest.raises(ProblemError, match=r"there is no file '.*peopel.csv'. Did you mean 'people.csv'\?"):
        read_table(tmp_path / "peopel.csv")
    with pytest.raises(ProblemError, match="There is no folder"):
        read_table(tmp_path / "nowhere" / "t.csv")
    with pytest.raises(ProblemError, match=r"is a folder.*It holds 'people.csv'"):
        read_table(tmp_path)
    with pytest.raises(ProblemError, match="must be the path of a file; got 3"):
        read_table(3)
    with pytest.raises(ProblemError, match=r"cannot be read|there is no file"):
        read_table("a\0b")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_no_permission(tmp_path):
    file = written(tmp_path, "a\n1\n")
    file.chmod(0)
    with pytest.raises(ProblemError, match="cannot be read: permission denied"):
        read_table(file)


def test_no_rows_where_they_are_not_needed(tmp_path):
    (tmp_path / "none.csv").write_text("a,b\n")
    table = read_table(tmp_path / "none.csv", empty=True)
    assert (table.num_rows, table.column_names) == (0, ["a", "b"])
    pq.write_table(pa.table({"a": pa.array([], pa.int64())}), tmp_path / "none.parquet")
    assert read_table(tmp_path / "none.parquet", empty=True).schema.types == [pa.int64()]
    with pytest.raises(ProblemError, match="1 columns and no rows"):
        read_table(tmp_path / "none.parquet")


def test_special_files(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ProblemError, match="not an ordinary file"):
        read_table(tmp_path / "pipe")


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "is empty"),
        (b"\n \n", "holds no text"),
        (b"a,b\n", "2 columns and no rows"),
        (b"\xef\xbb\xbfa;b", "2 columns and no rows"),
        (b"a,b\n1,2\n3\n", "has 1 values in line 3; expected 2"),
        (b'a,b\n1,2\n3,"4\n5,6\n', "has a quote in line 3 that is not closed"),
        (b'a,b\n1,2\n3,"4,5\n6,7\n8,9', "has a quote in line 3 that is not closed"),
        (
            b'a,b\n1,2\n"3,4\n5,6\n7,8\n',
            "has 1 values in line 3; expected 2, as many as there are names in the first line. Is a",
        ),
        (b'a,b\n"x\ny",2\n\n3,4,5\n', "has 3 values in line 5; expected 2"),
        ("a,b\nm\xfcller,1\n".encode("latin-1"), "not UTF-8 text (line 2). Convert it: iconv"),
        (b"a\n" + b"1\n" * 300_000 + b"\xff\n", "not UTF-8 text (line 300002)"),
        ("a,b\n1,2\n".encode("utf-16"), "iconv -f UTF-16LE"),
        (b"a\0b,c\n", "is not text"),
        (b"PK\x03\x04....", "an Excel or zip file"),
        (b"ARROW1\0\0", "an Arrow or Feather file"),
        (b"  <!doctype html>", "a web page"),
    ],
)
def test_files_that_are_refused(tmp_path, content, told):
    assert told in refused(tmp_path, content)


def test_an_error_does_not_depend_on_the_place_in_the_file(tmp_path, small_blocks):
    text = "a,b\n" + "1,2\n" * 8_000 + "3\n" + "1,2\n" * 10
    assert "has 1 values in line 8002" in refused(tmp_path, text)
