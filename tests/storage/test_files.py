"""Files are written as a whole or not at all, and what stands at their place is not lost."""

from __future__ import annotations

import errno
import os
import re
import stat
from pathlib import Path

import numpy as np
import pytest

import saddleback as sb
from saddleback import storage
from saddleback.storage.container import TYPES

TEXTS = {"class": "Something", "empty": "", "long": "x" * 5000, "unicode": "\u2603 \U0001f600 \n\t\"'\\"}
ARRAYS = {
    "matrix": np.arange(6.0).reshape(2, 3),
    "columns": np.asfortranarray(np.arange(6.0).reshape(2, 3)),
    "number": np.array(3.5),
    "none": np.empty((0, 4)),
    "special": np.array([np.nan, np.inf, -np.inf, -0.0, 5e-324]),
    "json": storage.json_array({"a": [1, None, "\u2603"]}),
    **{f"type {name}": np.array([0, 1, 1]).astype(name) for name in TYPES.values()},
}


def refused(action, *words):
    """The action fails with a ProblemError of one line that says these words."""
    with pytest.raises(sb.ProblemError) as caught:
        action()
    message = str(caught.value)
    assert "\n" not in message
    assert all(word in message for word in words), message


def test_texts_and_arrays_come_back(tmp_path):
    path = tmp_path / "file.safetensors"
    storage.save(path, "model", TEXTS, ARRAYS)
    stored = storage.load(path)
    assert (stored.kind, stored.version, stored.written_by) == ("model", 1, f"saddleback {sb.__version__}")
    assert stored.texts == TEXTS
    assert stored.arrays.keys() == ARRAYS.keys()
    for name, array in ARRAYS.items():
        assert stored.arrays[name].dtype == array.dtype
        assert np.array_equal(stored.arrays[name], array, equal_nan=array.dtype.kind == "f")
        assert stored.arrays[name].tobytes() == array.tobytes()
    assert [file.name for file in tmp_path.iterdir()] == ["file.safetensors"]


def test_arrays_of_another_byte_order(tmp_path):
    storage.save(tmp_path / "file", "model", {}, {"a": np.arange(3, dtype=">i4")})
    assert storage.load(tmp_path / "file").arrays["a"].tolist() == [0, 1, 2]


def test_the_same_contents_are_the_same_bytes(tmp_path):
    storage.save(tmp_path / "one", "result", TEXTS, ARRAYS)
    storage.save(tmp_path / "two", "result", dict(TEXTS), dict(reversed(ARRAYS.items())))
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_other_programs_read_the_file(tmp_path):
    from safetensors import safe_open

    storage.save(tmp_path / "file", "model", TEXTS, ARRAYS)
    with safe_open(tmp_path / "file", "numpy") as file:
        assert file.metadata()["class"] == "Something"
        assert np.array_equal(file.get_tensor("matrix"), ARRAYS["matrix"])


@pytest.mark.parametrize(
    ("texts", "arrays", "word"),
    [
        ({"format": "mine"}, {}, "'format'"),
        ({"sha256": ""}, {}, "'sha256'"),
        ({}, {"a": np.array(["text"])}, "'a'"),
        ({}, {"a": np.array([object()])}, "'a'"),
        ({}, {"a": np.zeros((1, 1, 1))}, "(1, 1, 1)"),
        ({}, {"a": np.array([1j])}, "complex128"),
        ({"a": "x" * 2_000_000}, {}, "too many parts"),
    ],
)
def test_contents_that_no_file_holds(tmp_path, texts, arrays, word):
    refused(lambda: storage.save(tmp_path / "file", "model", texts, arrays), word)
    assert not any(tmp_path.iterdir())


def test_unknown_kind(tmp_path):
    refused(lambda: storage.save(tmp_path / "file", "thing", {}, {}), "'thing'", "'model'")


def test_lone_surrogates_are_escaped(tmp_path):
    storage.save(tmp_path / "file", "model", {"a": "\ud800"}, {})
    assert storage.load(tmp_path / "file").texts == {"a": "\\ud800"}


