"""Peers are asked for the same thing, graded by the same losses, and cannot stop each other."""

from __future__ import annotations

import re
import sys
import time
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

import saddleback as sb
from benchmarks.peers import environments, launch, roster
from benchmarks.peers.assignment import CHI2, CVAR, WORST_LOGISTIC, WORST_SQUARED, Assignment
from benchmarks.peers.contest import NOT_TRIED, Score, contest
from benchmarks.peers.environments import STAMP, Separate, Shared
from benchmarks.peers.problems import problem_of
from benchmarks.peers.roster import CVXPY, OURS, PEERS, SCIPY, Peer
from benchmarks.peers.table import NOTHING_YET, data, rows
from benchmarks.peers.tape import Run, Tape, read_runs
from benchmarks.recorder import Trajectory

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]

# Clarabel's own tolerance, and the temperature at which L-BFGS-B ends times log J.
SOLVED = 3e-6
BUDGET = 5.0


def toy(kind=WORST_LOGISTIC, **changes):
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(3), 20)
    X = rng.normal(size=(60, 4)) + 0.3 * groups[:, None]
    y = np.where(X[:, 0] + rng.logistic(size=60) > 0, 1.0, -1.0)
    return replace(Assignment(kind, X, y, groups, l2=1e-2, fit_intercept=True, budget=BUDGET), **changes)


def job(tmp_path, monkeypatch, code, **limits):
    """An attempt of a job with the given code, in our environment."""
    (tmp_path / "job_of_a_test.py").write_text(code, encoding="utf-8")
    monkeypatch.setattr(launch, "ROOT", tmp_path)
    task = toy(budget=limits.pop("budget", BUDGET))
    task.write(tmp_path / "problem.npz")
    return launch.launch(Path(sys.executable), "job_of_a_test", tmp_path / "problem.npz", task, 1, 1, **limits)


# --- the same problem for everybody -----------------------------------------------------------------------------------


def test_all_that_our_environment_has_agree_and_the_others_are_not_installed():
    peers = [OURS, CVXPY, SCIPY, Peer("nobody", ("nobody",), ("a_module_that_nobody_has",))]
    task = toy()
    optimum, scores = contest(peers, task, Shared(), repeats=1)
    assert optimum == pytest.approx(sb.solve(problem_of(task), tol=1e-9).value, abs=1e-9)
    for peer in peers[:-1]:
        for name in peer.rows:
            assert scores[name].reason == ""
            assert 0 <= scores[name].value_at(np.inf) - optimum <= SOLVED, name
            assert scores[name].setup > 0
    header, body = rows(optimum, scores)
    assert [line[0] for line in body] == [name for peer in peers for name in peer.rows]
    assert {len(line) for line in body} == {len(header)}
    assert body[0][3:] == ["1.00"] * 4
    assert body[-1] == ["nobody", "not installed", "-", "-", "-", "-", "-"]
    assert data(optimum, scores)["nobody"]["reason"] == "not installed"


def test_conic_job_has_the_squared_loss():
    optimum, scores = contest([CVXPY], toy(WORST_SQUARED), Shared(), repeats=1)
    for score in scores.values():
        assert score.value_at(np.inf) - optimum <= SOLVED


@pytest.mark.parametrize(("kind", "level"), [(CHI2, 0.5), (CVAR, 0.4)])
def test_adversaries_on_rows_are_those_of_dro(kind, level):
    """The value is that of its formula, min over eta of c |(l - eta)_+| + eta in the norm of the adversary."""
    task = toy(kind, groups=np.arange(60), level=level, l2=0.0)
    w = np.random.default_rng(1).normal(size=task.n_params)
    losses = np.logaddexp(0.0, -task.y * (task.design @ w))

    def bound(eta):
        over = np.maximum(losses - eta, 0.0)
        return eta + (over.mean() / level if kind == CVAR else np.sqrt((1 + level) * (over**2).mean()))

    formula = minimize_scalar(bound, bounds=(-10.0, losses.max()), method="bounded", options={"xatol": 1e-9}).fun
    assert problem_of(task).value(w) == pytest.approx(formula, abs=1e-7)


# --- nobody stops the rest --------------------------------------------------------------------------------------------


