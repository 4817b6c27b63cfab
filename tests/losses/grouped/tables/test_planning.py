"""Read plans: every visit once, sorted by block, group and position."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from saddleback.losses.grouped.memberships import Memberships
from saddleback.losses.grouped.tables.planning import _stable_sort, make_read_plan


def memberships(n, n_groups, *, overlap, seed=0):
    rng = np.random.default_rng(seed)
    if overlap:
        rows, groups = np.nonzero(rng.random((n, n_groups)) < 0.4)
    else:
        rows, groups = np.arange(n), rng.integers(0, n_groups, n)
    return Memberships.of(n, list(range(n_groups)), rows, groups, rng.random(rows.size) + 0.1)


@pytest.mark.parametrize("repeat", [False, True])
@pytest.mark.parametrize("overlap", [False, True])
@pytest.mark.parametrize("stage_rows", [1000, 64])
def test_every_visit_once_in_order(overlap, repeat, stage_rows):
    members = memberships(300, 5, overlap=overlap)
    table = SimpleNamespace(block_rows=16, stage_rows=stage_rows, row_costs=None)
    plan = make_read_plan(members, table, 2, repeat=repeat)
    block = np.searchsorted(plan.block_starts, plan.visit_position, side="right") - 1
    key = np.column_stack([block, plan.visit_group, plan.visit_position])
    assert (np.lexsort(key.T[::-1]) == np.arange(len(key))).all()
    np.testing.assert_array_equal(plan.slot, plan.visit_position - plan.block_starts[block])
    found = np.column_stack([plan.rows[plan.visit_position], plan.visit_group, plan.coefficient])
    given = np.column_stack([members.rows, members.groups, members.coefficients])
    np.testing.assert_array_equal(found[np.lexsort(found.T)], given[np.lexsort(given.T)])


@pytest.mark.parametrize("largest", [1, 65_535, 65_536, 10**12])
def test_sorting_is_stable(largest):
    key = np.random.default_rng(0).integers(0, largest, 1000, endpoint=True)
    key[:3] = largest
    np.testing.assert_array_equal(_stable_sort(key), np.lexsort((np.arange(1000), key)))
