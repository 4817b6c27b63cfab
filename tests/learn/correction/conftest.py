"""One thread of OpenMP: boosting's threads would wait for each other where tests already use every core."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from threadpoolctl import threadpool_limits


@pytest.fixture(autouse=True)
def _one_thread() -> Iterator[None]:
    with threadpool_limits(1, user_api="openmp"):
        yield
