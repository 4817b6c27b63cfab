"""The checks of ``make dist`` find what is wrong with a wheel or a source distribution."""

from __future__ import annotations

import io
import tarfile
import zipfile
from email.message import Message
from email.parser import Parser

import pytest

import saddleback

from .contents import (
    LARGEST_FILE,
    NEEDED_CLASSIFIERS,
    NEEDED_IN_SDIST,
    different,
    metadata_complaints,
    package_files,
    read_sdist,
    read_wheel,
    sdist_complaints,
    version,
    wheel_complaints,
)

PACKAGE = ["saddleback/__init__.py", "saddleback/py.typed", "saddleback/report/page.html"]
INFO = "saddleback-9.9.9.dist-info"
META = [f"{INFO}/{name}" for name in ("METADATA", "RECORD", "WHEEL", "entry_points.txt", "licenses/LICENSE")]
WHEEL = dict.fromkeys([*PACKAGE, *META], b"")
SDIST = dict.fromkeys([*NEEDED_IN_SDIST, "PKG-INFO"], b"")


def test_the_version_is_that_of_the_package():
    assert version() == saddleback.__version__


def test_the_package_has_its_types():
    assert "saddleback/py.typed" in package_files()


def test_a_good_wheel():
    assert wheel_complaints(WHEEL, PACKAGE, "9.9.9") == []


@pytest.mark.parametrize("name", [*PACKAGE, *META])
def test_a_wheel_without_a_file(name):
    files = {other: content for other, content in WHEEL.items() if other != name}
    assert wheel_complaints(files, PACKAGE, "9.9.9") == [f"the wheel lacks {name}"]


@pytest.mark.parametrize("name", ["tests/test_solve.py", "docs/guide.md", "saddleback/learn/.DS_Store"])
def test_a_wheel_with_more_than_the_package(name):
    complaints = wheel_complaints({**WHEEL, name: b""}, PACKAGE, "9.9.9")
    assert complaints == [f"the wheel has {name}, which is no part of the package"]


def test_a_package_without_types():
    package = [name for name in PACKAGE if name != "saddleback/py.typed"]
    files = {name: content for name, content in WHEEL.items() if name != "saddleback/py.typed"}
    assert len(wheel_complaints(files, package, "9.9.9")) == 1


def test_a_large_file():
    large = {**WHEEL, PACKAGE[2]: bytes(LARGEST_FILE + 1)}
    assert wheel_complaints(large, PACKAGE, "9.9.9") == [f"{PACKAGE[2]} has 1000001 bytes; 1000000 are allowed"]


def test_source_distributions():
    assert sdist_complaints(SDIST, NEEDED_IN_SDIST) == []
    assert sdist_complaints(SDIST, []) == [], "without git nothing is said of tracked files"
    assert len(sdist_complaints({**SDIST, "notes.txt": b""}, NEEDED_IN_SDIST)) == 1
    assert len(sdist_complaints(SDIST, [*NEEDED_IN_SDIST, "docs/guide.md"])) == 1
    assert len(sdist_complaints({}, [])) == len(NEEDED_IN_SDIST)


def metadata(**changes: str | None) -> Message:
    fields = {
        "Name": "saddleback",
        "Version": "9.9.9",
        "Summary": "What it is.",
        "Author": "Who",
        "Keywords": "minimax",
        "License-Expression": "BSD-3-Clause",
        "License-File": "LICENSE",
        "Requires-Python": ">=3.11",
        "Description-Content-Type": "text/markdown",
    } | {key.replace("_", "-"): text for key, text in changes.items()}
    lines = [f"{key}: {text}" for key, text in fields.items() if text is not None]
    lines += [f"Classifier: {name}" for name in NEEDED_CLASSIFIERS]
    lines += [f"Provides-Extra: {name}" for name in ("cli", "learn", "report", "table")]
    lines += [f"Requires-Dist: package{k}" for k in range(6)] + ["Requires-Dist: typer; extra == 'cli'"]
    return Parser().parsestr("\n".join([*lines, "", "# Saddleback", "", "Models."]))


def test_good_metadata():
    assert metadata_complaints(metadata(), "9.9.9") == []


@pytest.mark.parametrize("key", ["Name", "Version", "Summary", "License_Expression", "Description_Content_Type"])
def test_missing_metadata(key):
    assert len(metadata_complaints(metadata(**{key: None}), "9.9.9")) == 1


def test_no_metadata_at_all():
    assert len(metadata_complaints(Parser().parsestr(""), "9.9.9")) > 10


def test_archives_are_read_by_names_and_bytes(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.whl", "w") as archive:
        archive.writestr("saddleback/py.typed", b"1")
    with tarfile.open(tmp_path / "a.tar.gz", "w:gz") as archive:
        member = tarfile.TarInfo("saddleback-9.9.9/docs/guide.md")
        member.size = 1
        archive.addfile(member, io.BytesIO(b"1"))
    assert read_wheel(tmp_path / "a.whl") == {"saddleback/py.typed": b"1"}
    assert read_sdist(tmp_path / "a.tar.gz") == {"docs/guide.md": b"1"}


def test_differences_of_archives():
    assert different({"a": b"1", "b": b"2"}, {"b": b"3", "c": b""}) == ["a", "b", "c"]
    assert different(WHEEL, dict(WHEEL)) == []
