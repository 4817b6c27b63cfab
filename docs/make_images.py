"""Make the pictures of the documentation: ``python docs/make_images.py``."""

from __future__ import annotations

import sys
from pathlib import Path
from shutil import copy
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parents[1]


def main() -> None:
    sys.path.insert(0, str(ROOT / "examples"))
    import held_out

    with TemporaryDirectory() as directory:
        held_out.main(directory)
        copy(Path(directory) / "held_out.png", ROOT / "docs" / "images" / "held_out.png")


if __name__ == "__main__":
    main()
