"""The target: classes or numbers, the positive class, gaps."""

from __future__ import annotations

import datetime

import numpy as np
import pytest

from saddleback.errors import ProblemError
from saddleback.learn.path.task import MOST_CLASSES as MOST_CLASSES_OF_LEARN
from saddleback.learn.path.task import TASKS, model_of
from saddleback.tabular import learn_encoding, table_from_frame
from saddleback.tabular.encoding.target_learning import MOST_CLASSES

N = 120
Z = np.random.default_rng(3).normal(size=N)


def learn(y, **options):
    return learn_encoding(table_from_frame({"z": Z[: len(y)], "y": y}), target="y", **options)


def cycle(values):
    return [values[i % len(values)] for i in range(N)]


CLASSES = [["no", "yes"], ["a", "b", "c"], [0, 1], [3, 7], [0.0, 1.0], [True, False], list(range(MOST_CLASSES))]


@pytest.mark.parametrize("values", CLASSES)
def test_classes(values):
    encoding = learn(cycle(values))
    assert encoding.target.task == "classification"
    assert encoding.target.classes == tuple(sorted(values))
    assert [type(label) for label in encoding.target.classes] == [type(values[0])] * len(values)
    values_read = encoding.target_values(table_from_frame({"y": cycle(values)}))
    assert values_read.tolist() == cycle(values)


def test_numbers():
    y = (Z * 100).round(2).tolist()
    encoding = learn(y)
    assert (encoding.target.task, encoding.target.classes, encoding.target.positive) == ("regression", (), None)
    np.testing.assert_array_equal(encoding.target_values(table_from_frame({"y": y})), y)
    assert learn(cycle(list(range(30))), task="regression").target.task == "regression"
    assert len(learn(cycle(list(range(30))), task="classification").target.classes) == 30


@pytest.mark.parametrize("values", [*CLASSES, [0.5, 1.5], [0.5, 1.5, 2.0], list(range(11)), [1.0, 2.0, 3.0]])
def test_the_task_is_that_of_learn(values):
    assert MOST_CLASSES == MOST_CLASSES_OF_LEARN
    try:
        expected = next(task for task, model in TASKS.items() if model is model_of("auto", "auto", cycle(values)))
    except ProblemError:
        with pytest.raises(ProblemError, match="may be classes or numbers"):
            learn(cycle(values))
    else:
        assert learn(cycle(values)).target.task == expected


@pytest.mark.parametrize(
    ("values", "positive"),
    [
        (["no", "yes"], "yes"),
        (["approved", "denied"], "approved"),
        (["<=50K", ">50K"], ">50K"),
        (["bad", "good"], "good"),
        ([0, 1], 1),
        ([1, 2], 2),
        ([False, True], True),
        (["f", "t"], "t"),
        (["cat", "dog"], "dog"),
    ],
)
def test_the_positive_class_and_how_it_is_told(values, positive):
    encoding = learn(cycle(values))
    assert encoding.target.positive == positive
    (told,) = [f.message for f in encoding.findings if f.kind == "target"]
    assert f"is taken to be {positive!r}" in told


@pytest.mark.parametrize(
    ("values", "positive", "found"),
    [
        (["no", "yes"], "no", "no"),
        (["no", "yes"], " NO", "no"),
        ([0, 1], "0", 0),
        ([0, 1], 0.0, 0),
        ([0.0, 1.0], "0", 0.0),
        ([False, True], "false", False),
        ([False, True], False, False),
    ],
)
def test_a_positive_class_that_is_given(values, positive, found):
    encoding = learn(cycle(values), positive=positive)
    assert encoding.target.positive == found
    assert [f for f in encoding.findings if f.kind == "target"] == []


