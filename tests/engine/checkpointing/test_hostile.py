"""Damaged, huge and forged files are refused with a ProblemError, before memory is allocated."""

import contextlib
import json
import subprocess
import sys
import zipfile

import numpy as np
import pytest
from checkpoints import forge, run
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import saddleback as sb
from saddleback.engine.checkpointing.container import VERSION
from saddleback.methods import METHODS

pytestmark = pytest.mark.slow

METHOD = {"method": "quasi-newton", "max_iter": 6}


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    path = tmp_path_factory.mktemp("original") / "run.ckpt"
    run(**METHOD, checkpoint=path)
    return path.read_bytes()


def refused(path, **options):
    """The message with which a file is refused; an AssertionError where it is not."""
    with pytest.raises(sb.ProblemError) as caught:
        run(**{**METHOD, **options}, checkpoint=path, resume=True)
    message = str(caught.value)
    assert str(path) in message
    assert "elete it" in message or "resume=False" in message or "another name" in message
    return message


def resumed_or_refused(path):
    """A changed file is refused, or still gives the same run."""
    with contextlib.suppress(sb.ProblemError):
        run(**METHOD, checkpoint=path, resume=True)


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(where=st.floats(0, 1, exclude_max=True), bit=st.integers(0, 7))
def test_flipped_bits(original, tmp_path, where, bit):
    raw = bytearray(original)
    raw[int(where * len(raw))] ^= 1 << bit
    path = tmp_path / "run.ckpt"
    path.write_bytes(raw)
    resumed_or_refused(path)


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(where=st.floats(0, 1), length=st.integers(0, 40), filling=st.binary(max_size=40))
def test_bytes_cut_out_and_put_in(original, tmp_path, where, length, filling):
    start = int(where * len(original))
    path = tmp_path / "run.ckpt"
    path.write_bytes(original[:start] + filling + original[start + length :])
    resumed_or_refused(path)


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.binary(max_size=2000))
def test_anything_at_all(tmp_path, data):
    path = tmp_path / "run.ckpt"
    path.write_bytes(data)
    refused(path)


@pytest.mark.parametrize("kept", [0, 1, 7, 8, 9, 100, -200, -8, -1])
def test_truncated(original, tmp_path, kept):
    path = tmp_path / "run.ckpt"
    path.write_bytes(original[:kept])
    refused(path)
    path.write_bytes(original + b"\0")
    refused(path)


def with_header(path, header, data=b""):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + data)


ABOUT = {"format": "saddleback checkpoint", "version": VERSION, "n_losses": "4", "n_params": "6", "sha256": "0" * 64}
NUMBER = {"dtype": "F64", "shape": [1], "data_offsets": [0, 8]}