# --- places -----------------------------------------------------------------------------------------------------------


def save(path):
    storage.save(path, "model", {"a": "new"}, {"b": np.ones(3)})


def test_a_file_of_ours_is_replaced_with_its_permissions(tmp_path):
    path = tmp_path / "file"
    storage.save(path, "result", {"a": "old"}, {})
    path.chmod(0o640)
    save(path)
    assert storage.load(path).texts == {"a": "new"}
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_an_empty_file_is_replaced(tmp_path):
    (tmp_path / "file").touch()
    save(tmp_path / "file")
    assert storage.load(tmp_path / "file").texts == {"a": "new"}


@pytest.mark.parametrize("content", [b"a,b\n1,2\n", b"PK\x03\x04 archive", b"\x10", b"\x02\0\0\0\0\0\0\0{}"])
def test_a_file_of_others_stays(tmp_path, content):
    path = tmp_path / "data.csv"
    path.write_bytes(content)
    refused(lambda: save(path), "data.csv is not a file of this program and stays as it is", "give another name")
    assert path.read_bytes() == content
    assert len(list(tmp_path.iterdir())) == 1


def test_the_file_that_a_link_names_is_written(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "file")
    (tmp_path / "circle").symlink_to(tmp_path / "circle")
    refused(lambda: save(tmp_path / "circle"), "not a possible path")
    save(tmp_path / "link")
    assert storage.load(tmp_path / "file").texts == {"a": "new"}
    storage.save(tmp_path / "link", "model", {"a": "by the link"}, {})
    assert (tmp_path / "link").is_symlink()
    assert storage.load(tmp_path / "file").texts == storage.load(tmp_path / "link").texts == {"a": "by the link"}


