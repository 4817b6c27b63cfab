"""One thread of BLAS for a while, and then as many as before."""

from __future__ import annotations

import threading

from threadpoolctl import threadpool_info

import saddleback._blas as blas


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
    """The first to enter leaves first: the limit must stay for the second, and not outlive it."""
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
