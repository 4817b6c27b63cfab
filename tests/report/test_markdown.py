"""The model card: the content of the page, and names that stay text."""

from __future__ import annotations

import re

import pytest

from report.evidence_samples import HOSTILE, bare, evidence, without_numbers
from saddleback.report import render_markdown
from saddleback.report.content.page import make_page
from saddleback.report.markdown import escape

SAMPLES = {
    "classification": evidence(),
    "regression": evidence(task="regression"),
    "many classes": evidence(n_classes=4),
    "hostile names": evidence(len(HOSTILE), hostile=True),
    "bare": bare(),
    "no numbers": without_numbers(evidence()),
    "many groups": evidence(120, 90),
}


def cells(line: str) -> list[str]:
    return re.split(r"(?<!\\)\|", line.strip())[1:-1]


@pytest.mark.parametrize("name", SAMPLES)
def test_sections_stand_in_order_and_tables_are_tables(name):
    text = render_markdown(SAMPLES[name])
    titles = [section.title for section in make_page(SAMPLES[name]).sections]
    assert re.findall(r"^## \d+\. (.*)$", text, re.MULTILINE) == titles
    assert text.endswith("\n")
    assert "\n\n\n" not in text
    for block in text.split("\n\n"):
        lines = block.splitlines()
        if lines[0].startswith("| "):
            assert set("".join(cells(lines[1]))) <= set(":- ")
            assert len({len(cells(line)) for line in lines}) == 1, block[:300]


def test_hostile_names_are_text():
    text = render_markdown(SAMPLES["hostile names"])
    outside = re.sub(r"^(`{3,})text\n.*?^\1$", "", text, flags=re.MULTILINE | re.DOTALL)
    assert not re.search(r"<(?!/?$)", outside.replace("&lt;", ""))
    assert not re.search(r"(?<!\\)`", outside)
    assert not re.search(r"(?<!\\)\]\(", outside)
    assert not re.search("[\u202a-\u202e\u2028\u2029\x00-\x09\x0b-\x1f]", text)
    # Isolates are ours, and each is closed in its line.
    assert all(line.count("\u2068") == line.count("\u2069") for line in text.splitlines())


def test_numbers_are_those_of_the_page():
    text = render_markdown(SAMPLES["classification"])
    entry = SAMPLES["classification"]["groups"][1]["held_out"][0]
    row = next(line for line in text.splitlines() if line.startswith("| women"))
    assert cells(row)[1].strip() == f"{entry['rows']:,}"
    assert f"{entry['loss']:.3f} [{entry['loss_low']:.3f} to {entry['loss_high']:.3f}]" in row


def test_blank_fields_are_seen_until_they_are_filled():
    assert "- Purpose: (not filled in)\n- Owner: (not filled in)" in render_markdown(evidence())
    filled = evidence()
    filled["provenance"] |= {"purpose": "Credit | decisions", "owner": " "}
    text = render_markdown(filled)
    assert "- Purpose: Credit \\| decisions\n- Owner: (not filled in)" in text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a_b _c_", "a_b \\_c\\_"),
        ("<b>&amp;", "&lt;b&gt;&amp;amp;"),
        ("![x](y)", "\\!\\[x\\](y)"),
        ("\\|", "\\\\\\|"),
        ("http" + "://x", "http\\://x"),
    ],
)
def test_escape(text, expected):
    assert escape(text) == expected


def test_a_sentence_that_looks_like_a_list_is_none():
    data = evidence()
    data["limits"] = ["- not a list", "1. not a list", "# no title", "> no quote"]
    text = render_markdown(data)
    assert "- \\- not a list\n- 1\\. not a list\n- \\# no title\n- &gt; no quote" in text


def test_code_with_backticks_does_not_end_its_block():
    data = evidence()
    data["provenance"]["command"] = "echo ```` a\n# title"
    assert "`````text\necho ```` a\n# title\n`````" in render_markdown(data)