@pytest.mark.parametrize(
    "header",
    [
        b"",
        b"null",
        b"[]",
        b"{",
        b"\xff\xfe{}",
        b'{"__metadata__": null}',
        b'{"__metadata__": {"format": 3}}',
        b"[" * 100_000,
        b'{"a":' * 50_000,
        b'{"__metadata__": ' + b"9" * 10_000 + b"}",
        b'{"a": 1, "a": 2}',
        {"__metadata__": {**ABOUT, "version": "x" * 10_000}},
        {"__metadata__": {**ABOUT, "n_losses": "-4"}},
        {"__metadata__": {**ABOUT, "n_losses": "9" * 400}},
        {"__metadata__": {**ABOUT, "n_params": "\u0664"}},
        {"__metadata__": ABOUT, "a": {**NUMBER, "dtype": "F65"}},
        {"__metadata__": ABOUT, "a": {**NUMBER, "dtype": ["F64"]}},
        {"__metadata__": ABOUT, "a": {**NUMBER, "dtype": None}},
        {"__metadata__": ABOUT, "a": {**NUMBER, "shape": [-1, -1]}},
        {"__metadata__": ABOUT, "a": {**NUMBER, "shape": [2**62, 4]}},
        {"__metadata__": ABOUT, "a": {**NUMBER, "shape": [0, 2**62], "data_offsets": [0, 0]}},
        {"__metadata__": ABOUT, "a": {**NUMBER, "shape": [0, 2**39], "data_offsets": [0, 0]}},
        {"__metadata__": ABOUT, "a": {**NUMBER, "shape": [1.0]}},
        {"__metadata__": ABOUT, "a": {**NUMBER, "shape": [True]}},
        {"__metadata__": ABOUT, "a": {**NUMBER, "shape": "1"}},
        {"__metadata__": ABOUT, "a": {**NUMBER, "shape": [1] * 1000}},
        {"__metadata__": ABOUT, "a": {**NUMBER, "data_offsets": [8, 0]}},
        {"__metadata__": ABOUT, "a": {**NUMBER, "data_offsets": [0, 2**63]}},
        {"__metadata__": ABOUT, "a": {**NUMBER, "data_offsets": [8, 16]}},
        {"__metadata__": ABOUT, "a": {**NUMBER, "data_offsets": [0]}},
        {"__metadata__": ABOUT, "a": {**NUMBER, "more": 1}},
        {"__metadata__": ABOUT, "a": 3},
        {"__metadata__": ABOUT, "a": NUMBER, "b": NUMBER},
        {"__metadata__": ABOUT, "run.best.w": NUMBER},
    ],
    ids=range(34),
)
def test_headers_that_are_wrong(header, tmp_path):
    path = tmp_path / "run.ckpt"
    with_header(path, header, bytes(8))
    refused(path)


@pytest.mark.parametrize("length", [0, 1, 10**6, 10**8, 2**31, 2**53, 2**63, 2**64 - 1])
def test_lengths_of_the_header_that_are_wrong(original, tmp_path, length):
    path = tmp_path / "run.ckpt"
    path.write_bytes(length.to_bytes(8, "little") + original[8:])
    refused(path)


LIES = {
    "a shape": lambda t, a, s: a.update({"run.best.w": np.ones(7)}),
    "another axis": lambda t, a, s: a.update({"run.best.w": np.ones((6, 1))}),
    "the rows of one of two": lambda t, a, s: a.update({"state.model.B.S": a["state.model.B.S"][1:]}),
    "a type": lambda t, a, s: a.update({"run.best.w": np.ones(6, dtype=np.float32)}),
    "nan": lambda t, a, s: a["run.best.w"].__setitem__(0, np.nan),
    "inf": lambda t, a, s: a["run.dual"].__setitem__(0, np.inf),
    "a number that is nan": lambda t, a, s: t.update({"run.magnitude": "nan"}),
    "a size that is infinite": lambda t, a, s: t.update({"run.magnitude": "inf"}),
    "a best value that is infinite": lambda t, a, s: t.update({"run.best.value": "inf"}),
    "a bound above the value": lambda t, a, s: t.update({"run.lower": "1e300"}),
    "a word for a number": lambda t, a, s: t.update({"run.magnitude": "large"}),
    "a huge number": lambda t, a, s: t.update({"memory.n_evals": "9" * 5000}),
    "a fraction of a count": lambda t, a, s: t.update({"memory.n_evals": "1.5"}),
    "a word for a truth": lambda t, a, s: t.update({"run.best?": "yes"}),
    "an unknown status": lambda t, a, s: t.update({"standing.status": "WON"}),
    "an object of another kind": lambda t, a, s: t.update({"run.bound": "same as run.best"}),
    "an object that is not built yet": lambda t, a, s: t.update({"run.best": "same as state.point"}),
    "an object in itself": lambda t, a, s: t.update({"run.best": "same as run.best"}),
    "a negative length": lambda t, a, s: t.update({"state.minorants.length": "-1"}),
    "a huge length": lambda t, a, s: t.update({"state.minorants.length": "9999999"}),
    "a longer length": lambda t, a, s: t.update({"state.minorants.length": "2"}),
    "a longer column": lambda t, a, s: a.update({"run.history.gap": np.ones(100)}),
    "no history": lambda t, a, s: [a.update({k: a[k][:0]}) for k in a if k.startswith("run.history.")],
    "times that are infinite": lambda t, a, s: a["run.history.time"].__setitem__(0, np.inf),
    "times that are negative": lambda t, a, s: a["run.history.time"].__setitem__(0, -1.0),
    "a list of truths": lambda t, a, s: a.update({"run.history.gap": np.zeros(7, dtype=bool)}),
    "a matrix for a list": lambda t, a, s: a.update({"run.history.gap": np.zeros((7, 1))}),
    "something absent that is there": lambda t, a, s: t.update({"run.bound?": "none"}),
    "a state of another class": lambda t, a, s: t.update({"state.class": "NewtonState"}),
    "a state of an unknown class": lambda t, a, s: t.update({"state.class": "os.system"}),
    "a model of another class": lambda t, a, s: t.update({"state.model.B.class": "LimitedBFGS"}),
    "a model of an unknown class": lambda t, a, s: t.update({"state.model.B.class": "os.system"}),
    "a circle": lambda t, a, s: (a.pop("run.dual"), t.update({"run.dual": "same as run.dual"})),
    "an unknown place": lambda t, a, s: (a.pop("run.dual"), t.update({"run.dual": "same as nowhere"})),
    "other sizes": lambda t, a, s: s.update({"d": 7}),
    "another best point": lambda t, a, s: a["run.best.w"].__iadd__(1.0),
    "other losses there": lambda t, a, s: a["run.best.f"].__imul__(1.001),
    "another strong convexity": lambda t, a, s: [a.update({k: a[k] + 1}) for k in a if k.endswith("strong_convexity")],
}


