"""The files of folders and patterns: their order, and what is missing among them."""

import pytest

import saddleback as sb
from saddleback.machine.file_listing import files_of, is_many


def made(folder, *names):
    for name in names:
        (folder / name).write_bytes(b"x")
    return folder


def names_of(path, suffixes=(".npy",)):
    return [file.name for file in files_of(path, suffixes)]


def test_numbers_count_as_numbers(tmp_path):
    made(tmp_path, *(f"part-{k}.npy" for k in (10, 2, 1, 0, 3, 4, 5, 6, 7, 8, 9)), "_SUCCESS", ".hidden.npy", "a.txt")
    expected = [f"part-{k}.npy" for k in range(11)]
    assert names_of(tmp_path) == names_of(tmp_path / "*.npy") == expected
    assert is_many(tmp_path)
    assert is_many(str(tmp_path / "*.npy"))
    assert not is_many(tmp_path / "part-1.npy")


def test_a_file_may_be_named_like_a_pattern(tmp_path):
    made(tmp_path, "a[1].npy")
    assert not is_many(tmp_path / "a[1].npy")


@pytest.mark.parametrize("numbers", [(0, 1, 3), (1, 2, 3, 5), (0, 2)])
def test_a_gap_is_refused(tmp_path, numbers):
    made(tmp_path, *(f"year2020-part{k:03}.npy" for k in numbers))
    with pytest.raises(sb.ProblemError, match=f"number {numbers[-1] - 1} is missing: 'year2020-part00"):
        files_of(tmp_path, (".npy",))


@pytest.mark.parametrize(
    "names",
    [("2019", "2021", "2024"), ("a1", "b3", "c9"), ("a-0-0", "a-0-1", "a-1-0", "a-2-5"), ("a", "b")],
)
def test_other_names_may_have_gaps(tmp_path, names):
    made(tmp_path, *(f"{name}.npy" for name in names))
    assert names_of(tmp_path) == [f"{name}.npy" for name in names]


def test_nothing_there(tmp_path):
    with pytest.raises(sb.ProblemError, match=r"is a folder without files \.npy or \.parquet"):
        files_of(tmp_path, (".npy", ".parquet"))
    made(tmp_path, "a.csv")
    with pytest.raises(sb.ProblemError, match=r"It holds 'a\.csv'"):
        files_of(tmp_path, (".npy",))
    with pytest.raises(sb.ProblemError, match="no file is named like"):
        files_of(tmp_path / "*.npy", (".npy",))
