"""Tasks side by side, whose questions are answered together."""

from __future__ import annotations

import _thread
import signal
import threading
import warnings
from functools import partial

import numpy as np
import pytest

from saddleback.learn.selection.meeting import Meeting

DOUBLED = [[0, 1, 2], [3], [], [4, 5]]


class Recorder:
    """Doubles numbers, and remembers which ones it was asked for at a time."""

    def __init__(self):
        self.batches = []

    def __call__(self, questions):
        self.batches.append(list(questions))
        return [2 * question for question in questions]


def asking(meeting, questions):
    return [meeting.ask(question) for question in questions]


def test_questions_of_all_tasks_are_answered_together():
    answer = Recorder()
    meeting = Meeting(answer)
    results = meeting.hold([partial(asking, meeting, questions) for questions in DOUBLED])
    assert results == [[2 * q for q in questions] for questions in DOUBLED]
    assert answer.batches == [[0, 3, 4], [1, 5], [2]]


def test_multiples_of_the_lanes_are_answered_and_who_has_waited_longest_goes_first():
    answer = Recorder()
    meeting = Meeting(answer, lanes=2)
    tasks = [partial(asking, meeting, questions) for questions in ([0, 1], [10, 11], [20, 21])]
    assert meeting.hold(tasks) == [[0, 2], [20, 22], [40, 42]]
    assert answer.batches == [[0, 10], [20, 1], [11, 21]]


def test_questions_that_are_in_no_lane_do_not_wait():
    answer = Recorder()
    meeting = Meeting(answer, 2, lambda question: question < 100)
    tasks = [partial(asking, meeting, questions) for questions in ([0, 100], [10, 101], [20, 102], [103, 104])]
    assert meeting.hold(tasks) == [[0, 200], [20, 202], [40, 204], [206, 208]]
    assert answer.batches == [[0, 10, 103], [20, 100, 101, 104], [102]]


def test_outside_of_a_task_a_question_is_answered_at_once():
    answer = Recorder()
    assert Meeting(answer).ask(4) == 8
    assert answer.batches == [[4]]


def test_no_tasks():
    assert Meeting(Recorder()).hold([]) == []


def test_one_task_runs_at_a_time_and_in_a_fixed_order():
    running, most, order = [], [], []
    meeting = Meeting(Recorder())

    def task(number):
        for question in range(3):
            running.append(number)
            most.append(len(running))
            order.append(number)
            sum(range(10_000))
            running.remove(number)
            meeting.ask(question)

    meeting.hold([partial(task, number) for number in range(5)])
    assert max(most) == 1
    assert order == [*range(5)] * 3


def test_a_task_may_wait_for_others():
    done, meeting = [], Meeting(Recorder())

    def first():
        meeting.ask(1)
        done.append("first")
        meeting.ask(2)

    def second():
        Meeting.wait_until(lambda: "first" in done)
        done.append("second")

    meeting.hold([second, first])
    assert done == ["first", "second"]


def test_tasks_that_wait_for_each_other_are_refused():
    def wait():
        Meeting.wait_until(lambda: False)

    with pytest.raises(AssertionError, match="tasks wait for each other"):
        Meeting(Recorder()).hold([wait, wait])


def left_over():
    return [thread for thread in threading.enumerate() if thread is not threading.main_thread()]


@pytest.mark.parametrize("error", [ValueError("of a task"), KeyboardInterrupt(), SystemExit(3)])
def test_an_error_of_a_task_ends_all_others(error):
    before, unwound, meeting = left_over(), [], Meeting(Recorder())

    def fails():
        meeting.ask(1)
        raise error

    def goes_on():
        try:
            while True:
                meeting.ask(2)
        finally:
            unwound.append(threading.current_thread())

    with pytest.raises(type(error)) as raised:
        meeting.hold([goes_on, fails, goes_on, lambda: meeting.wait_until(lambda: False)])
    assert raised.value is error
    assert len(unwound) == 2
    assert left_over() == before


@pytest.mark.parametrize("error", [MemoryError, KeyboardInterrupt])
def test_an_error_of_the_answers_ends_all_tasks(error):
    before = left_over()

    def fail(questions):
        raise error

    meeting = Meeting(fail)
    with pytest.raises(error):
        meeting.hold([partial(meeting.ask, 1), lambda: None, partial(meeting.ask, 2)])
    assert left_over() == before


def test_a_task_that_asks_while_it_is_ended_is_ended_nevertheless():
    meeting = Meeting(Recorder())

    def stubborn():
        try:
            meeting.ask(1)
            meeting.ask(1)
        finally:
            meeting.ask(1)

    def fails():
        meeting.ask(1)
        raise ValueError("of a task")

    with pytest.raises(ValueError, match="of a task"):
        meeting.hold([stubborn, fails])


def test_tasks_share_the_callers_filters_and_error_states():
    meeting, states = Meeting(Recorder()), []

    def task():
        meeting.ask(1)
        warnings.warn("not told", RuntimeWarning, stacklevel=1)
        states.append(np.geterr()["over"])

    with warnings.catch_warnings(), np.errstate(over="raise"):
        warnings.simplefilter("ignore", RuntimeWarning)
        meeting.hold([task, task])
    assert states == ["raise", "raise"]
    with pytest.warns(RuntimeWarning):
        warnings.warn("the filters are as before", RuntimeWarning, stacklevel=1)


@pytest.fixture
def interruptible():
    """Ctrl-C is ignored by programs that a shell has started in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interruptible")
def test_an_interruption_ends_all_tasks():
    """As by Ctrl-C while a task runs: the main thread has it, and waits for that task to ask."""
    before, asked, meeting = left_over(), [], Meeting(Recorder())

    def interrupts():
        _thread.interrupt_main()
        asked.append(1)
        meeting.ask(1)
        asked.append(2)

    with pytest.raises(KeyboardInterrupt):
        meeting.hold([partial(asking, meeting, [1, 2, 3]), interrupts])
    assert asked == [1]
    assert left_over() == before
