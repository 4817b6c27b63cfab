"""The file: safetensors that other programs read, and states of any dataclass of numbers and arrays."""

import json
import sys
from dataclasses import dataclass, field
from types import ModuleType
from typing import Annotated

import numpy as np
import pytest
import safetensors
from checkpoints import HeavyBall, contents, forge, run
from numpy.typing import NDArray

import saddleback as sb
from saddleback._types import Axes, NonFinite, ParamRows, Vector
from saddleback.engine.checkpointing import load, save
from saddleback.methods import State

SIZES = {"J": 2, "d": 3}


@dataclass(frozen=True, eq=False)
class Inner:
    rows: ParamRows
    other: ParamRows


@dataclass(frozen=True, eq=False)
class Everything:
    """One field of each kind."""

    flag: bool = True
    count: int = -3
    number: float = 0.1
    missing: float = np.nan
    infinite: float = -np.inf
    text: str = 'any "text"\n, also \u00e9'
    nothing: str | None = None
    inner: Inner | None = None
    several: tuple[Inner, ...] = ()
    none: tuple[float, ...] = ()
    numbers: tuple[float, ...] = (1.5, -0.0)
    history: list[float] = field(default_factory=list)
    counts: list[int] = field(default_factory=list)
    vector: Vector = field(default_factory=lambda: np.array([1e-300, -0.0, np.pi]))
    odd: Annotated[Vector, Axes(("own",)), NonFinite] = field(default_factory=lambda: np.array([np.nan, np.inf]))
    truth: np.ndarray = field(default_factory=lambda: np.array([True, False]))
    small: np.ndarray = field(default_factory=lambda: np.float32([[1, 2], [3, 4]]))


@dataclass(frozen=True, eq=False)
class Either:
    """Fields of several kinds."""

    one: Inner | Everything
    other: Inner | Everything | None


def round_trip(path, value):
    save(path, SIZES, {"it": type(value)}, {"it": value})
    return load(path, SIZES, {"it": type(value)})["it"]


def test_every_kind_of_field_comes_back_to_the_bit(tmp_path):
    inner = Inner(np.arange(6.0).reshape(2, 3), np.ones((2, 3)))
    value = Everything(inner=inner, several=(inner, inner), history=[0.1, np.inf, np.nan], counts=[3, 2**40])
    back = round_trip(tmp_path / "file", value)
    for name in ("flag", "count", "number", "infinite", "text", "nothing", "none", "counts"):
        assert getattr(back, name) == getattr(value, name)
        assert type(getattr(back, name)) is type(getattr(value, name))
    assert np.isnan(back.missing)
    assert np.signbit(back.numbers[1])
    np.testing.assert_array_equal(back.history, value.history)
    for name in ("vector", "odd", "truth", "small"):
        found, wanted = getattr(back, name), getattr(value, name)
        assert (found.tobytes(), found.dtype, found.shape) == (wanted.tobytes(), wanted.dtype, wanted.shape)
    np.testing.assert_array_equal(back.inner.rows, inner.rows)
    assert back.several[1] is back.several[0] is back.inner, "what was shared is written once, and shared again"


def test_order_in_memory_comes_back(tmp_path):
    """Products of matrices round differently by rows and by columns."""
    back = round_trip(tmp_path / "file", Inner(np.asfortranarray(np.ones((4, 3))), np.ones((4, 3))))
    assert back.rows.flags.f_contiguous
    assert not back.rows.flags.c_contiguous
    assert back.other.flags.c_contiguous


def test_other_programs_can_read_the_file(tmp_path):
    path = tmp_path / "run.ckpt"
    result = run(max_iter=3, checkpoint=path)
    with safetensors.safe_open(path, framework="np") as file:
        about = file.metadata()
        best = file.get_tensor("run.best.w")
    assert (about["format"], about["version"]) == ("saddleback checkpoint", "3")
    assert (about["n_losses"], about["n_params"]) == ("4", "6")
    assert about["written_by"] == f"saddleback {sb.__version__}"
    assert len(about["sha256"]) == 64
    np.testing.assert_array_equal(best, result.w)


def test_unknown_version_is_refused_by_name(tmp_path):
    path = tmp_path / "run.ckpt"
    run(max_iter=3, checkpoint=path)
    raw = path.read_bytes()
    path.write_bytes(raw.replace(b'"version":"3"', b'"version":"7"'))
    with pytest.raises(sb.ProblemError, match=r"format version '7', written by saddleback .* this one reads '3'"):
        run(checkpoint=path, resume=True)


def test_checkpoint_of_earlier_versions_is_refused_with_a_remedy(tmp_path):
    path = tmp_path / "run.npz"
    np.savez(path, **{"header.method": np.array("accelerated"), "header.n_losses": np.array(4)})
    before = path.read_bytes()
    for resume in (True, False):
        with pytest.raises(sb.ProblemError, match=r"zip archive, as the checkpoints of earlier versions .* Delete it"):
            run(checkpoint=path, resume=resume)
    assert path.read_bytes() == before


def test_header_that_grows_too_large_is_not_written(tmp_path):
    @dataclass(frozen=True)
    class Long:
        text: str

    with pytest.raises(OSError, match="too many parts"):
        round_trip(tmp_path / "file", Long("x" * 1_000_000))
    assert list(tmp_path.iterdir()) == []


def test_state_with_a_field_of_the_wrong_shape_is_not_written(tmp_path):
    with pytest.raises(sb.ProblemError, match=r"it.other must have shape \(rows, d\) = \(2, 3\); got \(1, 3\)"):
        round_trip(tmp_path / "file", Inner(np.ones((2, 3)), np.ones((1, 3))))


