"""Changes of bytes at random: fast, and the same for the same seed and number."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

# What readers stumble over: ends, separators, quotes, markers, numbers out of range, broken characters.
_LAYOUT = rb'\0 \n \r\n \r " "" , ; \t | { } [ ] : \xff \xff\xfe \xef\xbb\xbf \xe2\x80 \xf0\x9f\x98\x80 PAR1 \x1f\x8b'
_VALUES = rb"? NA nan inf -inf 1e999 - 0 007 1,234 9223372036854775808 1e308 -1e308 true 2020-02-30 12:61 null Infinity"
_WORDS = rb"(other) (missing) NaN \\u0000 \\ud800"
TOKENS = [token.decode("unicode_escape").encode("latin-1") for token in b" ".join((_LAYOUT, _VALUES, _WORDS)).split()]
TOKENS += [b" ", b"1" * 400]
EDGES = (0, 1, -1, 0x7F, 0x80, 0xFF, 0x7FFF, 0xFFFF, 0x7FFFFFFF, 0xFFFFFFFF, 0x7FFFFFFFFFFFFFFF, -0x8000000000000000)
# Changes made to one input: one mostly, as many leave nothing that a reader accepts.
MOST_CHANGES = 6


def mutated(seeds: list[bytes], seed: int, number: int) -> bytes:
    """The input of this number."""
    random = Random(f"{seed}-{number}")
    data = bytearray(random.choice(seeds))
    for _ in range(min(1 + int(random.expovariate(1.0)), MOST_CHANGES)):
        random.choice(CHANGES)(data, random, seeds)
    return bytes(data)


def _place(data: bytearray, random: Random) -> int:
    return random.randrange(len(data) + 1)


def _span(data: bytearray, random: Random, most: int = 64) -> tuple[int, int]:
    start = _place(data, random)
    return start, min(len(data), start + 1 + random.randrange(most))


def flip_bit(data: bytearray, random: Random, seeds: list[bytes]) -> None:
    if data:
        data[random.randrange(len(data))] ^= 1 << random.randrange(8)


def set_byte(data: bytearray, random: Random, seeds: list[bytes]) -> None:
    if data:
        data[random.randrange(len(data))] = random.randrange(256)


def insert_token(data: bytearray, random: Random, seeds: list[bytes]) -> None:
    place = _place(data, random)
    data[place:place] = random.choice(TOKENS)


def overwrite_token(data: bytearray, random: Random, seeds: list[bytes]) -> None:
    place, token = _place(data, random), random.choice(TOKENS)
    data[place : place + len(token)] = token


def overwrite_integer(data: bytearray, random: Random, seeds: list[bytes]) -> None:
    width = random.choice((1, 2, 4, 8))
    place, value = _place(data, random), random.choice(EDGES)
    order = "little" if random.random() < 0.8 else "big"
    data[place : place + width] = (value % (1 << (8 * width))).to_bytes(width, order)  # type: ignore[arg-type]


def delete_span(data: bytearray, random: Random, seeds: list[bytes]) -> None:
    start, end = _span(data, random)
    del data[start:end]


def repeat_span(data: bytearray, random: Random, seeds: list[bytes]) -> None:
    start, end = _span(data, random)
    place = _place(data, random)
    data[place:place] = data[start:end] * random.choice((1, 1, 2, 10, 100))


def swap_spans(data: bytearray, random: Random, seeds: list[bytes]) -> None:
    start, end = _span(data, random)
    part = bytes(data[start:end])
    del data[start:end]
    place = _place(data, random)
    data[place:place] = part


def cut(data: bytearray, random: Random, seeds: list[bytes]) -> None:
    if random.random() < 0.5:
        del data[_place(data, random) :]
    else:
        del data[: _place(data, random)]


def splice(data: bytearray, random: Random, seeds: list[bytes]) -> None:
    other = random.choice(seeds)
    start = random.randrange(len(other) + 1)
    part = other[start : start + random.choice((16, 256, 4096))]
    place = _place(data, random)
    data[place : place + random.choice((0, len(part)))] = part


Change = Callable[[bytearray, Random, list[bytes]], None]
CHANGES: tuple[Change, ...] = (
    *(flip_bit, flip_bit, set_byte, set_byte, insert_token, insert_token, overwrite_token, overwrite_integer),
    *(overwrite_integer, delete_span, repeat_span, swap_spans, cut, splice),
)
