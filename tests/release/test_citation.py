"""The citation names this version and the paper that README names."""

from __future__ import annotations

import re

import pytest

import saddleback

from .contents import ROOT

CITATION = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
README = (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "line", ["cff-version: 1.2.0", "type: software", "license: BSD-3-Clause", f"version: {saddleback.__version__}"]
)
def test_lines_of_the_software(line):
    assert line in CITATION.splitlines()


def test_the_paper_is_the_one_of_the_readme():
    _, paper = CITATION.split("\nreferences:\n")
    authors = re.findall(r"family-names: (.+)", paper)
    assert authors == ["Lezane", "Langer", "Koolen"]
    (title,) = re.findall(r"title: (.+)", paper)
    assert title in README
    assert all(name in README for name in authors)