@pytest.mark.parametrize(
    ("hint", "value"),
    [(dict, {}), (object, None), (tuple[int, str], (1, "a")), (int | str, 1), (list[str], ["a"]), (complex, 1j)],
)
def test_state_that_no_file_can_hold_is_refused_before_the_losses_are_evaluated(hint, value, tmp_path):
    def never(w):
        raise AssertionError("evaluated")

    class Peculiar(State):
        __annotations__ = {"odd": hint}

    Peculiar = dataclass(frozen=True, eq=False, kw_only=True)(Peculiar)
    method = type("Own", (sb.ProxLinear,), {"state_type": Peculiar})()
    losses = type("Never", (), {"n_losses": 2, "n_params": 2, "evaluate": staticmethod(never)})()
    with pytest.raises(sb.ProblemError, match=r"a checkpoint cannot hold Peculiar.odd, of type"):
        sb.solve(sb.Problem(losses), method=method, checkpoint=tmp_path / "run.ckpt")


def test_own_method_resumes_to_the_same_bits(tmp_path):
    path = tmp_path / "run.ckpt"
    whole = run(method=HeavyBall(), max_iter=20)
    run(method=HeavyBall(), max_iter=7, checkpoint=path)
    resumed = run(method=HeavyBall(), max_iter=20, checkpoint=path, resume=True)
    np.testing.assert_array_equal(resumed.history.value, whole.history.value)
    np.testing.assert_array_equal(resumed.w, whole.w)


def test_own_method_that_declares_another_state_resumes_by_what_its_init_makes(tmp_path):
    class Mistaken(HeavyBall):
        state_type = State

    path = tmp_path / "run.ckpt"
    whole = run(method=Mistaken(), max_iter=20)
    run(method=Mistaken(), max_iter=7, checkpoint=path)
    resumed = run(method=Mistaken(), max_iter=20, checkpoint=path, resume=True)
    np.testing.assert_array_equal(resumed.history.value, whole.history.value)


def test_union_of_dataclasses_comes_back_by_the_names_of_their_classes(tmp_path):
    inner = Inner(np.ones((2, 3)), np.ones((2, 3)))
    back = round_trip(tmp_path / "file", Either(Everything(), None))
    assert (type(back.one), back.one.number, back.other) == (Everything, 0.1, None)
    back = round_trip(tmp_path / "file", Either(Everything(), inner))
    assert (type(back.one), type(back.other)) == (Everything, Inner)
    forge(tmp_path / "file", lambda texts, arrays, sizes: texts.update({"it.other.class": "Either"}))
    with pytest.raises(sb.ProblemError, match=r"it.other must be one of Inner, Everything; got 'Either'"):
        load(tmp_path / "file", SIZES, {"it": Either})


def test_nothing_in_the_file_is_left_out_or_added(tmp_path):
    path = tmp_path / "run.ckpt"
    run(max_iter=3, checkpoint=path)
    texts, arrays, _ = contents(path)
    for name in (*texts, *arrays):
        run(max_iter=3, checkpoint=path)
        forge(path, lambda texts, arrays, sizes, name=name: (texts.pop(name, None), arrays.pop(name, None)))
        with pytest.raises(sb.ProblemError, match="is missing"):
            run(max_iter=3, checkpoint=path, resume=True)
    run(max_iter=3, checkpoint=path)
    forge(path, lambda texts, arrays, sizes: texts.update({"state.more": "1"}))
    with pytest.raises(sb.ProblemError, match=r"holds 'state.more', which this kind of run does not have"):
        run(max_iter=3, checkpoint=path, resume=True)


def test_header_is_json_that_a_human_can_read(tmp_path):
    path = tmp_path / "run.ckpt"
    run(max_iter=3, checkpoint=path)
    raw = path.read_bytes()
    table = json.loads(raw[8 : 8 + int.from_bytes(raw[:8], "little")])
    assert (table["run.best.f"]["dtype"], table["run.best.f"]["shape"]) == ("F64", [4])
    assert table["__metadata__"]["standing.limits.tol"] == "1e-12"


# Aliases as they are written from Python 3.12 on; NDArray is one in NumPy 2.5.
ALIASES = """
type Numbers = list[float]
type Few[A, B] = tuple[B, ...] | None
type Row[Length, Entry: np.generic] = Annotated[np.ndarray[Length, np.dtype[Entry]], Axes(("d",))]

@dataclass(frozen=True)
class Aliased:
    numbers: Numbers
    few: Few[int, float]
    none: Few[int, float]
    row: Row[tuple[int], np.float32]
    rows: tuple[NDArray[np.float64], ...]
"""


@pytest.mark.skipif(sys.version_info < (3, 12), reason="Python 3.11 has no aliases of this form")
def test_aliases_of_types_stand_for_what_they_name(tmp_path):
    module = ModuleType("aliases_of_a_user")
    vars(module).update(np=np, dataclass=dataclass, Annotated=Annotated, Axes=Axes, NDArray=NDArray)
    sys.modules[module.__name__] = module
    try:
        exec(ALIASES, vars(module))
        row = np.arange(3, dtype=np.float32)
        value = module.Aliased([1.0, 2.0], (0.5, 1.5), None, row, (np.ones(3), np.zeros((2, 2))))
        back = round_trip(tmp_path / "file", value)
    finally:
        del sys.modules[module.__name__]
    assert (back.numbers, back.few, back.none) == ([1.0, 2.0], (0.5, 1.5), None)
    assert (back.row.dtype, back.row.tolist()) == (np.float32, row.tolist())
    assert [part.tolist() for part in back.rows] == [[1.0] * 3, [[0.0] * 2] * 2]
