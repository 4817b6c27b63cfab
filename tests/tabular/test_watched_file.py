"""Nothing holds a file after it was read: a thread of Arrow that does aborts a process that ends at once."""

from __future__ import annotations

import gc
import gzip

import pytest

from saddleback import ProblemError
from saddleback.tabular import read_table
from saddleback.tabular.reading import watched_file
from saddleback.tabular.reading.watched_file import WatchedFile

ROWS = "".join(f"{k},{k % 7},level {k % 3}\n" for k in range(20_000))


def held() -> int:
    # Not isinstance, which asks proxies of objects that are gone.
    return sum(type(one) is WatchedFile for one in gc.get_objects())


def test_threads_of_arrow_have_let_go_of_a_file_that_was_read(tmp_path):
    (tmp_path / "table.csv").write_text(f"a,b,c\n{ROWS}")
    for _ in range(40):
        assert read_table(tmp_path / "table.csv").num_rows == 20_000
        assert held() == 0


def test_a_file_that_cannot_be_read_is_not_waited_for(tmp_path, monkeypatch):
    monkeypatch.setattr(watched_file, "LONGEST_WAIT", 3.0)
    whole = gzip.compress(f"a,b,c\n{ROWS * 20}".encode(), 1)
    (tmp_path / "cut.csv.gz").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ProblemError) as refusal:
        read_table(tmp_path / "cut.csv.gz")
    assert "cut.csv.gz" in str(refusal.value)
    # The error and its traceback are still here.
    assert held() == 0


def test_what_is_read_as_another_type_after_all_is_let_go_of(tmp_path):
    lines = ROWS.splitlines(keepends=True)
    (tmp_path / "late.csv").write_text("a,b,c\n" + "".join(lines * 8) + "1,text,level 0\n")
    assert read_table(tmp_path / "late.csv").num_rows == 160_001
    assert held() == 0
