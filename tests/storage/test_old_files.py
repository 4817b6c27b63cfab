"""Files of every version are read and predict what they did; each version has a folder, made by make_files.py."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

import saddleback as sb
from saddleback import storage
from storage.make_files import CHECKPOINT, losses, objects, said

FILES = Path(__file__).parent / "files"
FOLDERS = sorted(FILES.iterdir())
SAVED = [(folder.name, file.name) for folder in FOLDERS for file in sorted(folder.glob("*.safetensors"))]


def expected_of(folder):
    return json.loads((FILES / folder / "expected.json").read_text(encoding="utf-8"))


def assert_agree(got, wanted):
    """The same texts, and numbers up to how the CPU rounds a product of three numbers."""
    if isinstance(wanted, float):
        assert got == pytest.approx(wanted, rel=1e-12, abs=1e-12)
    elif isinstance(wanted, list):
        assert len(got) == len(wanted)
        for one, two in zip(got, wanted, strict=True):
            assert_agree(one, two)
    elif isinstance(wanted, dict):
        for name in wanted:
            assert_agree(got[name], wanted[name])
    else:
        assert got == wanted


def test_there_are_files_of_all_kinds():
    assert len(SAVED) >= 10
    assert {storage.load(FILES / folder / file).kind for folder, file in SAVED} == {"model", "path", "result"}
    assert all((folder / CHECKPOINT).exists() for folder in FOLDERS)


@pytest.mark.parametrize(("folder", "file"), SAVED)
def test_old_file(folder, file):
    expected = expected_of(folder)
    about = expected[file]
    loaded = sb.load(FILES / folder / file)
    assert type(loaded).__name__ == about.pop("class")
    assert storage.load(FILES / folder / file).written_by == expected["written_by"]
    assert_agree(said(loaded, about.pop("rows")), about)


@pytest.mark.parametrize("folder", [folder.name for folder in FOLDERS])
def test_old_checkpoint(folder, tmp_path):
    path = tmp_path / CHECKPOINT
    shutil.copy(FILES / folder / CHECKPOINT, path)
    result = sb.solve(sb.Problem(losses()), checkpoint=path, resume=True)
    assert result.success
    assert result.value == pytest.approx(expected_of(folder)[CHECKPOINT]["value"], abs=1e-6)


def test_this_version_has_a_folder():
    """Whoever changes the version number, or a format, adds a folder: python tests/storage/make_files.py FOLDER."""
    assert f"v{sb.__version__}" in [folder.name for folder in FOLDERS]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_what_is_written_today_is_what_the_folder_has(tmp_path):
    """The same names of parts, types and axes: a changed format needs another version number."""
    folder = FILES / f"v{sb.__version__}"
    for name, (item, _) in objects().items():
        file = f"{name.replace(' ', '-')}.safetensors"
        item.save(tmp_path / file)
        one, two = storage.load(tmp_path / file), storage.load(folder / file)
        assert one.version == two.version
        assert one.texts.keys() == two.texts.keys()
        described = [{name: (a.dtype, a.ndim) for name, a in stored.arrays.items()} for stored in (one, two)]
        assert described[0] == described[1], file
