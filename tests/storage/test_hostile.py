"""Damaged and forged files: an object that works, or a ProblemError of one line, and nothing else."""

from __future__ import annotations

import json
import warnings
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import saddleback as sb
from benchmarks.fuzz import files, forging, saved_files
from benchmarks.fuzz.mutator import mutated
from saddleback.storage import json_array

RESULT, MODEL, CLASSES, COUNTS, CHOSEN, CORRECTION, PATH, TABLE = range(8)
"""The numbers of the seeds."""


@pytest.fixture(scope="module", autouse=True)
def removed_at_the_end():
    yield
    saved_files.scratch().unlink(missing_ok=True)


@pytest.mark.parametrize("kind", ["damaged", "forged"])
def test_hundreds_of_files(kind):
    counts = files.mutate_and_read(seed=7, n=400, kinds=(kind,))
    assert [word for word in counts if "FAILED" in word] == []
    assert counts[f"{kind} refused"] > 200
    assert counts["damaged loaded"] == 0
    assert kind == "damaged" or counts["forged loaded"] > 20


def test_bytes_with_a_repaired_checksum():
    seeds = saved_files.seeds()
    outcomes = {files.REPAIRED.outcome(mutated(seeds, 3, number)) for number in range(300)}
    assert outcomes == {"loaded", "refused"}


@pytest.mark.parametrize("number", range(8))
def test_every_byte_counts(number):
    """A file with one other byte anywhere is refused."""
    data = saved_files.seeds()[number]
    rng = Random(number)
    places = sorted({*range(16), *rng.sample(range(len(data)), 60), len(data) - 1})
    for place in places:
        changed = bytearray(data)
        changed[place] ^= 1 << rng.randrange(8)
        assert files.FILES.outcome(bytes(changed)) == "refused", place


