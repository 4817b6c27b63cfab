"""One point of the path in words, which the page reads aloud when the slider moves."""

from __future__ import annotations

from typing import Any

from ..formatting import code_with_error, write_number
from .source import Entry, Source


def sentence(source: Source, tradeoff: Entry, i: int, codes: tuple[str, str]) -> str:
    """The worst-off group and all rows at worst weight number i."""
    weight = write_number(tradeoff["worst_weights"][i], "g")
    first = write_number(tradeoff["worst_weights"][0], "g")
    chosen = " (chosen)" if tradeoff["chosen"] == i else ""
    known = [(value, j) for j, value in enumerate(tradeoff["losses"][i]) if value is not None]
    if not known:
        return f"Worst weight {weight}{chosen}: no held-out losses are known."
    value, j = max(known)
    worst = f"the group worst off is {source.isolated(tradeoff['groups'][j])}, loss "
    worst += _with_error(value, tradeoff["errors"][i][j], codes[0])
    if tradeoff.get("changes") is not None and i > 0:
        worst += f", {_against(tradeoff['changes'][i][j], _entry(tradeoff, 'change_errors', i, j), codes[1], first)}"
    whole = f"all rows: loss {_with_error(tradeoff['average'][i], tradeoff['average_errors'][i], codes[0])}"
    if tradeoff.get("average_changes") is not None and i > 0:
        errors = tradeoff.get("average_change_errors")
        whole += f", {_against(tradeoff['average_changes'][i], errors[i] if errors else None, codes[1], first)}"
    return f"Worst weight {weight}{chosen}: {worst}; {whole}."


def _entry(tradeoff: Entry, key: str, i: int, j: int) -> Any:
    return tradeoff[key][i][j] if tradeoff.get(key) is not None else None


def _against(value: float | None, error: float | None, code: str, first: str) -> str:
    return f"{_with_error(value, error, code)} against p = {first}"


def _with_error(value: float | None, error: float | None, code: str) -> str:
    own = code_with_error(code, error)
    return write_number(value, own) + (f" ({write_number(error, own.lstrip('+'))})" if error is not None else "")
