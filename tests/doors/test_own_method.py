"""A method of one's own, with a state of its own: killed, resumed, and refused where the file is not its own."""

import subprocess
import sys
from dataclasses import dataclass, replace

import numpy as np
import pytest

import saddleback as sb
from saddleback.methods import Method, State

KILLED = 9

OWN_METHOD = """
import os, sys, warnings
from dataclasses import dataclass, replace
import numpy as np
import saddleback as sb
from saddleback.methods import Method, State


@dataclass(frozen=True, eq=False, kw_only=True)
class MyState(State):
    velocity: np.ndarray
    n_steps: int = 0


class MyMethod(Method):
    name = "momentum"

    def init(self, oracle, w0):
        at = oracle.evaluate(w0)
        return MyState(point=at.point, lam=at.lam, minorants=(oracle.cut(at, at.lam),), velocity=0 * w0)

    def step(self, oracle, state):
        at = oracle.evaluate(state.point.w)
        velocity = 0.8 * state.velocity - 0.02 * (at.lam @ at.G)
        cut = oracle.cut(at, at.lam)
        point = oracle.point(at.w + velocity)
        return replace(state, point=point, lam=at.lam, minorants=(cut,), velocity=velocity, n_steps=state.n_steps + 1)


points = np.array([[0.0, 0.0], [4.0, 0.0], [0.0, 3.0]])
losses = sb.from_functions(lambda w: (((w - points) ** 2).sum(axis=1), 2 * (w - points)), np.zeros(2), jac=True)
problem = sb.Problem(losses, regularizer=sb.Quadratic(20.0))
"""

RUN = """
path, last = sys.argv[1], int(sys.argv[2])
warnings.simplefilter("ignore", sb.ConvergenceWarning)
stop = lambda now: os._exit(9) if now.n_iter == last else None
options = {} if path == "none" else dict(checkpoint=path, resume=True, checkpoint_every=0.0)
result = sb.solve(problem, [1.0, 1.0], MyMethod(), max_iter=25, tol=0.0, callback=stop, **options)
print(result.n_iter, result.w.tobytes().hex(), result.history.value.tobytes().hex())
"""


def script(tmp_path, *arguments):
    file = tmp_path / "own.py"
    file.write_text(OWN_METHOD + RUN)
    return subprocess.run(
        [sys.executable, str(file), *map(str, arguments)], capture_output=True, text=True, timeout=120
    )


@pytest.mark.slow
def test_own_method_that_is_killed_resumes_to_the_same_bits(tmp_path):
    """Nothing but a state and a method: no type hints, no ``state_type``."""
    whole = script(tmp_path, "none", -1)
    assert whole.returncode == 0, whole.stderr
    path = tmp_path / "run.ckpt"
    for last in (7, 15):
        assert script(tmp_path, path, last).returncode == KILLED
        assert path.exists()
    resumed = script(tmp_path, path, -1)
    assert resumed.returncode == 0, resumed.stderr
    assert resumed.stdout == whole.stdout
    assert resumed.stdout.startswith("25 ")


@pytest.fixture
def own():
    names: dict = {}
    exec(OWN_METHOD, names)
    return names


def solve(own, path, method=None, **options):
    with pytest.warns(sb.ConvergenceWarning):
        return sb.solve(own["problem"], method=method or own["MyMethod"](), tol=0.0, checkpoint=path, **options)


@dataclass(frozen=True, eq=False, kw_only=True)
class OtherState(State):
    velocity: np.ndarray
    n_steps: int = 0


@dataclass(frozen=True, eq=False, kw_only=True)
class ChangedState(State):
    velocity: np.ndarray
    n_steps: int = 0
    more: float = 0.0


ChangedState.__name__ = "MyState"


@pytest.mark.parametrize(
    ("kind", "match"),
    [(OtherState, "state must be one of OtherState; got 'MyState'"), (ChangedState, r"state\.more is missing")],
)
def test_state_of_another_class_or_with_other_fields_is_refused(own, tmp_path, kind, match):
    """The same method by its name, which now keeps something else."""
    path = tmp_path / "run.ckpt"
    solve(own, path, max_iter=5)

    class MyMethod(own["MyMethod"]):
        __qualname__ = "MyMethod"

        def init(self, oracle, w0):
            return kind(**vars(super().init(oracle, w0)))

    with pytest.raises(sb.ProblemError, match=match):
        sb.solve(own["problem"], method=MyMethod(), checkpoint=path, resume=True)


def test_the_type_is_that_of_the_generic_parameter_where_there_is_one():
    @dataclass(frozen=True, eq=False, kw_only=True)
    class Counted(State):
        n_steps: int = 0

    class Counting(Method[Counted]):
        name = "counting"

        def init(self, oracle, w0):
            at = oracle.evaluate(w0)
            return Counted(point=at.point, lam=at.lam)

        def step(self, oracle, state):
            return replace(state, n_steps=state.n_steps + 1)

    assert Counting.state_type is Counted
    assert type("Derived", (Counting,), {}).state_type is Counted
    assert type("Plain", (Method,), {}).state_type is State
