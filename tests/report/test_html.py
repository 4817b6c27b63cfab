"""The page as text: nothing of the data becomes markup, nothing is loaded, and what is missing is said."""

from __future__ import annotations

import builtins
import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from report.evidence_samples import HOSTILE, evidence
from saddleback.errors import MissingDependencyError
from saddleback.report import html, render_html, render_markdown
from saddleback.report.json_text import script_json
from saddleback.report.schema import evidence as schema

ALLOWED_ADDRESSES = {"data:,"}


class Reader(HTMLParser):
    """Notes elements, attributes that lead somewhere or run something, and the texts of scripts."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.addresses: list[str] = []
        self.active: list[str] = []
        self.scripts: list[str] = []
        self.in_script = False

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.in_script = tag == "script"
        self.addresses += [
            value for name, value in attrs if name in ("href", "src", "xlink:href", "action") and value[:1] != "#"
        ]
        self.active += [name for name, _ in attrs if name.startswith("on") or name == "style"]

    def handle_data(self, data):
        if self.in_script:
            self.scripts.append(data)

    def handle_endtag(self, tag):
        self.in_script = False


@pytest.mark.parametrize("hostile", [False, True])
def test_elements_and_attributes_are_ours(hostile):
    reader = Reader()
    reader.feed(render_html(evidence(len(HOSTILE), hostile=hostile)))
    ours = Reader()
    ours.feed(render_html(evidence()))
    assert reader.tags == ours.tags
    assert set(reader.addresses) == ALLOWED_ADDRESSES
    assert reader.active == []
    assert len(reader.scripts) == 2
    data = json.loads(reader.scripts[0])
    assert len(data["steps"]) == 7


def test_the_policy_allows_the_page_s_own_style_and_script_only():
    text = render_html(evidence())
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)[1].replace("&#39;", "'")
    parts = dict(part.strip().split(" ", 1) for part in policy.split(";"))
    assert parts["default-src"] == "'none'"
    assert parts["style-src"].startswith("'sha256-")
    assert parts["script-src"].startswith("'sha256-")
    assert "unsafe" not in policy
    assert "://" not in re.sub(r"<pre.*?</pre>", "", text, flags=re.DOTALL)


def test_json_in_a_script_cannot_end_it():
    data = {"name": "</script><!-- & \u2028\u2029 \x00"}
    text = script_json(data)
    assert not set(text) & set("<>&\u2028\u2029\x00")
    assert json.loads(text) == data


def test_templates_of_names_are_not_run():
    data = evidence()
    data["title"] = "{{ 7 * 7 }} {% for x in y %}"
    text = render_html(data)
    assert "<bdi>{{ 7 * 7 }} {% for x in y %}</bdi>" in text


def test_the_same_evidence_gives_the_same_page():
    assert render_html(evidence(20, hostile=True)) == render_html(evidence(20, hostile=True))


def test_without_jinja2_the_error_says_what_to_install(monkeypatch):
    html._template.cache_clear()
    real = builtins.__import__

    def without(name, *rest):
        if name == "jinja2":
            raise ImportError("no jinja2")
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MissingDependencyError, match=r"saddleback\[report\].*\.\[report\]"):
        render_html(evidence())
    assert render_markdown(evidence()).startswith("# Loan approval")


def test_a_page_of_500_groups_and_2000_features_is_small():
    assert len(render_html(evidence(500, 2_000)).encode()) < 5_000_000


def test_head_figures_of_a_kept_baseline_show_its_losses():
    changed, kept = evidence(), evidence()
    kept["challengers"][1] |= {"difference": 0.0, "difference_error": 0.0, "average_difference": 0.0}
    assert "Change for all rows" in render_html(changed)
    assert "Change for all rows" not in render_html(kept)
    assert "Held-out loss of all rows" in render_html(kept)


def test_every_outcome_has_a_badge_that_the_guide_explains():
    guide = (Path(__file__).parents[2] / "docs" / "reading_the_report.md").read_text(encoding="utf-8")
    for outcome in schema.OUTCOMES:
        text = render_html(evidence() | {"outcome": outcome})
        badge = re.search(r'class="badge">([^<]*)<', text)[1]
        assert f"| {badge} |" in guide
    kept = render_html(evidence() | {"outcome": "nothing to gain", "baseline": "your model"})
    assert "Nothing to gain: your model is kept" in kept
