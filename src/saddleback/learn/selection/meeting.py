"""Solvers that run side by side, so that their evaluations are answered together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextvars import ContextVar, copy_context
from enum import Enum, auto
from threading import Condition, Lock, Thread
from typing import Any, Generic, TypeVar

import numpy as np

Q = TypeVar("Q")
A = TypeVar("A")
T = TypeVar("T")


class _State(Enum):
    READY = auto()
    """May go on."""
    RUNNING = auto()
    ASKING = auto()
    """Waits for an answer."""
    WAITING = auto()
    """Waits for a condition."""
    ENDED = auto()


class _Dismissed(BaseException):
    """Ends a task whose answer will not come."""


class Meeting(Generic[Q, A]):
    """Runs tasks, of which each may ask questions; when all that can go on have asked, one call answers them all.

    Every task has a thread, but one of them runs at a time, in a fixed order: the next one when it asks, waits or ends.
    So tasks may share objects, warning filters and limits of BLAS, and the questions of one call do not depend on how
    long anything takes. The answers are computed in the thread that has called ``hold``, with as many threads as the
    computation has itself. An error or an interruption of any of them ends all others, and is raised by ``hold``.
    """

    def __init__(
        self,
        answer: Callable[[list[Q]], Sequence[A]],
        lanes: int = 1,
        in_lanes: Callable[[Q], bool] = lambda question: True,
    ) -> None:
        self._answer = answer
        self._lanes = lanes
        """Questions that cost as much as one: of more of them multiples are answered, and the rest with the next."""
        self._in_lanes = in_lanes
        """Whether a question is one of these."""

    def hold(self, tasks: Sequence[Callable[[], T]]) -> list[T]:
        """What the tasks return."""
        round_table = _RoundTable()
        seats = [_Seat(round_table, task) for task in tasks]
        try:
            for seat in seats:
                seat.thread.start()
            while any(seat.state is not _State.ENDED for seat in seats):
                self._go_round(round_table, seats)
        finally:
            round_table.dismiss(seats)
        return [seat.result for seat in seats]

    def ask(self, question: Q) -> A:
        """The answer; outside of a task it is computed at once."""
        seat = _present.get()
        if seat is None:
            return self._answer([question])[0]
        seat.question = question
        seat.pause(_State.ASKING)
        answer: A = seat.answer
        seat.question = seat.answer = None
        return answer

    @staticmethod
    def wait_until(condition: Callable[[], bool]) -> None:
        """Go on when other tasks have made the condition true."""
        seat = _present.get()
        assert seat is not None
        if not condition():
            seat.condition = condition
            seat.pause(_State.WAITING)

    def _go_round(self, round_table: _RoundTable, seats: list[_Seat]) -> None:
        """Let every task go on that can, in their order; then answer those that have asked."""
        going = True
        while going:
            going = False
            for seat in seats:
                if seat.state is _State.READY or (seat.state is _State.WAITING and seat.condition()):
                    going = True
                    round_table.give_turn(seat)
                    if seat.error is not None:
                        raise seat.error
        asking = round_table.asking
        assert asking or all(seat.state is _State.ENDED for seat in seats), "tasks wait for each other"
        in_lanes = [seat for seat in asking if self._in_lanes(seat.question)]
        count = len(in_lanes) // self._lanes * self._lanes or len(in_lanes)
        round_table.asking = in_lanes[count:]
        answered = [seat for seat in asking if seat not in round_table.asking]
        if answered:
            for seat, answer in zip(answered, self._answer([seat.question for seat in answered]), strict=True):
                seat.answer, seat.state = answer, _State.READY


class _RoundTable:
    """Whose turn it is."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.back = Condition(self.lock)
        """Notified when the turn is given back."""
        self.dismissed = False
        self.asking: list[_Seat] = []
        """Who waits for an answer, the longest first."""

    def give_turn(self, seat: _Seat) -> None:
        """Let a task go on until it asks, waits or ends."""
        with self.lock:
            seat.state = _State.RUNNING
            seat.turn.notify()
            self.back.wait_for(lambda: seat.state is not _State.RUNNING)
        if seat.state is _State.ASKING:
            self.asking.append(seat)

    def dismiss(self, seats: list[_Seat]) -> None:
        """End the tasks that have not ended; one that is running goes on until it asks."""
        with self.lock:
            self.dismissed = True
            for seat in seats:
                seat.turn.notify()
        for seat in seats:
            if seat.thread.ident is not None:
                seat.thread.join()


class _Seat:
    """A task and its thread."""

    def __init__(self, round_table: _RoundTable, task: Callable[[], Any]) -> None:
        self.round_table, self.task = round_table, task
        self.turn = Condition(round_table.lock)
        self.state = _State.READY
        self.question: Any = None
        self.answer: Any = None
        self.condition: Callable[[], bool] = lambda: True
        self.result: Any = None
        self.error: BaseException | None = None
        self.errstate = np.geterr()
        # The thread does not keep the process alive where a second interruption ends the wait for the tasks.
        self.thread = Thread(target=copy_context().run, args=(self._run,), daemon=True)

    def pause(self, state: _State) -> None:
        """Give the turn back, until it comes again."""
        with self.round_table.lock:
            self.state = state
            self.round_table.back.notify()
            self._await_turn()

    def _await_turn(self) -> None:
        self.turn.wait_for(lambda: self.state is _State.RUNNING or self.round_table.dismissed)
        if self.round_table.dismissed:
            raise _Dismissed

    def _run(self) -> None:
        _present.set(self)
        try:
            with self.round_table.lock:
                self._await_turn()
            # NumPy below 2.0 keeps the treatment of floating-point errors by thread, not in the context.
            with np.errstate(**self.errstate):
                self.result = self.task()
        except _Dismissed:
            pass
        except BaseException as error:
            self.error = error
        with self.round_table.lock:
            self.state = _State.ENDED
            self.round_table.back.notify()


_present: ContextVar[_Seat | None] = ContextVar("_present", default=None)
"""The seat of the task that runs in this context."""
