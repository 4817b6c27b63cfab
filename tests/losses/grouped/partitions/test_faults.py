"""Clusters of processes that are killed: runs go on, or end with a checkpoint, and always at the same bits."""

import json
import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

HERE = Path(__file__).parent
ROOT = HERE.parents[3]
LIMIT_SECONDS = 180.0
"""Of one scenario, which takes some seconds on an idle machine; all of its processes are ended then."""


def outcome(scenario):
    """What a scenario has seen, in a session of its own, so that nothing can hang or stay."""
    process = subprocess.Popen(
        [sys.executable, "-W", "ignore", str(HERE / "scenarios.py"), scenario],
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        out, errors = process.communicate(timeout=LIMIT_SECONDS)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    assert process.returncode == 0, errors[-3000:]
    return json.loads(out.splitlines()[-1])


@pytest.mark.parametrize("scenario", ["nanny", "no nanny", "all workers"])
def test_a_run_goes_on_where_workers_are_killed(scenario):
    assert outcome(scenario)["same"]


def test_a_run_without_workers_ends_and_is_resumed():
    seen = outcome("no worker left")
    assert "no worker is left on the cluster" in seen["said"]
    assert "within 1 seconds" in seen["said"]
    assert "resume=True" in seen["said"]
    assert seen["same"]


def test_a_run_without_scheduler_ends_at_once_and_is_resumed_elsewhere():
    seen = outcome("scheduler")
    assert "the connection to the Dask scheduler tcp://" in seen["said"]
    assert "solve(problem, checkpoint=path, resume=True)" in seen["said"]
    assert seen["resumed"] >= 5
    assert seen["same"]


def test_a_worker_that_is_killed_within_a_call_is_replaced():
    seen = outcome("worker within a call")
    assert (seen["way"], seen["holders"], seen["killed"]) == ("calls", 2, True)
    assert seen["same"]
    assert seen["same again"]
    assert seen["holders then"] == 1


def test_a_run_whose_scheduler_is_killed_within_a_call_ends_at_once():
    seen = outcome("scheduler within a call")
    assert seen["way"] == "calls"
    assert "the connection to the Dask scheduler tcp://" in seen["said"]


def test_a_partition_that_ends_every_worker_is_an_error():
    assert "Workers that end over and over" in outcome("over and over")["said"]


def test_a_restarted_cluster_has_no_partitions():
    seen = outcome("restarted")
    assert "the partitions of X are no longer on the cluster" in seen["said"]
    assert seen["same"]


def test_an_interrupt_leaves_the_cluster_usable():
    seen = outcome("interrupted")
    assert seen["status"] == "INTERRUPTED"
    assert seen["same"]
