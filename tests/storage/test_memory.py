"""Hostile files take little memory and little time, whatever they announce."""

from __future__ import annotations

import io
import json
import tracemalloc

import numpy as np
import pytest

import saddleback as sb
from benchmarks.fuzz import saved_files
from saddleback.storage.container import LENGTH, write
from saddleback.storage.kinds import KINDS

MODEL, CORRECTION = 1, 5


def forged(number, **changes):
    kind, texts, arrays = saved_files.sound()[number]
    out = io.BytesIO()
    write(out, KINDS[kind], texts, {**arrays, **{name.replace("__", "."): value for name, value in changes.items()}})
    return out.getvalue()


def raw(text):
    return np.frombuffer(text, dtype=np.uint8)


def announced():
    """A header that announces a terabyte."""
    header = {"__metadata__": {"format": "saddleback model", "version": "1"}}
    header["coef"] = {"dtype": "F64", "shape": [2**20, 2**17], "data_offsets": [0, 2**40]}
    text = json.dumps(header).encode()
    return len(text).to_bytes(LENGTH, "little") + text


FILES = {
    "a terabyte": announced,
    "nested lists": lambda: forged(MODEL, group_names=raw(b"[" + b"[]," * 200_000 + b"[]]")),
    "deep lists": lambda: forged(MODEL, group_names=raw(b"[" * 200_000)),
    "many objects": lambda: forged(MODEL, parameters=raw(b'{"a":[' + b"{}," * 200_000 + b"{}]}")),
    "many numbers": lambda: forged(MODEL, group_names=raw(b"[" + b"0," * 200_000 + b"0]")),
    "long digits": lambda: forged(MODEL, group_names=raw(b"[" + b"9" * 500_000 + b"]")),
    "wide texts": lambda: forged(
        MODEL,
        classes=raw(json.dumps({"texts": ["a"] * 50_000 + ["b" * 900_000], "type": "<U900000"}).encode()),
    ),
    "many short lists": lambda: forged(MODEL, group_names=raw(b"[" + b"[0,0,0,0]," * 40_000 + b"[]]")),
    "many texts": lambda: forged(MODEL, group_names=raw(b"[" + b'"a",' * 150_000 + b'"a"]')),
    "a wide type": lambda: forged(MODEL, classes=raw(b'{"texts":["a","b"],"type":"<U999999"}')),
    "a Polytope": lambda: forged(
        MODEL,
        parameters=raw(b'{"dual_set":{"object":"Polytope","fields":{"A":{"array":"parameters.0"},"b":[1.0]}}}'),
        parameters__0=np.ones((1, 200_000)),
    ),
    "more than it says": lambda: forged(MODEL) + bytes(20_000_000),
    "an array that a model does not have": lambda: forged(MODEL, other=np.zeros(500_000)),
    "a tree of two million nodes": lambda: forged(CORRECTION, estimator__trees__value=np.zeros(500_000)),
}


@pytest.mark.parametrize("kind", FILES)
def test_hostile_files_take_little_memory(kind, tmp_path):
    hostile = tmp_path / "hostile"
    hostile.write_bytes(FILES[kind]())
    tracemalloc.start()
    try:
        with pytest.raises(sb.ProblemError) as caught:
            sb.load(hostile)
        memory = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert "\n" not in str(caught.value)
    assert memory <= 20 * hostile.stat().st_size + 3_000_000
