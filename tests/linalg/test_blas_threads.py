"""Limits on BLAS threads: they hold within, and the former number is restored."""

from __future__ import annotations

import os
import subprocess
import sys
import threading

import pytest
from threadpoolctl import threadpool_info

import saddleback.linalg.blas_threads as blas


def threads() -> list[int]:
    return [library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"]


def test_limited_inside_and_restored_outside() -> None:
    before = threads()
    with blas.one_blas_thread():
        assert set(threads()) == {1}
        with blas.one_blas_thread():
            assert set(threads()) == {1}
        assert set(threads()) == {1}
    assert threads() == before


def test_restored_when_users_overlap_in_two_threads() -> None:
    """The first thread to enter leaves first: the limit stays until the second has left."""
    before = threads()
    entered, may_leave = threading.Event(), threading.Event()

    def second() -> None:
        with blas.one_blas_thread():
            entered.set()
            may_leave.wait(10)
            assert set(threads()) == {1}

    with blas.one_blas_thread():
        other = threading.Thread(target=second)
        other.start()
        assert entered.wait(10)
    assert set(threads()) == {1}
    may_leave.set()
    other.join(10)
    assert threads() == before


OVERLAP = """
import threading
import numpy, scipy.linalg
from threadpoolctl import threadpool_info
from saddleback.linalg.blas_threads import one_blas_thread

def threads():
    return sorted({library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"})

before, entered, may_leave = threads(), threading.Event(), threading.Event()

def other():
    with one_blas_thread():
        entered.set()
        may_leave.wait(10)

with one_blas_thread():
    thread = threading.Thread(target=other)
    thread.start()
    assert entered.wait(10)
may_leave.set()
thread.join(10)
print(threads() == before)

def alone():
    with one_blas_thread():
        assert threads() == [1], threads()

# A thread that sets a limit after another thread did, which is still alive.
thread = threading.Thread(target=alone)
thread.start()
thread.join(10)
print(threads() == before)
"""


@pytest.mark.slow
def test_any_thread_may_limit_and_restore_where_blas_has_several() -> None:
    """In a process of its own, as this one may be limited to one thread of BLAS."""
    environment = {name: value for name, value in os.environ.items() if not name.endswith("_NUM_THREADS")}
    ran = subprocess.run(
        [sys.executable, "-c", OVERLAP], env=environment, capture_output=True, text=True, timeout=120, check=False
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.split() == ["True", "True"], ran.stderr
    assert "Error" not in ran.stderr


def test_blas_keeps_to_a_quota(monkeypatch: pytest.MonkeyPatch) -> None:
    before = threads()
    for quota in (None, 1, 2, 10**6):
        monkeypatch.setattr(blas, "quota_of_cores", lambda quota=quota: quota)
        with blas.blas_within_quota():
            assert threads() == [n if quota is None else min(n, quota) for n in before]
            with blas.one_blas_thread():
                assert set(threads()) == {1}
            assert threads() == [n if quota is None else min(n, quota) for n in before]
        assert threads() == before
