"""What the repository may mention: no paths of one machine, no addresses but those listed here, and no large files."""

from __future__ import annotations

import re

import pytest

from .contents import LARGEST_FILE, ROOT, tracked_files

# Folders of one machine. As a regular expression this line does not match itself.
MACHINE_PATHS = re.compile(r"(?<![\w.~*)}])/(?:root|work|opt|home|Users|mnt)/\w[^\s`\"']*")
# A folder beside the repository, which a clone does not have.
OUTSIDE = re.compile(r"\.\./shared\b")
ADDRESSES = re.compile(r"\b(?:https?|ftp|ssh|git)://([\w.-]+)[^\s\"'`)>]*")
MAIL = re.compile(r"\b[\w.+-]+@[\w-]+(?:\.[\w-]+)+\b")

# Hosts that texts may name, each with its reason. Nothing is loaded from them.
HOSTS = {
    "keepachangelog.com": "the form of the changelog",
    "semver.org": "what version numbers mean",
    "huggingface.co": "the safetensors format",
    "www.w3.org": "the namespace of SVG",
    "localhost": "tests that serve a page to a browser",
    "127.0.0.1": "tests that serve a page to a browser",
}


def texts() -> dict[str, str]:
    """The tracked text files by name."""
    found = {}
    for name in tracked_files():
        content = (ROOT / name).read_bytes() if (ROOT / name).is_file() else b""
        if b"\0" not in content:
            found[name] = content.decode("utf-8")
    return found


@pytest.fixture(scope="module")
def tracked() -> dict[str, str]:
    found = texts()
    if not found:
        pytest.skip("this is no git repository, which would say what is tracked")
    return found


def places(tracked: dict[str, str], pattern: re.Pattern[str]) -> list[tuple[str, re.Match[str]]]:
    return [(name, match) for name, text in tracked.items() for match in pattern.finditer(text)]


@pytest.mark.parametrize("pattern", [MACHINE_PATHS, OUTSIDE, MAIL], ids=["paths", "outside", "mail"])
def test_nothing_of_one_machine_or_person(tracked, pattern):
    assert [f"{name}: {match[0]}" for name, match in places(tracked, pattern)] == []


def test_no_other_address(tracked):
    assert [f"{name}: {match[0]}" for name, match in places(tracked, ADDRESSES) if match[1] not in HOSTS] == []


def test_patterns_find_what_they_should():
    machine = "/".join(["", "root", "x.csv"])
    assert MACHINE_PATHS.search(f'read("{machine}")')
    assert not MACHINE_PATHS.search("docs/work/x and ~/work/x")
    assert ADDRESSES.findall("see https" + "://example.org/a and http" + "://b.net") == ["example.org", "b.net"]
    assert MAIL.search("write to someone" + "@" + "example.org")


def test_files_are_small(tracked):
    sizes = {name: (ROOT / name).stat().st_size for name in tracked_files() if (ROOT / name).is_file()}
    assert {name: size for name, size in sizes.items() if size > LARGEST_FILE} == {}


def test_generated_files_are_not_tracked():
    generated = ("dist", ".venv", ".venv-peers", ".browser", "reports", "docs/_build")
    for folder in generated:
        assert [name for name in tracked_files() if name.startswith(f"{folder}/")] == []