@pytest.mark.parametrize("lie", LIES)
def test_lies_with_a_valid_checksum(original, tmp_path, lie):
    path = tmp_path / "run.ckpt"
    path.write_bytes(original)
    forge(path, LIES[lie])
    refused(path)


@pytest.mark.parametrize("method", METHODS)
def test_every_number_of_every_method_is_checked(method, tmp_path):
    """Each text becomes another word, each array another shape: all are refused."""
    path = tmp_path / "run.ckpt"
    run(method=method, max_iter=4, checkpoint=path)
    raw = path.read_bytes()
    names = []
    forge(path, lambda texts, arrays, sizes: names.extend((*texts, *arrays)))
    for name in names:
        path.write_bytes(raw)

        def change(texts, arrays, sizes, name=name):
            if name in arrays:
                arrays[name] = np.ones((1, 3))
            else:
                texts[name] = "\u2603 something else"

        forge(path, change)
        if name.endswith(("shown", "violation", "message")):
            continue
        refused(path, method=method, max_iter=4)


def test_file_with_objects_is_refused_and_not_executed(tmp_path, capsys):
    class Exploit:
        def __reduce__(self):
            return print, ("executed",)

    path = tmp_path / "run.npz"
    np.savez(path, **{"header.method": np.array([Exploit()], dtype=object)})
    refused(path)
    assert "executed" not in capsys.readouterr().out


def bomb(path):
    """A quarter of a gigabyte of zeros in a quarter of a megabyte, as the archives of earlier versions held them."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("a.npy", "w") as member:
        np.lib.format.write_array_header_1_0(member, {"descr": "<f8", "fortran_order": False, "shape": (2**25,)})
        for _ in range(64):
            member.write(bytes(2**22))


def many_entries(path):
    """As many arrays as the header may describe, each of nothing."""
    entry = '"%s":{"dtype":"F64","shape":[0],"data_offsets":[0,0]}'
    names = ",".join(entry % f"{k:x}" for k in range(17_000))
    with_header(path, f'{{"__metadata__":{json.dumps(ABOUT)},{names}}}'.encode())


def many_texts(path):
    with_header(path, {"__metadata__": ABOUT | {f"{k:x}": "" for k in range(80_000)}})


def nested(path):
    with_header(path, b'{"__metadata__":{},"a":[' + b"[]," * 320_000 + b"[]]}")


def other_shapes(path):
    """Sixty megabytes in an array that the run does not have."""
    about = {"__metadata__": ABOUT, "a": {"dtype": "F64", "shape": [2**23], "data_offsets": [0, 2**26]}}
    with_header(path, about)
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size + 2**26)


MEASURE = """
import resource, sys
from pathlib import Path
from checkpoints import run
import saddleback as sb
run(method="quasi-newton", max_iter=2, checkpoint=sys.argv[2])
run(method="quasi-newton", max_iter=3, checkpoint=sys.argv[2], resume=True)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    run(method="quasi-newton", max_iter=3, checkpoint=sys.argv[1], resume=True)
    print("taken")
