"""Make the pictures of the documentation: ``python docs/make_images.py``."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def main() -> None:
    sys.path.insert(0, str(ROOT / "examples"))
    import mortgage

    data = mortgage.load()
    figure = mortgage.figure(data, mortgage.fit_average(data), mortgage.fit_worst_group(data))
    figure.savefig(ROOT / "docs" / "images" / "mortgage.png", dpi=110)


if __name__ == "__main__":
    main()
