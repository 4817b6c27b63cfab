"""JSON as an array of bytes: texts that are too long for the header."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import ProblemError
from .container import Array, Unreadable, parse_json

LARGEST_JSON = 32_000_000
"""In bytes: lists of a million names take about twenty million. Parsed JSON takes up to twenty times its length."""
FEW_LISTS, BYTES_PER_LIST = 10_000, 8
"""JSON has at most so many lists and tables, and one more for so many bytes: empty ones take thirty times their
length."""


def json_array(value: Any) -> NDArray[np.uint8]:
    """JSON in UTF-8 as an array of bytes, for `save`; a ProblemError where it is longer than `json_from` reads.

    Parameters
    ----------
    value : JSON
        Dicts with texts as keys, lists, texts, numbers, truth values and None. NaN and infinities are no JSON and are
        refused.

    Examples
    --------
    >>> from saddleback.storage import json_array, json_from
    >>> json_array(["a", 1])
    array([91, 34, 97, 34, 44, 49, 93], dtype=uint8)
    >>> json_from(json_array(["a", 1]), "names")
    ['a', 1]
    """
    try:
        text = json.dumps(value, separators=(",", ":"), allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise ProblemError(f"this is not JSON and cannot be stored: {error}.") from None
    if len(text) > LARGEST_JSON:
        raise ProblemError(f"JSON in a file must have at most {LARGEST_JSON} bytes; got {len(text)}, too long a list.")
    data = text.encode()
    if _has_many_lists(data):
        raise ProblemError(f"JSON in a file must be of few lists; got {len(text)} bytes with very many short ones.")
    return np.frombuffer(data, dtype=np.uint8)


def json_from(array: Array, name: str, max_bytes: int = LARGEST_JSON) -> Any:
    """The JSON that `json_array` has put into an array; a ProblemError in one line where it is not JSON, or too long.

    Parameters
    ----------
    array : array of bytes
        As read from a file, which may be hostile.
    name : str
        What it is called in messages.
    max_bytes : int
        Longer JSON is refused before it is parsed.
    """
    try:
        return parse_array(array, name, max_bytes)
    except Unreadable as reason:
        raise ProblemError(f"this file cannot be used: {reason}.") from None


def parse_array(array: Array, name: str, max_bytes: int = LARGEST_JSON) -> Any:
    """As `json_from`; Unreadable where it is not JSON."""
    if array.dtype != np.uint8 or array.ndim != 1:
        raise Unreadable(f"{name[:60]} must be JSON, an array of bytes; got {array.dtype} {array.shape}")
    if array.size > max_bytes:
        raise Unreadable(f"{name[:60]} must have at most {max_bytes} bytes of JSON; got {array.size}")
    data = array.tobytes()
    if _has_many_lists(data):
        raise Unreadable(f"{name[:60]} has too many lists for its {array.size} bytes")
    return parse_json(data, name[:60])


def _has_many_lists(data: bytes) -> bool:
    """Brackets in texts count as well: at most every eighth character of long JSON is one."""
    return data.count(b"[") + data.count(b"{") > FEW_LISTS + len(data) // BYTES_PER_LIST