def test_job_that_crashes(tmp_path, monkeypatch, capsys):
    attempt = job(tmp_path, monkeypatch, "raise RuntimeError('no luck')")
    assert (attempt.reason, list(attempt.runs)) == ("failed", [])
    assert "no luck" in capsys.readouterr().out


def test_job_that_never_ends(tmp_path, monkeypatch):
    started = time.perf_counter()
    attempt = job(tmp_path, monkeypatch, "while True: pass", budget=0.1, grace=0.3)
    assert attempt.reason == "over its budget of 0.1 s"
    assert time.perf_counter() - started < BUDGET


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="memory is watched where the system tells")
def test_job_that_takes_all_memory(tmp_path, monkeypatch):
    monkeypatch.setattr(launch, "free_memory", lambda: 2.0 * 100e6)
    assert job(tmp_path, monkeypatch, "x = b'1' * 300_000_000\nwhile True: pass").reason == "memory"


def test_job_that_is_refused_memory(tmp_path, monkeypatch):
    assert job(tmp_path, monkeypatch, f"raise SystemExit({launch.OUT_OF_MEMORY})").reason == "memory"


@pytest.mark.parametrize(
    "code",
    [
        "pass",
        "import sys; open(sys.argv[2], 'w').write('garbage')",
        "import sys, numpy as np; np.savez(sys.argv[2], W=np.ones(3))",
        "import sys, numpy as np; np.savez(sys.argv[2], W=np.array([{}], dtype=object))",
    ],
    ids=["nothing", "no archive", "arrays missing", "pickle"],
)
def test_job_that_writes_garbage(tmp_path, monkeypatch, code):
    attempt = job(tmp_path, monkeypatch, code)
    assert (attempt.reason, list(attempt.runs)) == ("answer not readable", [])


def test_what_was_done_before_a_crash_counts(tmp_path, monkeypatch):
    code = f"""
import sys
sys.path.insert(0, {str(ROOT)!r})
from benchmarks.peers.tape import carry_out
def solve(task, tape):
    with tape.run("first"):
        tape.note([0.0] * task.n_params)
    raise RuntimeError
carry_out(solve)
"""
    attempt = job(tmp_path, monkeypatch, code)
    assert attempt.reason == "failed"
    assert [run.name for run in attempt.runs] == ["first"]


def test_reasons_become_rows(monkeypatch):
    attempts = iter(
        [launch.Attempt((Run(OURS.rows[0], time=[1.0], W=[np.zeros(5)]),)), launch.Attempt((), "failed", 1.0)]
    )
    monkeypatch.setattr("benchmarks.peers.contest.launch", lambda *_: next(attempts))
    _, scores = contest([OURS, SCIPY], toy(), Shared(), repeats=1)
    assert [scores[name].reason for name in SCIPY.rows] == ["failed"] * 3
    # A job that ended well without a run of that name, and one whose run has no point.
    attempts = iter([launch.Attempt((Run("SciPy SLSQP"),))])
    _, scores = contest([SCIPY], toy(), Shared(), repeats=1)
    assert scores["SciPy SLSQP"].reason == launch.over(BUDGET)
    assert scores["SciPy trust-constr"].reason == NOT_TRIED


# --- files and clocks -------------------------------------------------------------------------------------------------


def test_problem_files_hold_no_pickle(tmp_path):
    task = toy(CVAR, level=0.3, bound=1.5)
    task.write(tmp_path / "problem.npz")
    with np.load(tmp_path / "problem.npz", allow_pickle=False) as file:
        assert not any(file[name].dtype.hasobject for name in file.files)
    read = Assignment.read(tmp_path / "problem.npz")
    np.testing.assert_array_equal(read.X, task.X)
    assert (read.kind, read.level, read.bound, read.fit_intercept) == (CVAR, 0.3, 1.5, True)
    source = "".join(path.read_text(encoding="utf-8") for path in environments.HERE.rglob("*.py"))
    assert len(re.findall(r"np\.load\(", source)) == source.count("allow_pickle=False") == 2