except sb.ProblemError as error:
    print("refused")
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * (1 if sys.platform == "darwin" else 1024))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="memory is measured by getrusage")
@pytest.mark.parametrize("make", [bomb, many_entries, many_texts, nested, other_shapes])
def test_hostile_files_take_no_memory(make, tmp_path, request):
    path = tmp_path / "hostile"
    make(path)
    done = subprocess.run(
        [sys.executable, "-c", MEASURE, str(path), str(tmp_path / "good")],
        cwd=request.path.parents[2],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    verdict, memory = done.stdout.split()
    assert verdict == "refused"
    assert int(memory) <= 4 * path.stat().st_size + 50_000_000
    if make is other_shapes:
        assert int(memory) < 2**25, "shapes are compared before anything is read"


def test_large_checkpoint_takes_twice_its_size(tmp_path, request):
    """One copy as it is read, and one as it is used."""
    script = """
import resource, sys
import numpy as np
import saddleback as sb
from checkpoints import quiet_solve
d, path = 300_000, sys.argv[1]
def two(w):
    return np.array([w @ w, (w - 1) @ (w - 1)]), np.array([2 * w, 2 * w - 2])
losses = sb.from_functions(two, np.ones(d), jac=True)
options = dict(method="quasi-newton", max_iter=int(sys.argv[2]), tol=0.0, checkpoint=path)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
from pathlib import Path
from saddleback.engine.checkpointing.resumption import Resumption
if sys.argv[3] == "write":
    quiet_solve(sb.Problem(losses), np.linspace(0, 1, d), **options)
else:
    Resumption.read(Path(path), sb.QuasiNewton(), {"J": 2, "d": d})
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * (1 if sys.platform == "darwin" else 1024))
"""
    path = tmp_path / "run.ckpt"
    for mode in ("write", "read"):
        done = subprocess.run(
            [sys.executable, "-c", script, str(path), "3", mode],
            cwd=request.path.parents[2],
            capture_output=True,
            text=True,
            timeout=120,
            check=True,
        )
    size = path.stat().st_size
    assert size > 20_000_000
    assert int(done.stdout) <= 2.5 * size + 20_000_000


def test_sizes_are_named(tmp_path):
    path = tmp_path / "run.ckpt"
    run(**METHOD, checkpoint=path)
    small = sb.Problem(sb.from_functions(lambda w: ([w @ w], [2 * w]), np.ones(2), jac=True))
    with pytest.raises(sb.ProblemError, match="it had J = 4, d = 6, this has J = 1, d = 2"):
        sb.solve(small, method="quasi-newton", checkpoint=path, resume=True)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 1e308, 0.0, -1.0])
def test_impossible_numbers_under_a_valid_checksum(original, tmp_path, value):
    """Every array, and every text, of a file."""
    path = tmp_path / "run.ckpt"
    changes = []
    path.write_bytes(original)

    def list_all(texts, arrays, sizes):
        changes.extend(lambda t, a, s, name=name: t.update({name: str(value)}) for name in texts)
        floats = [name for name in arrays if arrays[name].dtype == np.float64]
        changes.extend(lambda t, a, s, name=name: a.update({name: np.full_like(a[name], value)}) for name in floats)

    forge(path, list_all)
    assert len(changes) > 30
    refusals = []
    for change in changes:
        path.write_bytes(original)
        forge(path, change)
        with np.errstate(all="ignore"):
            try:
                run(**{**METHOD, "max_iter": 0}, checkpoint=path, resume=True)
            except sb.ProblemError as error:
                refusals.append(str(error))
    assert all(str(path) in refusal for refusal in refusals)