@pytest.mark.parametrize("number", range(8))
def test_every_cut_is_refused(number):
    data = saved_files.seeds()[number]
    for length in (0, 1, 7, 8, 9, 100, len(data) // 2, len(data) - 1):
        assert files.FILES.outcome(data[:length]) == "refused"
    assert files.FILES.outcome(data + b"\0") == "refused"


@settings(max_examples=150)
@given(st.binary(max_size=300))
def test_bytes_of_no_file(data):
    assert files.FILES.outcome(data) == "refused"


@settings(max_examples=100)
@given(st.integers(0, 7), st.randoms(use_true_random=False))
def test_forged_by_hypothesis(number, random):
    kind, texts, arrays = saved_files.sound()[number]
    texts, arrays = dict(texts), dict(arrays)
    random.choice(forging.CHANGES)(texts, arrays, random)
    assert files.FILES.outcome(packed(kind, texts, arrays)) in ("loaded", "refused")


def packed(kind, texts, arrays):
    return saved_files.packed((kind, texts, arrays))


def unjson(arrays, name):
    return json.loads(arrays[name].tobytes())


def with_json(arrays, name, change):
    value = unjson(arrays, name)
    changed = change(value)
    arrays[name] = json_array(value if changed is None else changed)


def swap_children(texts, arrays):
    """A circle: the left child of the first split is the split itself."""
    left = arrays["estimator.trees.left"].copy()
    left[np.flatnonzero(~arrays["estimator.trees.leaf"])[0]] = 0
    arrays["estimator.trees.left"] = left


def entry(name, value, place=0):
    """One other number in an array."""

    def change(texts, arrays):
        array = arrays[name].copy()
        array.reshape(-1)[place] = value
        arrays[name] = array

    return change


def text(name, value):
    return lambda texts, arrays: texts.__setitem__(name, value)


def without(name):
    return lambda texts, arrays: (texts.pop(name, None), arrays.pop(name, None))


def parameter(name, value, prefix=""):
    return lambda texts, arrays: with_json(arrays, f"{prefix}parameters", lambda v: {**v, name: value})


def part(name, value):
    return lambda texts, arrays: arrays.__setitem__(name, json_array(value))


LIES = [
    (RESULT, entry("w", np.nan), "'w' must be finite numbers"),
    (RESULT, entry("dual", np.inf), "'dual' must be finite numbers"),
    (RESULT, entry("reach", -1.0), "'reach' must be lengths"),
    (RESULT, entry("history.n_evals", -1), "'history.n_evals' must be whole numbers >= 0"),
    (RESULT, text("status", "WON"), "'status' must be one of CONVERGED"),
    (RESULT, text("n_iter", "1.5"), "'n_iter' must be a whole number"),
    (RESULT, text("n_iter", "\u0661"), "'n_iter' must be a whole number"),
    (RESULT, text("value", "much"), "'value' must be a number"),
    (RESULT, text("value", "1_0"), "'value' must be a number"),
    (RESULT, text("certified", "True"), "'certified' must be one of true, false"),
    (RESULT, text("radius", "nan"), "'radius' must be a number >= 0"),
    (RESULT, text("more", ""), "it holds 'more'"),
    (RESULT, without("message"), "it has no text 'message'"),
    (RESULT, without("losses"), "it has no array 'losses'"),
    (RESULT, lambda t, a: a.update({"losses": np.ones(3)}), "'losses' must be an array of float64 (2)"),
    (RESULT, lambda t, a: a.update({"history.gap": np.ones(99)}), "'history.gap' must be"),
    (MODEL, text("class", "os.system"), "'class' must be one of MinimaxClassifier"),
    (MODEL, text("class", "MinimaxRegressor"), "holds 'classes"),
    (MODEL, text("n_features", "3"), "it has 2 coefficients for 3 columns"),
    (MODEL, text("n_features", "0"), "'n_features' must be a whole number >= 1"),
    (MODEL, entry("coef", np.inf), "'coef' must be finite numbers"),
    (MODEL, entry("intercept", np.nan), "'intercept' must be finite numbers"),
    (MODEL, entry("group_sizes", -5), "'group_sizes' must be whole numbers"),
    (MODEL, parameter("no_such", 1), "the parameter 'no_such', which this version does not know"),
    (MODEL, parameter("loss", "nothing"), "its parameter loss is of no use"),
    (MODEL, parameter("loss", {"object": "Softmax", "fields": {}}), "'coef' must be an array (2, any)"),
    (MODEL, parameter("loss", {"object": "Huber", "fields": {"delta": -1.0}}), "a Huber that is none"),
    (MODEL, parameter("loss", {"object": "Huber", "fields": {"odd": 1}}), "a Huber that is none"),
    (MODEL, parameter("loss", {"object": "os.system", "fields": {}}), "an object of the unknown class 'os.system'"),
    (MODEL, parameter("regularizer", {"array": "coef"}), "holds a value of no known kind"),
    (MODEL, parameter("keep_group_columns", "yes"), "its groups are of no known columns"),
    (MODEL, part("parameters", []), "'parameters' must be a table"),
    (MODEL, part("classes", ["a", "b"]), "'classes' must be two or more different labels"),
    (MODEL, part("classes", {"texts": ["a", "a"], "type": "<U1"}), "'classes' must be two or more different labels"),
    (MODEL, part("group_names", []), "'group_names' must be"),
    (MODEL, part("group_names", ["a", "a"]), "'group_names' must be different labels"),
    (MODEL, part("group_names", [[], "a"]), "'group_names' must be different labels"),
    (MODEL, part("merged_groups", {"dict": [["a", -1]]}), "'merged_groups' must be"),
    (CLASSES, part("feature_names", ["a", "b", "b"]), "3 different texts"),
    (CLASSES, part("feature_names", ["a", "b", 3]), "3 different texts"),
    (CLASSES, parameter("group_by", ["town", "b"]), "2 coefficients for 1 columns"),
    (COUNTS, part("group_names", {"tuple": [True, False]}), "'group_names' must be a list"),
    (CHOSEN, text("selection.choice.chosen", "99"), "candidates or groups that it does not have"),
    (CHOSEN, entry("selection.choice.worst_groups", 2), "candidates or groups that it does not have"),
    (CHOSEN, part("selection.columns", ["gain"]), "'selection.columns' must be"),
    (CHOSEN, part("selection.titles", ["a"]), "'selection.titles' must be"),
    (CHOSEN, without("selection.candidates.gain"), "it has no array 'selection.candidates.gain'"),
    (CHOSEN, part("prior", 2.0), "'prior' must be a number from 0 to 1"),
    (CORRECTION, swap_children, "a child is outside of its tree, or before its node"),
    (CORRECTION, entry("estimator.trees.right", 10**6), "a child is outside of its tree, or before its node"),
    (CORRECTION, entry("estimator.trees.feature", 77), "a feature is not there"),
    (CORRECTION, entry("estimator.trees.feature", -1), "a feature is not there"),
    (CORRECTION, entry("estimator.trees.starts", 1), "they do not follow each other"),
    (CORRECTION, entry("estimator.trees.baseline", np.nan), "leaves are not finite"),
    (CORRECTION, entry("estimator.trees.n_categories", 10**6), "categories"),
    (CORRECTION, text("estimator.link", "exec"), "'estimator.link' must be one of"),
    (CORRECTION, text("estimator.link", "softmax"), "softmax for more than two classes"),
    (CORRECTION, text("estimator.class", "HistGradientBoostingRegressor"), "of the same kind as its trees"),
    (CORRECTION, text("floor", "0"), "'floor' must be a number above 0"),
    (CORRECTION, part("estimator.categories", [["a"]]), "as many as the trees have"),
    (CORRECTION, part("estimator.feature_names", ["b", "a", "kind"]), "columns of other names"),
    (CORRECTION, parameter("features", ["a"]), "it has 2 coefficients for 1 columns"),
    (CORRECTION, parameter("features", {"dict": []}), "must name columns"),
    (CORRECTION, part("estimator.classes", {"texts": ["x", "y"], "type": "<U1"}), "other classes than its correction"),
    (PATH, entry("worst_weights", 0.5), "'worst_weights' must be rising numbers from 0 to 1"),
    (PATH, part("held_out.names", ["x", "y"]), "'held_out.names' must be the groups of the models"),
    (PATH, text("model.class", "MinimaxRegressorCV"), "'model.class' must be one of"),
    (PATH, lambda t, a: a.update({"bound_values": np.ones(5)}), "'bound_values' must be"),
]


@pytest.mark.parametrize("lie", range(len(LIES)), ids=lambda k: f"{LIES[k][0]} {LIES[k][2][:40]}")
def test_lies_with_a_valid_checksum(lie):
    number, change, words = LIES[lie]
    kind, texts, arrays = saved_files.sound()[number]
    texts, arrays = dict(texts), dict(arrays)
    change(texts, arrays)
    path = saved_files.scratch()
    path.write_bytes(packed(kind, texts, arrays))
    with pytest.raises(sb.ProblemError) as caught:
        sb.load(path)
    assert any(word in str(caught.value) for word in words.split("|")), caught.value
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("number", range(8))
def test_every_part_is_needed_and_checked(number):
    """Without it, or as another shape or word, a file is refused; but for what may say anything."""
    free = ("caption", "message", "method", "unit", "rule", "scoring", "kept_model", "family")
    kind, texts, arrays = saved_files.sound()[number]
    for name in (*texts, *arrays):
        optional = name.endswith(("feature_names", "titles")) or ".bound" in name
        if not optional:
            less = [{k: v for k, v in parts.items() if k != name} for parts in (texts, arrays)]
            assert files.FILES.outcome(packed(kind, *less)) == "refused", name
        if name.endswith(free):
            continue
        if name in texts:
            other = packed(kind, {**texts, name: "\u2603 something else"}, arrays)
        else:
            other = packed(kind, texts, {**arrays, name: np.ones((1, 3, 1)).reshape(1, 3)})
        assert files.FILES.outcome(other) == "refused", name


def test_a_loaded_object_owns_its_arrays():
    path = saved_files.scratch()
    path.write_bytes(saved_files.seeds()[MODEL])
    model = sb.load(path)
    model.coef_ += 1.0
    model.result_.w[:] = 0.0
    assert not np.array_equal(model.coef_, sb.load(path).coef_)


def test_no_warning_of_numbers_that_overflow():
    kind, texts, arrays = saved_files.sound()[CHOSEN]
    arrays = dict(arrays)
    arrays["coef"] = np.full_like(arrays["coef"], 1e308)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert files.FILES.outcome(packed(kind, texts, arrays)) == "loaded"