def test_tape_keeps_first_and_last_point_and_ends_a_run_at_its_budget(tmp_path):
    tape = Tape(0.2, time.time() - 3.0, tmp_path / "answer.npz")
    with tape.run("loop", "setting"):
        k = 0
        while True:
            tape.note([float(k)])
            k += 1
    with tape.run("next"):
        tape.note([7.0], claim=2.5)
    loop, after = read_runs(tape.path, 1)
    assert (loop.name, loop.setting, after.name, after.claim) == ("loop", "setting", "next", 2.5)
    assert loop.W[0] == [0.0]
    assert loop.W[-1] == [k]
    assert 0.2 <= loop.time[-1] < BUDGET
    assert len(loop.time) < 600
    # What the first run took is no set-up of the second.
    assert 3.0 <= loop.setup <= after.setup < loop.setup + 0.2


def test_scores_take_the_best_setting_and_the_median_round():
    def run(times, values):
        none = np.zeros(len(times), dtype=np.intp)
        return Trajectory(np.array(times), np.array(values), none, none)

    slow, fast = run([1.0, 2.0], [3.0, 0.0]), run([0.5], [2.0])
    score = Score([[slow, fast], [slow], [slow, fast]])
    assert score.seconds_to(2.0) == 0.5
    assert score.seconds_to(0.0) == 2.0
    assert np.isnan(score.seconds_to(-1.0))
    # Of an even number of rounds the lower one: by then, that one has arrived.
    assert Score([[slow], [fast]]).seconds_to(2.0) == 0.5
    assert Score([[slow], [fast]]).value_at(0.5) == 2.0
    assert (score.value_at(0.6), score.value_at(np.inf)) == (2.0, 0.0)
    assert rows(0.0, {OURS.rows[0]: slow_and_late(score), "late": score})[1][0][1] == NOTHING_YET


def slow_and_late(score):
    """Never within the finest gap, so that there is nothing at that time."""
    return replace(score, rounds=[[Trajectory(np.ones(1), np.ones(1), *np.zeros((2, 1), dtype=int))]])


# --- environments -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("peer", [peer for peer in PEERS if peer is not OURS], ids=lambda peer: peer.folder)
def test_requirements_are_pinned(peer):
    lines = [line for line in peer.requirements.splitlines() if line and not line.startswith("#")]
    assert lines
    assert all(re.fullmatch(r"[\w-]+==[\w.]+", line) for line in lines)
    # Any other build is gigabytes of CUDA.
    assert all(line == "torch==2.13.0" for line in lines if line.startswith("torch="))


def test_every_peer_has_a_job():
    assert {peer.folder for peer in PEERS} == {path.parent.name for path in environments.HERE.glob("*/job.py")}
    assert roster.OURS.requirements == ""


def test_environment_is_made_once_and_again_when_requirements_change(tmp_path, monkeypatch):
    made = []
    monkeypatch.setattr(
        environments, "_make", lambda folder, *_: (folder.mkdir(parents=True, exist_ok=True), made.append(folder.name))
    )
    (tmp_path / "wanted" / "peer").mkdir(parents=True)
    wanted = tmp_path / "wanted" / "peer" / "requirements.txt"
    wanted.write_text("numpy==2.0.0\n", encoding="utf-8")
    separate = partial(Separate, tmp_path / "place", tmp_path / "wanted")
    for _ in range(2):
        assert separate().interpreter("peer", ()) == tmp_path / "place" / "peer" / "bin" / "python"
    assert made == ["peer"]
    wanted.write_text("numpy==2.0.1\n", encoding="utf-8")
    separate().interpreter("peer", ())
    assert made == ["peer"] * 2
    assert separate().interpreter("none", ()) == Path(sys.executable)


def test_failed_installation_is_not_installed(tmp_path, monkeypatch):
    tried = []

    def fail(folder, *_):
        tried.append(folder.name)
        folder.mkdir(parents=True)
        raise environments.subprocess.CalledProcessError(1, "pip")

    monkeypatch.setattr(environments, "_make", fail)
    (tmp_path / "peer").mkdir()
    (tmp_path / "peer" / "requirements.txt").write_text("numpy==2.0.0\n", encoding="utf-8")
    separate = Separate(tmp_path / "place", tmp_path)
    assert [separate.interpreter("peer", ()) for _ in range(2)] == [None, None]
    assert tried == ["peer"]
    assert not (tmp_path / "place" / "peer" / STAMP).exists()
