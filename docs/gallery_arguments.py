"""The arguments that the gallery gives to each example: the folder for the files that it writes, if any."""

from __future__ import annotations

from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent / "_build" / "examples"


def give_folder(gallery_conf: dict[str, Any], script_vars: dict[str, Any]) -> list[str]:
    writes = "[DIRECTORY]" in Path(script_vars["src_file"]).read_text(encoding="utf-8")
    return [str(FOLDER)] if writes else []
