"""Threads: equal bits at every call, equal numbers for every number of threads, forks and concurrent callers."""

from __future__ import annotations

import copy
import os
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import scipy.sparse as sp

from saddleback.losses.grouped.tables.threads import worthwhile_threads

from ..cases import assert_same, make


@pytest.mark.parametrize("layout", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("d", [7, 90])
@pytest.mark.parametrize("n_threads", [1, 2, 5])
def test_repeats_are_bit_identical(layout, d, n_threads):
    case = make("logistic", n=2000, d=d)
    losses = case.losses(layout(case.X), n_threads=n_threads, l2=0.1)
    again = case.losses(layout(case.X), n_threads=n_threads, l2=0.1)
    w = case.point(losses)
    f, G = losses.evaluate(w)
    for other in (losses, again, losses, pickle.loads(pickle.dumps(losses)), copy.deepcopy(losses)):
        for _ in range(3):
            g, H = other.evaluate(w)
            np.testing.assert_array_equal(f, g)
            np.testing.assert_array_equal(G, H)


@pytest.mark.parametrize("overlap", [False, True])
@pytest.mark.parametrize("d", [7, 90])
def test_any_number_of_threads_gives_the_same_numbers(d, overlap):
    case = make("logistic", n=2000, d=d, n_groups=7)
    groups = case.rng.random((2000, 7)) < 0.3 if overlap else case.groups
    w = case.rng.standard_normal(d)
    f, G = case.losses(groups=groups, n_threads=1).evaluate(w)
    for n_threads in (2, 3, 8):
        g, H = case.losses(groups=groups, n_threads=n_threads).evaluate(w)
        assert_same(g, f)
        assert_same(H, G)


def test_small_tables_are_not_worth_a_second_thread(monkeypatch):
    monkeypatch.setattr("saddleback.losses.grouped.tables.threads.cores", lambda: 8)
    assert worthwhile_threads(7000 * 6, 7000) == 1
    assert worthwhile_threads(50_000 * 5000, 50_000) == 8
    assert worthwhile_threads(6_000_000, 0) == 3


def test_more_threads_than_rows():
    case = make("squared", n=5, d=3, n_groups=2)
    w = case.point(case.losses())
    assert_same(case.losses(n_threads=16).evaluate(w)[1], case.reference().jacobian(w))


def test_callers_in_several_threads():
    case = make("logistic", n=2000, d=90)
    losses = case.losses(n_threads=2)
    points = [case.point(losses) for _ in range(8)]
    expected = [losses.evaluate(w) for w in points]
    with ThreadPoolExecutor(4) as callers:
        answers = list(callers.map(losses.evaluate, points * 4))
    for (f, G), (g, H) in zip(expected * 4, answers, strict=True):
        np.testing.assert_array_equal(f, g)
        np.testing.assert_array_equal(G, H)


FORK = """
import os, signal, warnings
import numpy as np, saddleback as sb
losses = sb.GroupedLinear(np.eye(40), np.arange(40.0), np.arange(40) % 2, "squared", fit_intercept=False, n_threads=2)
f, G = losses.evaluate(np.ones(40))
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    child = os.fork()
if child == 0:
    signal.alarm(20)
    os._exit(0 if (losses.evaluate(np.ones(40))[1] == G).all() else 1)
assert os.waitpid(child, 0)[1] == 0
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_forked_child_starts_threads_of_its_own():
    subprocess.run([sys.executable, "-c", FORK], check=True, timeout=60)
