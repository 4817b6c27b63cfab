"""Numbers of a page against the JSON, with a writer of numbers that shares no code with the package."""

from __future__ import annotations

from decimal import ROUND_HALF_EVEN, Decimal
from typing import Any

# Every element with data-ref: pointers (within a row relative to its data-base), format, number, interval or error.
COLLECT = """() => Array.from(document.querySelectorAll("[data-ref]")).map((cell) => {
  const row = cell.closest("[data-base]");
  const base = row ? row.dataset.base + "/" : "";
  const small = cell.querySelector("small");
  const whole = cell.textContent.trim();
  const aside = small ? small.textContent.trim() : "";
  const main = (aside ? whole.slice(0, whole.length - aside.length) : whole).trim();
  const refs = cell.dataset.ref.split(" ").map((ref) => ref.startsWith("/") ? ref : base + ref);
  return [refs, cell.dataset.format, main, aside];
})"""


def resolve(document: Any, pointer: str) -> Any:
    """The value at a JSON pointer (RFC 6901)."""
    for part in pointer.split("/")[1:]:
        key = part.replace("~1", "/").replace("~0", "~")
        document = document[int(key)] if isinstance(document, list) else document.get(key)
        if document is None:
            return None
    return document


def write(value: float | None, code: str) -> str:
    """A number as its format says, in exact decimal arithmetic."""
    if value is None:
        return "–"  # noqa: RUF001
    kind, digits = code.lstrip("+")[0], code.lstrip("+")[1:]
    if kind == "g":
        return f"{value:.6g}"
    exact = Decimal(value * 100 if kind == "p" else value)
    if kind == "e":
        text = f"{value:.{digits}e}"
    else:
        text = f"{exact.quantize(Decimal(1).scaleb(-int(digits or 0)), rounding=ROUND_HALF_EVEN):,f}"
    is_zero = not any(c in "123456789" for c in text.split("e")[0])
    text = text.lstrip("-") if is_zero else text
    return f"+{text}" if code.startswith("+") and value > 0 and not is_zero else text


def wrong_cells(evidence: dict[str, Any], cells: list[Any]) -> list[str]:
    """The cells whose text is not the number of the JSON."""
    found = []
    for refs, code, main, aside in cells:
        values = [resolve(evidence, ref) for ref in refs]
        texts = [write(value, code) for value in values]
        if len(refs) == 2:
            error = f"({write(values[1], code.lstrip('+'))})"
            expected = [texts[0], error]
        else:
            expected = [texts[0], " to ".join(texts[1:])]
        if set(texts[1:]) == {write(None, code)}:
            expected[1] = ""
        if [main, aside] != expected:
            found.append(f"{refs} {code}: {main!r} {aside!r}, expected {expected}")
    return found
