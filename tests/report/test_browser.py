"""The page as readers open it: with mouse and keyboard, on paper, on a phone, on a dark screen, without a script."""

from __future__ import annotations

from typing import Any

import pytest

from report.browser import HOW, find_axe
from report.cells import COLLECT, wrong_cells
from report.evidence_samples import HOSTILE, bare, evidence, without_numbers
from saddleback.report.names import visible

pytestmark = pytest.mark.slow

SAMPLES = {
    "classification": evidence(),
    "regression": evidence(task="regression"),
    "many classes": evidence(n_classes=4),
    "hostile names": evidence(len(HOSTILE), hostile=True),
    "bare": bare(),
    "no numbers": without_numbers(evidence()),
    "one group": evidence(1, 1),
    "many groups": evidence(120, 90),
}
PHONE = 360
STRUCTURE = """() => {
  const problems = [];
  const levels = Array.from(document.querySelectorAll("h1, h2, h3, h4")).map((h) => Number(h.tagName[1]));
  if (levels.filter((level) => level === 1).length !== 1) problems.push("h1");
  levels.forEach((level, i) => { if (i && level > levels[i - 1] + 1) problems.push("heading " + i); });
  for (const table of document.querySelectorAll("table")) {
    if (!table.caption || !table.caption.textContent.trim()) problems.push("caption of " + table.id);
    if (table.querySelector("th:not([scope])")) problems.push("scope in " + table.id);
    for (const row of table.tBodies[0].rows)
      if (row.cells.length !== table.tHead.rows[0].cells.length) problems.push("cells of " + table.id);
  }
  for (const svg of document.querySelectorAll("svg")) {
    if (svg.parentElement.closest("svg") || svg.getAttribute("aria-hidden") === "true") continue;
    const named = svg.querySelector("title") && svg.querySelector("desc");
    if (svg.getAttribute("role") !== "img" || !named) problems.push("svg");
  }
  const ids = Array.from(document.querySelectorAll("[id]")).map((e) => e.id);
  if (new Set(ids).size !== ids.length) problems.push("ids");
  for (const link of document.querySelectorAll("a"))
    if (!document.querySelector(link.getAttribute("href"))) problems.push(link.href);
  for (const tag of ["header", "nav", "main", "footer"])
    if (document.querySelectorAll(tag).length !== 1) problems.push(tag);
  return problems;
}"""


@pytest.mark.parametrize("name", SAMPLES)
def test_the_page_is_silent_well_made_and_its_numbers_are_those_of_the_json(name, open_page):
    page = open_page(SAMPLES[name])
    cells = page.evaluate(COLLECT)
    assert wrong_cells(SAMPLES[name], cells) == []
    assert len(cells) > 20
    assert page.evaluate(STRUCTURE) == []
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
    assert page.noise == []


