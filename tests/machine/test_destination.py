"""Outputs are looked at before the work and replaced in one step."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from saddleback.errors import ProblemError
from saddleback.machine.destination import check_place, make_folder, write_file


def refused(path, **options):
    with pytest.raises(ProblemError) as caught:
        check_place(path, "--out", **options)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_a_path_that_can_be_written_is_returned_and_untouched(tmp_path):
    there = tmp_path / "model.safetensors"
    there.write_bytes(b"old")
    assert check_place(there, "--out", suffixes={".safetensors": ""}) == there
    assert there.read_bytes() == b"old"
    check_place(tmp_path / "new.safetensors", "--out")
    assert [path.name for path in tmp_path.iterdir()] == ["model.safetensors"]


def test_what_cannot_be_written_is_refused_by_name(tmp_path):
    (tmp_path / "file").write_text("x")
    assert "got an empty path" in refused("  ")
    assert "must be a path; got 3" in refused(3)
    assert "is not a possible path of a file (it holds a null" in refused("a\0b")
    assert "is a directory" in refused(tmp_path)
    assert "there is no directory" in refused(tmp_path / "no" / "model")
    assert "is a file, not a directory" in refused(tmp_path / "file" / "model")
    endings = {".html": "a page", ".htm": "a page", ".md": "a card"}
    assert "must end in .html (a page) or .md (a card); got" in refused(tmp_path / "page.pdf", suffixes=endings)
    assert "must end in .safetensors" in refused(tmp_path / "model", suffixes={".safetensors": ""})


def test_devices_and_inputs_are_not_replaced(tmp_path):
    (tmp_path / "data.csv").write_text("x")
    (tmp_path / "link.csv").symlink_to(tmp_path / "data.csv")
    for name in ("data.csv", "link.csv"):
        assert "which it would replace" in refused(tmp_path / name, inputs=[None, tmp_path / "data.csv"])
    if os.name == "posix":
        assert "is a device" in refused("/dev/full")


def test_the_file_that_a_link_names_is_written(tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "folder" / "file")
    write_file(check_place(tmp_path / "link", "--out"), lambda file: file.write(b"new"))
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "folder" / "file").read_bytes() == b"new"
    (tmp_path / "nowhere").symlink_to(tmp_path / "no" / "file")
    assert "there is no directory" in refused(tmp_path / "nowhere")


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="processes are asked for as in POSIX")
def test_what_a_killed_process_has_left_is_removed(tmp_path):
    subprocess.run([sys.executable, "-c", KILLED], cwd=tmp_path, check=False)
    assert len(list(tmp_path.iterdir())) == 1
    write_file(tmp_path / "out", lambda file: file.write(b"new"))
    assert [entry.name for entry in tmp_path.iterdir()] == ["out"]


KILLED = """
import os
from pathlib import Path
from saddleback.machine.files import atomic
with atomic(Path("out")) as file:
    os._exit(1)
"""


def test_folders_are_made(tmp_path):
    assert make_folder(tmp_path / "a" / "b", "--out").is_dir()
    make_folder(tmp_path / "a" / "b", "--out")
    (tmp_path / "file").touch()
    for path, said in (("", "must name a directory; got an empty path"), (tmp_path / "file", "cannot write to")):
        with pytest.raises(ProblemError, match=said):
            make_folder(path, "--out")


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
    assert "not a possible path of a file (File name too long)" in refused(tmp_path / ("x" * 300))


def test_a_failing_write_leaves_the_old_file(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"old")

    def fail(file):
        file.write(b"half")
        raise OSError(28, "No space left on device")

    with pytest.raises(ProblemError, match=r"file was not written: No space left on device. Nothing was changed"):
        write_file(path, fail)
    assert path.read_bytes() == b"old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["file"]
    write_file(path, lambda file: file.write(b"new"))
    assert path.read_bytes() == b"new"


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="limits of file sizes are POSIX")
def test_a_full_disk_is_one_error_and_nothing_is_left(tmp_path):
    """A limit on the size of files fails in the middle of a write, as a full disk does."""
    code = (
        "import resource\n"
        "from pathlib import Path\n"
        "from saddleback.machine.destination import write_file\n"
        "from saddleback.errors import ProblemError\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
        "try: write_file(Path('out'), lambda file: file.write(bytes(10**6)))\n"
        "except ProblemError as error: print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert "out was not written: File too large" in done.stdout
    assert list(tmp_path.iterdir()) == []
