"""Compiling for more than a second is said once, in one line on standard error."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

FIT = """
from saddleback.losses.grouped.kernels import notice
notice.SECONDS = {seconds}
import saddleback as sb
for loss in ("squared", "huber"):
    losses = sb.GroupedLinear([[1.0, 2.0], [2.0, 1.0]], [0.0, 1.0], [0, 1], loss=loss)
    losses.evaluate([0.0, 0.0, 0.0])
"""


def errors(seconds, cache):
    done = subprocess.run(
        [sys.executable, "-c", FIT.format(seconds=seconds)],
        check=True,
        timeout=120,
        capture_output=True,
        text=True,
        env=os.environ | {"NUMBA_CACHE_DIR": str(cache)},
    )
    return done.stderr.splitlines()


@pytest.mark.slow
def test_one_line_and_none_when_cached(tmp_path):
    first = errors(0.01, tmp_path)
    assert len(first) == 1
    assert "saddleback has compiled its loops for tables and losses of this kind in" in first[0]
    assert first[0].endswith("They are kept on disk, so that later runs begin at once.")
    assert errors(0.0, tmp_path) == []


@pytest.mark.slow
def test_nothing_is_said_of_short_compilations(tmp_path):
    assert errors(1e6, tmp_path) == []


def test_functions_of_others_are_not_counted(caplog):
    from types import SimpleNamespace

    from saddleback.losses.grouped.kernels import compiling, notice

    ours, theirs = (
        SimpleNamespace(data={"dispatcher": SimpleNamespace(py_func=f)}) for f in (compiling.options, print)
    )
    listener = notice.Notice()
    listener._seconds = 2.0
    listener.on_start(theirs)
    listener.on_end(theirs)
    assert not caplog.records
    for nested in (ours, ours):
        listener.on_start(nested)
    listener.on_end(ours)
    assert not caplog.records
    for _ in range(2):
        listener.on_end(ours)
        listener.on_start(ours)
    (record,) = caplog.records
    assert record.name == "saddleback.losses.grouped.kernels.notice"
    assert "set NUMBA_CACHE_DIR" in record.getMessage()
