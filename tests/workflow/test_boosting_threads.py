"""Boosting of small tables has one thread."""

from __future__ import annotations

from threadpoolctl import threadpool_info

from saddleback.workflow.boosting_threads import ONE_THREAD_BELOW, boosting_threads


def openmp_threads() -> list[int]:
    import sklearn.ensemble  # noqa: F401  (it brings OpenMP)

    return [info["num_threads"] for info in threadpool_info() if info["user_api"] == "openmp"]


def test_small_tables_have_one_thread_and_large_ones_all():
    before = openmp_threads()
    assert before
    with boosting_threads(ONE_THREAD_BELOW - 1):
        assert set(openmp_threads()) == {1}
    assert openmp_threads() == before
    with boosting_threads(ONE_THREAD_BELOW):
        assert openmp_threads() == before
