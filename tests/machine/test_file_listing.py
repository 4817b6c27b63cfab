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


@pytest.mark.parametrize(
    ("names", "missing"),
    [
        (("part-1-of-3", "part-2-of-3"), 3),
        (("part-00000-of-00003", "part-00001-of-00003"), 2),
        (("part-2-of-3", "part-3-of-3"), 1),
        (("x1_of_2",), 2),
        (("7OF8", "1OF8", "2OF8", "3OF8", "4OF8", "5OF8", "6OF8"), 8),
    ],
)
def test_a_missing_part_is_refused(tmp_path, names, missing):
    made(tmp_path, *(f"{name}.npy" for name in names))
    for path in (tmp_path, tmp_path / "*.npy"):
        with pytest.raises(sb.ProblemError, match=rf"parts of \d+, such as .*, and part {missing} is missing"):
            files_of(path, (".npy",))


@pytest.mark.parametrize("first", [0, 1])
def test_all_parts_are_there(tmp_path, first):
    names = [f"data-{first + k:02}-of-12.npy" for k in range(12)]
    made(tmp_path, *names)
    assert names_of(tmp_path) == names
    # A pattern may leave some of them out.
    assert names_of(tmp_path / "data-0[2-4]-of-12.npy") == [
        name for name in names if name[6] in "234" and name[5] == "0"
    ]
    assert names_of(tmp_path / "data-1*.npy") == [name for name in names if name[5] == "1"]


@pytest.mark.parametrize("names", [("a-1-of-2", "b-1-of-1"), ("part-1-of-1", "part-2-of-4"), ("a-1-of-2", "b")])
def test_parts_are_counted_by_the_rest_of_their_names(tmp_path, names):
    made(tmp_path, *(f"{name}.npy" for name in names))
    with pytest.raises(sb.ProblemError, match="named as parts of"):
        files_of(tmp_path, (".npy",))


def test_nothing_there(tmp_path):
    with pytest.raises(sb.ProblemError, match=r"is a folder without files \.npy or \.parquet"):
        files_of(tmp_path, (".npy", ".parquet"))
    made(tmp_path, "a.csv")
    with pytest.raises(sb.ProblemError, match=r"It holds 'a\.csv'"):
        files_of(tmp_path, (".npy",))
    with pytest.raises(sb.ProblemError, match="no file is named like"):
        files_of(tmp_path / "*.npy", (".npy",))
