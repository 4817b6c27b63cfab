"""Outputs are looked at before the work and replaced in one step."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from saddleback.errors import ProblemError
from saddleback.workflow.destination import check_destination, write_file


def refused(path, **options):
    with pytest.raises(ProblemError) as caught:
        check_destination(path, "--out", **options)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_a_path_that_can_be_written_is_returned_and_untouched(tmp_path):
    there = tmp_path / "model.safetensors"
    there.write_bytes(b"old")
    assert check_destination(there, "--out", suffixes=(".safetensors",)) == there
    assert there.read_bytes() == b"old"
    check_destination(tmp_path / "new.safetensors", "--out")
    assert [path.name for path in tmp_path.iterdir()] == ["model.safetensors"]


def test_what_cannot_be_written_is_refused_by_name(tmp_path):
    (tmp_path / "file").write_text("x")
    assert "got an empty path" in refused("  ")
    assert "null character" in refused("a\0b")
    assert "got the directory" in refused(tmp_path)
    assert "does not exist. Create it" in refused(tmp_path / "no" / "model")
    assert "is a file, not a directory" in refused(tmp_path / "file" / "model")
    assert "must end in .html, .md or .json" in refused(tmp_path / "page.pdf", suffixes=(".html", ".md", ".json"))
    assert "must end in .safetensors" in refused(tmp_path / "model", suffixes=(".safetensors",))


def test_devices_and_inputs_are_not_replaced(tmp_path):
    (tmp_path / "data.csv").write_text("x")
    (tmp_path / "link.csv").symlink_to(tmp_path / "data.csv")
    for name in ("data.csv", "link.csv"):
        assert "which it would replace" in refused(tmp_path / name, inputs=[None, tmp_path / "data.csv"])
    if os.name == "posix":
        assert "a device or a pipe" in refused("/dev/full")


@pytest.fixture
def nobody():
    """The rights of a user who owns nothing, also where the tests run as root."""
    if os.name != "posix":
        pytest.skip("users and permissions of POSIX")
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    yield
    os.seteuid(0)


def test_write_protected_places(tmp_path, monkeypatch, request):
    (tmp_path / "old").write_text("x")
    (tmp_path / "old").chmod(0o444)
    monkeypatch.chdir(tmp_path)
    tmp_path.chmod(0o555)
    request.getfixturevalue("nobody")
    assert "cannot write to new: Permission denied" in refused("new")
    assert "write-protected" in refused("old")


def test_names_that_the_system_refuses(tmp_path):
    assert "cannot write to" in refused(tmp_path / ("x" * 300))


def test_a_failing_write_leaves_the_old_file(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"old")

    def fail(file):
        file.write(b"half")
        raise OSError(28, "No space left on device")

    with pytest.raises(ProblemError, match=r"cannot write .*: No space left on device"):
        write_file(path, "--out", fail)
    assert path.read_bytes() == b"old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["file"]
    write_file(path, "--out", lambda file: file.write(b"new"))
    assert path.read_bytes() == b"new"


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="limits of file sizes are POSIX")
def test_a_full_disk_is_one_error_and_nothing_is_left(tmp_path):
    """A limit on the size of files fails in the middle of a write, as a full disk does."""
    code = (
        "import resource\n"
        "from pathlib import Path\n"
        "from saddleback.workflow.destination import write_file\n"
        "from saddleback.errors import ProblemError\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
        "try: write_file(Path('out'), '--out', lambda file: file.write(bytes(10**6)))\n"
        "except ProblemError as error: print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert "cannot write out: File too large" in done.stdout
    assert list(tmp_path.iterdir()) == []
