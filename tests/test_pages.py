"""The pages hold together: links and anchors lead somewhere, entry pages are short, the reference is complete."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import pytest
from documentation import DOCS, PAGES, ROOT, anchors, blocks, links
from report.evidence_samples import evidence

import saddleback
from saddleback.report.content.page import make_page

START = DOCS / "start"
# Addresses on the network that pages may name. No other is known to exist.
KNOWN_ADDRESSES = {
    "https://keepachangelog.com/en/1.1.0/",
    "https://semver.org/spec/v2.0.0.html",
    "https://huggingface.co/docs/safetensors",
}
# A reader copies at most this many lines before the first result.
FIRST_LINES = 10


def identify(value: object) -> str | None:
    return str(value.relative_to(ROOT)) if isinstance(value, Path) else None


def leads_somewhere(page: Path, target: str) -> bool:
    """An address that is known, or a file of the repository, with a heading where the link names one."""
    if re.match(r"[a-z]+:", target):
        return target in KNOWN_ADDRESSES
    path, _, anchor = target.partition("#")
    file = (page.parent / path).resolve() if path else page
    if not (file.exists() and file.is_relative_to(ROOT)):
        return False
    return not anchor or (file.suffix == ".md" and anchor in anchors(file))


@pytest.mark.parametrize("page", PAGES, ids=identify)
def test_links_lead_somewhere(page):
    assert [target for target in links(page) if not leads_somewhere(page, target)] == []


def test_dead_links_are_found(tmp_path):
    page = DOCS / "index.md"
    assert leads_somewhere(page, "guide.md#certificates")
    assert leads_somewhere(DOCS / "learning.md", "#groups")
    for dead in ("nowhere.md", "guide.md#nowhere", "#nowhere", "https:" + "//example.org/", "../../outside.md"):
        assert not leads_somewhere(page, dead), dead


def test_pages_are_found():
    names = {page.relative_to(ROOT).as_posix() for page in PAGES}
    assert names >= {"README.md", "CHANGELOG.md", "CONTRIBUTING.md", "docs/index.md", "docs/start/functions.md"}
    assert not any("_build" in name for name in names)


@pytest.mark.parametrize("page", sorted(START.glob("*.md")), ids=identify)
def test_an_entry_page_has_a_result_within_ten_lines(page):
    """Its output is compared with what the code prints by tests/test_documentation.py."""
    if page.name == "index.md":
        assert all(f"]({other.name})" in page.read_text(encoding="utf-8") for other in START.glob("[!i]*.md"))
        return
    first = blocks(page)[0]
    assert len(first.code.splitlines()) <= FIRST_LINES
    assert first.output.strip()


def documented() -> set[str]:
    """The names that the reference lists, with their rooms."""
    lines = (
        line for page in (DOCS / "api").glob("[!i]*.rst") for line in page.read_text(encoding="utf-8").splitlines()
    )
    return {line.strip() for line in lines if re.fullmatch(r"   [\w.]+", line)}


@pytest.mark.parametrize("room", ["saddleback", "learn", "losses", "report", "tabular", "testing"])
def test_the_reference_has_every_public_name(room):
    module = saddleback if room == "saddleback" else importlib.import_module(f"saddleback.{room}")
    names = {name for name in module.__all__ if name not in ("__version__", "testing")}
    if room == "saddleback":
        names |= {*saddleback._LEARN, *saddleback._WORKFLOW}
    found = documented()
    assert {name for name in names if name not in found and f"{room}.{name}" not in found} == set()


def test_reading_the_report_goes_through_its_sections():
    titles = [section.title for section in make_page(evidence()).sections]
    headings = re.findall(r"^## (.*)$", (DOCS / "reading_the_report.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert headings == [f"{i}. {title}" for i, title in enumerate(titles, 1)]


def test_pictures_are_small():
    for picture in (DOCS / "images").iterdir():
        assert picture.stat().st_size < 100_000, picture.name


def test_readme_fits_one_screen():
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 60


def test_changelog_names_the_version():
    assert f"## [{saddleback.__version__}]" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
