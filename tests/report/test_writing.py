"""Reports as files: complete or not there, and errors of one line."""

from __future__ import annotations

import errno
import json
import os

import pytest

from report.evidence_samples import evidence
from saddleback.errors import ProblemError
from saddleback.report import (
    check_evidence,
    check_place,
    render_html,
    render_json,
    render_markdown,
    write_report,
    writing,
)


@pytest.mark.parametrize(
    ("name", "render"),
    [("r.html", render_html), ("r.HTM", render_html), ("r.md", render_markdown), ("r.json", render_json)],
)
def test_the_suffix_decides(name, render, tmp_path):
    data = evidence()
    path = write_report(data, tmp_path / name)
    assert path.read_text(encoding="utf-8") == render(data)
    assert sorted(tmp_path.iterdir()) == [path]
    write_report(data, str(path))
    assert sorted(tmp_path.iterdir()) == [path]


def test_json_is_the_evidence_with_every_digit(tmp_path):
    data = evidence(16, hostile=True)
    text = render_json(data)
    assert json.loads(text) == data
    assert list(json.loads(text)) == list(data)
    assert text.endswith("}\n")
    assert check_evidence(json.loads(text)) == data


REFUSED = {
    "report.pdf": "path must end in .html (a page), .md (a model card) or .json (the numbers); got",
    "report": "must end in",
    "": "must name a file; got an empty path",
    "no/such/report.html": "there is no directory",
    "folder.html": "is a directory. Give the name of a file",
    "file.md/report.html": "is a file, not a directory",
    "x" * 300 + ".html": "not a possible path",
    "nul\0.html": "not a possible path",
}


@pytest.mark.parametrize("name", REFUSED, ids=range(len(REFUSED)))
def test_places_where_no_report_can_be_written(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder.html").mkdir()
    (tmp_path / "file.md").write_text("mine")
    with pytest.raises(ProblemError) as caught:
        write_report(evidence(), name)
    assert REFUSED[name] in str(caught.value)
    assert "\n" not in str(caught.value)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file.md", "folder.html"]


def test_a_path_is_a_text_or_a_path():
    with pytest.raises(ProblemError, match="path must be a path; got 3"):
        check_place(3)  # type: ignore[arg-type]


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write everywhere")
def test_no_permission(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(ProblemError, match="Permission denied"):
        write_report(evidence(), tmp_path / "report.html")


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EACCES])
def test_a_failed_write_leaves_the_old_report(number, tmp_path, monkeypatch):
    path = tmp_path / "report.md"
    path.write_text("the old one")

    def fail(*_):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr("saddleback.machine.files.os.replace", fail)
    with pytest.raises(ProblemError, match=f"report.md was not written: {os.strerror(number)}"):
        write_report(evidence(), path)
    assert path.read_text() == "the old one"
    assert sorted(tmp_path.iterdir()) == [path]


def test_wrong_evidence_writes_nothing(tmp_path):
    for suffix in writing.WRITERS:
        with pytest.raises(ProblemError, match="unknown key 'more'"):
            write_report(evidence() | {"more": 1}, tmp_path / f"report{suffix}")
    assert list(tmp_path.iterdir()) == []