@pytest.mark.parametrize(
    ("values", "options", "told"),
    [
        (["yes"], {}, "the target 'y' is 'yes' in every row"),
        ([1], {}, "the target 'y' is 1 in every row"),
        ([1.5], {}, "the target 'y' is 1.5 in every row"),
        ([None], {}, "the target 'y' is missing in every row"),
        ([1.5, float("inf")], {}, "the column 'y' holds infinity in row 2"),
        ([datetime.date(2020, 1, 1), datetime.date(2020, 1, 2)], {}, "the target 'y' holds dates or times"),
        (["1/1/2020", "2/1/2020"], {}, "the target 'y' holds dates or times"),
        ([[1], [2]], {}, "the column 'y' is of type 'list<item: int64>'"),
        (list(range(40)), {}, "may be classes or numbers: it has 40 different whole numbers"),
        ([f"text {i}" for i in range(N)], {}, "has 120 different texts"),
        (["no", "yes"], {"task": "regression"}, "must hold numbers for a regression; got text"),
        (["no", "yes"], {"task": "both"}, "task must be 'auto', 'classification' or 'regression'"),
        (["no", "yes"], {"positive": "maybe"}, "positive must be one of the classes of 'y', 'no', 'yes'; got 'maybe'"),
        (["a", "b", "c"], {"positive": "a"}, "positive is a class of two"),
        ([0.5, 1.5], {"positive": 1}, "positive is a class of two"),
    ],
)
def test_targets_that_are_refused(values, options, told):
    with pytest.raises(ProblemError) as caught:
        learn(cycle(values), **options)
    assert told in str(caught.value)


@pytest.mark.parametrize("values", [["no", None, "yes"], [0, None, 1], [1.5, None, 2.25], ["1,5", "NA", "2,5"]])
def test_gaps(values):
    encoding = learn(cycle(values))
    table = table_from_frame({"y": cycle(values)})
    np.testing.assert_array_equal(encoding.target_missing(table), np.arange(N) % 3 == 1)
    with pytest.raises(ProblemError, match="the target 'y' is missing in 40 of 120 rows, first in row 2"):
        encoding.target_values(table)
    assert ("missing", "warning") in [(f.kind, f.severity) for f in encoding.findings]


def test_rows_without_a_target_are_no_training_rows():
    y = ["no", "yes", None] * 40
    x = [1.0, 2.0, 1000.0] * 40
    encoding = learn_encoding(table_from_frame({"x": x, "z": Z, "y": y}), target="y", keep="x")
    assert encoding.columns[0].mean == 1.5


def test_the_target_of_new_rows():
    encoding = learn(cycle([0, 1]))
    assert encoding.target_values(table_from_frame({"y": ["1", "0", "1"]})).tolist() == [1, 0, 1]
    assert encoding.target_values(table_from_frame({"y": [1.0, 0.0]})).tolist() == [1, 0]
    with pytest.raises(ProblemError, match="the target 'y' must be one of 0, 1; got '2' in row 3"):
        encoding.target_values(table_from_frame({"y": [1, 0, 2]}))
    words = learn(cycle(["no", "yes"]))
    assert words.target_values(table_from_frame({"y": ["YES", " no "]})).tolist() == ["yes", "no"]


def test_long_classes_take_no_fixed_width():
    classes = ["a" * 10_000, "b" * 10_000]
    assert learn(cycle(classes)).target_values(table_from_frame({"y": cycle(classes)})).dtype == object


def test_numbers_that_cannot_be_read_are_no_classes():
    percent = [f"{i % 40}.5%" for i in range(N)]
    with pytest.raises(
        ProblemError, match=r"'y' holds numbers that cannot be read as such, as '0.5%', '1.5%'; expected"
    ):
        learn(percent)
    assert len(learn(percent, task="classification").target.classes) == 40
    with pytest.raises(ProblemError, match="but for 'unknown'; expected numbers"):
        learn([*(str(i / 4) for i in range(N - 1)), "unknown"])
    assert learn(cycle(["10%", "20%"])).target.classes == ("10%", "20%")
