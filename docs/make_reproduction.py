"""Put a full reproduction into the documentation: ``python docs/make_reproduction.py reports/paper``.

Replaces the tables between the marks of docs/reproduction.md, and copies the figures and the CSV files.
"""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

from PIL import Image

DOCS = Path(__file__).resolve().parent
PAGE = DOCS / "reproduction.md"
TABLES = ("figure_a", "table_b", "table_c", "table_d", "table_e", "theory")
FIGURES = ("figure_a", "theory")
WIDTH, COLORS = 1200, 48


def main(measured: Path) -> None:
    page = PAGE.read_text(encoding="utf-8")
    for name in TABLES:
        page = fill(page, name, section(measured / f"{name}.md"))
        (DOCS / "reproduction").mkdir(exist_ok=True)
        shutil.copyfile(measured / f"{name}.csv", DOCS / "reproduction" / f"{name}.csv")
    for name in FIGURES:
        shrink(measured / f"{name}.png", DOCS / "images" / f"reproduction_{name}.png")
    PAGE.write_text(page, encoding="utf-8")


def shrink(picture: Path, place: Path) -> None:
    """A smaller copy of a picture: plots need few pixels and few colors."""
    image = Image.open(picture).convert("RGB")
    height = round(image.height * WIDTH / image.width)
    image.resize((WIDTH, height), Image.Resampling.LANCZOS).quantize(COLORS).save(place, optimize=True)


def section(file: Path) -> str:
    """The text of a table without its heading, with the path of its picture in the documentation."""
    text = re.sub(r"\A## .*\n", "", file.read_text(encoding="utf-8"))
    return re.sub(r"\((\w+)\.png\)", r"(images/reproduction_\1.png)", text).strip()


def fill(page: str, name: str, text: str) -> str:
    """The page with ``text`` between the marks of ``name``."""
    first, last = f"<!-- {name} -->", f"<!-- end of {name} -->"
    if page.count(first) != 1 or page.count(last) != 1:
        raise SystemExit(f"{PAGE.name}: expected the marks {first} and {last} once each.")
    before, rest = page.split(first)
    return f"{before}{first}\n\n{text}\n\n{last}{rest.split(last)[1]}"


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    main(Path(sys.argv[1]))
