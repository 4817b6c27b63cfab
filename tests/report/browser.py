"""The browser and axe-core, where they are installed; ``make browser`` installs them."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
HOW = "`make browser` installs it"


def find_browser() -> str | None:
    """The program: SADDLEBACK_BROWSER, or what is on the path."""
    named = os.environ.get("SADDLEBACK_BROWSER")
    return named or next(filter(None, map(shutil.which, PROGRAMS)), None)


def find_axe() -> Path | None:
    """The script of axe-core: SADDLEBACK_AXE, or that of .browser/node_modules."""
    named = os.environ.get("SADDLEBACK_AXE")
    path = Path(named) if named else ROOT / ".browser" / "node_modules" / "axe-core" / "axe.min.js"
    return path if path.is_file() else None


def why_not() -> str:
    """Why no page can be opened, or nothing."""
    try:
        import playwright.sync_api  # noqa: F401
    except ImportError:
        return "playwright is not installed: pip install playwright"
    return "" if find_browser() else f"no {PROGRAMS[0]} on the path; {HOW}"