@pytest.mark.parametrize("name", ["classification", "hostile names", "many groups"])
def test_the_phone_shows_all_without_moving_the_page_sideways(name, open_page):
    page = open_page(SAMPLES[name], width=PHONE)
    page.evaluate("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE


def bars(page: Any) -> list[list[str]]:
    """Widths of the bars, places of the bands, and the line of the chart."""
    return page.evaluate(
        """() => [
          ...Array.from(document.querySelectorAll("#bars tbody tr")).map((row) => [
            row.querySelector(".fill").getAttribute("width"), row.querySelector(".band").getAttribute("x"),
            row.querySelector(".band").getAttribute("width")]),
          [document.getElementById("tradeoff-cursor").getAttribute("x1")]]"""
    )


def test_the_slider_by_keyboard(open_page):
    data = SAMPLES["classification"]
    page = open_page(data)
    slider = page.get_by_label("Worst weight p")
    seen = [bars(page)]
    slider.focus()
    for key, index in {"ArrowRight": 3, "End": 6, "Home": 0, "ArrowUp": 1}.items():
        page.keyboard.press(key)
        weight = f"{data['tradeoff']['worst_weights'][index]:g}"
        assert slider.input_value() == str(index)
        assert slider.get_attribute("aria-valuetext") == weight
        assert page.locator("#worst-weight-value").inner_text() == weight
        assert (
            page.locator("#slider-sentence").inner_text().startswith(f"Worst weight {weight}: the group worst off is ")
        )
        assert wrong_cells(data, page.evaluate(COLLECT)) == []
        assert f"/tradeoff/losses/{index}/" in page.locator("#bars tbody tr").last.locator(
            "[data-ref]"
        ).first.get_attribute("data-ref")
        assert bars(page) not in seen
        seen.append(bars(page))
    page.get_by_role("button", name="Back to the chosen 0.1").press("Enter")
    assert slider.input_value() == "2"
    assert bars(page) == seen[0]
    assert page.locator("#slider-sentence").inner_text().startswith("Worst weight 0.1 (chosen): ")
    assert page.noise == []


def test_the_slider_by_mouse(open_page):
    page = open_page(SAMPLES["classification"])
    before = bars(page)
    page.locator("#worst-weight").scroll_into_view_if_needed()
    place = page.locator("#worst-weight").bounding_box()
    middle = place["y"] + place["height"] / 2
    page.mouse.click(place["x"] + place["width"] - 3, middle)
    assert page.locator("#worst-weight").input_value() == "6"
    clicked = bars(page)
    page.mouse.down()
    page.mouse.move(place["x"] + 3, middle, steps=5)
    page.mouse.up()
    assert page.locator("#worst-weight").input_value() == "0"
    assert len({str(state) for state in (before, clicked, bars(page))}) == 3


def test_bars_are_as_long_as_the_losses(open_page):
    data = SAMPLES["classification"]
    page = open_page(data)
    page.get_by_label("Worst weight p").press("End")
    widths = [float(row[0].rstrip("%")) for row in bars(page)[1:-1]]
    refs = page.locator("#bars tbody tr:not(.everyone) td:nth-of-type(2)").evaluate_all(
        "cells => cells.map((c) => c.dataset.ref)"
    )
    losses = [data["tradeoff"]["losses"][6][int(ref.split(" ")[0].split("/")[-1])] for ref in refs]
    ratios = [width / loss for width, loss in zip(widths, losses, strict=True)]
    assert max(ratios) - min(ratios) < 0.1


def test_print_opens_details_and_shows_the_chosen_point(open_page):
    from playwright.sync_api import expect

    page = open_page(SAMPLES["classification"])
    chosen = bars(page)
    page.get_by_label("Worst weight p").press("End")
    page.emulate_media(media="print")
    expect(page.locator("details:not([open])")).to_have_count(0)
    assert bars(page) == chosen
    assert not page.locator(".control").is_visible()
    assert page.locator("#candidates").is_visible()
    assert page.locator("#slider-sentence").inner_text().startswith("Worst weight 0.1 (chosen)")
    # No table is cut: with the width of an A4 sheet inside its margins nothing stands out.
    page.set_viewport_size({"width": 695, "height": 900})
    assert page.evaluate("document.documentElement.scrollWidth") <= 695
    assert page.pdf(prefer_css_page_size=True).startswith(b"%PDF")
    page.emulate_media(media="screen")
    expect(page.locator("details[open]")).to_have_count(0)
    assert page.locator("#worst-weight-value").inner_text() == "1"
    assert bars(page) != chosen


def test_dark_mode(open_page):
    ground = "getComputedStyle(document.body).backgroundColor"
    letters = "getComputedStyle(document.body).color"
    light, dark = (open_page(SAMPLES["classification"], color_scheme=scheme) for scheme in ("light", "dark"))
    assert light.evaluate(ground) == "rgb(255, 255, 255)"
    assert sum(map(int, dark.evaluate(ground)[4:-1].split(","))) < 150
    assert sum(map(int, dark.evaluate(letters)[4:-1].split(","))) > 600
    assert light.screenshot() != dark.screenshot()


def test_without_a_script_the_chosen_point_is_shown(open_page):
    data = SAMPLES["classification"]
    page = open_page(data, java_script_enabled=False)
    assert not page.locator("#worst-weight").is_visible()
    assert not page.locator(".filter").first.is_visible()
    assert page.locator("#slider-sentence").inner_text().startswith("Worst weight 0.1 (chosen)")
    assert page.locator("#bars .fill").count() == 6
    assert (
        page.locator("#bars tbody tr")
        .last.locator("[data-ref]")
        .first.get_attribute("data-ref")
        .startswith("/tradeoff/losses/2/")
    )
    page.locator("summary").first.click()
    assert page.locator("#candidates").is_visible()


def test_hostile_names_are_text(open_page):
    page = open_page(SAMPLES["hostile names"])
    page.get_by_label("Worst weight p").press("End")
    assert page.locator("script").count() == 2
    assert page.locator("img, iframe, object, b, i, a[href^='javascript']").count() == 0
    shown = page.locator("bdi").all_text_contents()
    for name in HOSTILE:
        clean = visible(name) or "(empty)"
        wanted = clean if len(clean) <= 64 else clean[:36] + "…"
        assert any(text.strip().startswith(wanted) for text in shown), wanted
    # Long names are told apart, and stand in full at the end.
    long = {text.strip() for text in shown if text.strip().startswith("xxxx")}
    assert len(long) >= 2
    assert "x" * 10_000 in page.locator("ul.long").text_content()
    assert page.noise == []


def test_nothing_can_be_loaded_or_added(open_page):
    page = open_page(SAMPLES["classification"])
    refused = page.evaluate(
        """async () => {
          const refused = [];
          document.addEventListener("securitypolicyviolation", (event) => refused.push(event.effectiveDirective));
          const image = document.createElement("img");
          image.src = "http://localhost/x.png";
          document.body.append(image);
          const script = document.createElement("script");
          script.textContent = "document.title = 'changed'";
          document.body.append(script);
          await fetch("http://localhost/").catch(() => {});
          await new Promise((done) => setTimeout(done, 0));
          return refused.sort();
        }"""
    )
    assert refused == ["connect-src", "img-src", "script-src-elem"]
    assert page.title() == SAMPLES["classification"]["title"]


def test_the_filter_leaves_the_rows_that_contain_a_text(open_page):
    page = open_page(SAMPLES["many groups"])
    page.locator("summary", has_text="Held-out rows: all 120 groups").click()
    page.locator("#groups-2-held_out-filter").fill("COUNTY 007")
    rows = page.locator("#groups-2-held_out tbody tr:visible")
    assert [text[:10] for text in rows.locator("th").all_inner_texts()] == ["Everyone"] + ["county 007"] * 4
    assert page.locator("#groups-2-held_out-filter ~ .found").inner_text() == "4 of 121 rows"
    page.locator("#groups-2-held_out-filter").fill("")
    assert rows.count() == 121


def test_blank_fields_are_seen_until_they_are_filled(open_page):
    page = open_page(SAMPLES["classification"])
    assert page.locator("#provenance .blank").all_inner_texts() == ["not filled in", "not filled in"]
    filled = evidence()
    filled["provenance"] |= {"purpose": "Credit decisions", "owner": "Model risk"}
    page = open_page(filled)
    assert page.locator(".blank").count() == 0
    assert "Credit decisions" in page.locator("#provenance").inner_text()


AXE = [("classification", "light", 1280), ("classification", "dark", 1280), ("classification", "light", PHONE),
       ("hostile names", "light", 1280), ("many groups", "dark", PHONE)]  # fmt: skip


@pytest.mark.parametrize(("name", "scheme", "width"), AXE)
def test_axe_finds_no_violation(name, scheme, width, open_page):
    script = find_axe()
    if script is None:
        pytest.skip(f"accessibility is not checked: axe-core is not there; {HOW}")
    page = open_page(SAMPLES[name], color_scheme=scheme, width=width, bypass_csp=True)
    page.evaluate("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
    page.add_script_tag(path=script)
    violations = page.evaluate("async () => (await axe.run(document, { resultTypes: ['violations'] })).violations")
    assert [f"{v['id']}: {v['nodes'][0]['html'][:200]} {v['nodes'][0]['failureSummary']}" for v in violations] == []


def test_500_groups_and_2000_features(open_page, tmp_path):
    data = evidence(500, 2_000)
    page = open_page(data)
    assert (tmp_path / "report.html").stat().st_size < 5_000_000
    page.get_by_label("Worst weight p").press("End")
    assert wrong_cells(data, page.evaluate(COLLECT)) == []
    assert page.locator("#bars tbody tr").count() == 41
    assert page.locator("#groups-2-held_out tbody tr").count() == 501
    assert page.locator("#coefficients-all tbody tr").count() == 2_001
    assert page.noise == []


def test_only_tables_that_can_be_moved_are_stops_of_the_keyboard(open_page):
    wide, phone = (open_page(SAMPLES["classification"], width=width) for width in (1600, PHONE))
    region = "[aria-labelledby=groups-2-held_out-caption]"
    assert wide.locator(region).get_attribute("tabindex") is None
    assert phone.locator(region).get_attribute("tabindex") == "0"
    # Closed details have no size before they are opened.
    hidden = phone.locator("[aria-labelledby=candidates-caption]")
    phone.locator("summary", has_text="candidates").click()
    hidden.focus()
    assert phone.evaluate("document.activeElement.getAttribute('aria-labelledby')") == "candidates-caption"


@pytest.mark.parametrize("name", ["classification", "regression", "many classes"])
def test_tables_of_groups_fit_a_screen_of_1200_pixels(name, open_page):
    page = open_page(SAMPLES[name], width=1200)
    wide = page.evaluate(
        """() => Array.from(document.querySelectorAll("#groups .scroll"))
          .filter((region) => !region.closest("details:not([open])") && region.scrollWidth > region.clientWidth + 1)
          .map((region) => region.getAttribute("aria-labelledby") + " " + region.scrollWidth)"""
    )
    assert wide == []


def test_very_long_details_are_printed_only_where_they_are_open(open_page):
    data = evidence()
    data["objective"]["candidates"] *= 3
    page = open_page(data)
    page.emulate_media(media="print")
    assert not page.locator("#candidates").is_visible()
    note = page.evaluate(
        "getComputedStyle(document.querySelector('details.on-screen > summary'), '::after').getPropertyValue('content')"
    )
    assert "not printed" in note
    page.emulate_media(media="screen")
    page.locator("details.on-screen > summary").first.click()
    page.emulate_media(media="print")
    assert page.locator("#candidates").is_visible()