def test_places_where_no_file_can_be(tmp_path):
    refused(lambda: save(tmp_path), "is a directory")
    refused(lambda: save(tmp_path / "none" / "file"), "there is no directory", "create it first")
    refused(lambda: save(f"{tmp_path}/a\0b"), "not a possible path")
    refused(lambda: save(None), "path must be a path; got None")
    refused(lambda: save(tmp_path / ("x" * 300)), "not a possible path")
    (tmp_path / "file").touch()
    refused(lambda: save(tmp_path / "file" / "inside"), "director")
    assert [file.name for file in tmp_path.iterdir()] == ["file"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes have no names here")
def test_pipes_and_devices(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    refused(lambda: save(tmp_path / "pipe"), "is a pipe")
    refused(lambda: storage.load(tmp_path / "pipe"), "it is not a regular file")
    refused(lambda: save("/dev/null"), "is a device")
    refused(lambda: storage.load("/dev/zero"), "it is not a regular file")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write anywhere")
def test_no_permission(tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    save(folder / "file")
    (folder / "file").chmod(0o000)
    refused(lambda: storage.load(folder / "file"), "Permission denied")
    folder.chmod(0o500)
    refused(lambda: save(folder / "other"), "cannot write to")


def test_names_are_shown_in_one_line(tmp_path):
    refused(lambda: sb.load(tmp_path / "a\nb"), r"a\nb")


# --- failures while it is written -------------------------------------------------------------------------------------


@pytest.mark.parametrize("step", ["fsync", "replace"])
@pytest.mark.parametrize("old", [True, False])
def test_full_disk(tmp_path, monkeypatch, step, old):
    path = tmp_path / "file"
    if old:
        storage.save(path, "model", {"a": "old"}, {})

    def full(*arguments):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(os, step, full)
        refused(lambda: save(path), "was not written: No space left on device", "Nothing was changed")
    assert [file.name for file in tmp_path.iterdir()] == (["file"] if old else [])
    if old:
        assert storage.load(path).texts == {"a": "old"}


def test_a_limit_of_the_system(tmp_path):
    """The real thing: the system refuses the bytes after the first million."""
    resource = pytest.importorskip("resource", reason="this system has no such limits")
    path = tmp_path / "file"
    storage.save(path, "model", {"a": "old"}, {})
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, hard))
    try:
        refused(lambda: storage.save(path, "model", {}, {"a": np.ones(1_000_000)}), "was not written: File too large")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert [file.name for file in tmp_path.iterdir()] == ["file"]
    assert storage.load(path).texts == {"a": "old"}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not copied here")
def test_files_that_a_killed_process_has_left_are_removed(tmp_path, monkeypatch):
    path = tmp_path / "file"
    monkeypatch.setattr(os, "replace", lambda *arguments: os._exit(9))
    if (child := os.fork()) == 0:
        save(path)
    os.waitpid(child, 0)
    monkeypatch.undo()
    assert len(list(tmp_path.iterdir())) == 1
    assert not path.exists()
    save(path)
    assert [file.name for file in tmp_path.iterdir()] == ["file"]


# --- refusals by name -------------------------------------------------------------------------------------------------


def test_missing_file(tmp_path):
    refused(lambda: sb.load(tmp_path / "none"), "none cannot be loaded: it cannot be opened (No such file")
    refused(lambda: sb.load(tmp_path), "it is not a regular file")
    refused(lambda: sb.load(3.5), "path must be a path of a file; got 3.5")
    refused(lambda: sb.load("a\0b"), "not a possible path")


def test_other_kinds_are_named(tmp_path):
    save(tmp_path / "model")
    refused(lambda: storage.load(tmp_path / "model", ("result", "path")), "it is a model, not a result or a path")
    losses = sb.from_functions(lambda w: ([w @ w], [2 * w]), np.ones(2), jac=True)
    sb.solve(sb.Problem(losses), np.ones(2), checkpoint=tmp_path / "checkpoint")
    refused(lambda: sb.load(tmp_path / "checkpoint"), "it is a checkpoint, not a model", "resume=True")
    refused(
        lambda: sb.solve(sb.Problem(losses), np.ones(2), checkpoint=tmp_path / "model"),
        "is not a checkpoint of this program and stays as it is: it is a model",
    )
    refused(lambda: sb.solve(sb.Problem(losses), checkpoint=tmp_path / "model", resume=True), "it is a model")


def with_metadata(path: Path, change):
    """Change the texts of a header, and leave the rest as it is."""
    import json

    raw = path.read_bytes()
    n = int.from_bytes(raw[:8], "little")
    table = json.loads(raw[8 : 8 + n])
    change(table["__metadata__"])
    header = json.dumps(table).encode()
    path.write_bytes(len(header).to_bytes(8, "little") + header + raw[8 + n :])


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            {"version": "2", "written_by": "saddleback 9"},
            "version '2', written by saddleback 9.*a newer saddle",
        ),
        ({"version": "0"}, "format version '0'.*this one reads '1'"),
        ({"version": "1.0"}, "format version '1.0'"),
        ({"version": "\u0661"}, "format version '\u0661'"),
        ({"format": "pt"}, "a safetensors file of something else"),
        ({"written_by": "somebody\nelse"}, "checksum does not agree"),
        ({"class": "Else"}, "checksum does not agree"),
        ({"more": ""}, "checksum does not agree"),
        ({"sha256": "0" * 64}, "checksum does not agree"),
    ],
)
def test_changed_headers(tmp_path, change, words):
    path = tmp_path / "file"
    storage.save(path, "model", TEXTS, ARRAYS)
    with_metadata(path, lambda texts: texts.update(change))
    with pytest.raises(sb.ProblemError) as caught:
        storage.load(path)
    assert re.search(words, str(caught.value)), caught.value
    assert "\n" not in str(caught.value)


def test_a_tensor_file_of_another_program(tmp_path):
    from safetensors.numpy import save_file

    save_file({"a": np.ones(3)}, tmp_path / "file")
    refused(lambda: sb.load(tmp_path / "file"), "its header has no texts")
    save_file({"a": np.ones(3)}, tmp_path / "file", metadata={"format": "pt"})
    refused(lambda: sb.load(tmp_path / "file"), "a safetensors file of something else")
