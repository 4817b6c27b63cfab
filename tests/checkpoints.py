"""Runs with checkpoints: a small problem, bitwise comparison of results, and forged files with a valid checksum."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

import saddleback as sb
from saddleback._types import Params
from saddleback.engine.checkpointing.container import open_regular, read_arrays, read_header, write
from saddleback.methods import Method, State

CENTERS = np.random.default_rng(5).normal(size=(4, 6))
WEIGHTS = np.linspace(0.5, 8.0, 6)


def bowls(w):
    """Four losses of six parameters, convex and not quadratic."""
    offset = w - CENTERS
    return (0.5 * WEIGHTS * offset**2 + np.cosh(offset) - 1.0).sum(1), WEIGHTS * offset + np.sinh(offset)


class Bowls:
    """The same losses as an object, with a Hessian."""

    n_losses, n_params = CENTERS.shape

    def evaluate(self, w):
        return bowls(w)

    def hessian(self, w, lam):
        return np.diag(lam @ (WEIGHTS + np.cosh(w - CENTERS)))


class SmoothBowls(Bowls):
    """The same losses with an L that holds where the runs go: the Hessians there are at most 8 + cosh(3)."""

    def smoothness(self):
        return 8.0 + np.cosh(3.0)


def problem(**parts: Any) -> sb.Problem:
    return sb.Problem(**{"losses": Bowls(), "regularizer": sb.Quadratic(0.5), **parts})


def problem_for(method: Any, **parts: Any) -> sb.Problem:
    """The problem, without a regularizer for the method that takes none, with an L for the one that needs it."""
    needed = {"interior-point": {"regularizer": sb.Zero()}, "algorithm-1": {"losses": SmoothBowls()}}
    return problem(**{**(needed.get(method, {}) if isinstance(method, str) else {}), **parts})


def quiet_solve(problem: sb.Problem, *arguments: Any, **options: Any) -> sb.Result:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sb.ConvergenceWarning)
        return sb.solve(problem, *arguments, **options)


def run(**options: Any) -> sb.Result:
    return quiet_solve(problem_for(options.get("method")), **{"w0": np.ones(6), "tol": 1e-12, **options})


def bits(result: sb.Result) -> dict[str, bytes]:
    """The parts of a result that resuming must not change: all but times and counts of evaluations."""
    answer = ("w", "dual", "value", "losses", "n_iter")
    bound = ("lower_bound", "gap", "radius", "reach", "gap_estimate", "certified")
    columns = ("value", "gap", "inner_gap", "inner_iter")
    shown = {name: np.asarray(getattr(result, name)).tobytes() for name in (*answer, *bound)}
    shown |= {f"history.{name}": getattr(result.history, name).tobytes() for name in columns}
    return shown | {"status": result.status.name.encode(), "message": result.message.encode()}


def assert_same_bits(result: sb.Result, expected: sb.Result) -> None:
    found, wanted = bits(result), bits(expected)
    assert [name for name in wanted if found[name] != wanted[name]] == []


def contents(path: Path) -> tuple[dict[str, str], dict[str, Any], dict[str, int]]:
    """The texts, arrays and sizes of a file."""
    with open_regular(path) as file:
        header = read_header(file)
        return header.texts, read_arrays(file, header), header.sizes


def forge(path: Path, change: Callable[[dict[str, str], dict[str, Any], dict[str, int]], object]) -> None:
    """Change a file and give it the checksum of its new contents."""
    texts, arrays, sizes = contents(path)
    change(texts, arrays, sizes)
    with path.open("wb") as file:
        write(file, texts, arrays, sizes)


@dataclass(frozen=True, eq=False, kw_only=True)
class HeavyBallState(State):
    velocity: Params
    n_steps: int = 0


@dataclass(frozen=True)
class HeavyBall(Method[HeavyBallState]):
    """A user's own method with its own state class."""

    name: ClassVar[str] = "heavy-ball"
    step_size: float = 0.02

    def init(self, oracle, w0):
        at = oracle.evaluate(w0)
        return HeavyBallState(
            point=at.point, lam=at.lam, minorants=(oracle.cut(at, at.lam),), velocity=np.zeros_like(w0)
        )

    def step(self, oracle, state):
        at = oracle.evaluate(state.point.w)
        velocity = 0.8 * state.velocity - self.step_size * (at.lam @ at.G)
        point = oracle.point(at.w + velocity)
        return replace(
            state,
            point=point,
            lam=at.lam,
            minorants=(oracle.cut(at, at.lam),),
            velocity=velocity,
            n_steps=state.n_steps + 1,
        )
