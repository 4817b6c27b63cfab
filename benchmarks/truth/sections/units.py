"""The same problem in other units: the same status and the same value."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

import saddleback as sb

from ..endings import SECONDS, describe, ending, quietly
from ..problems.ill_tables import draw
from ..problems.table import Array, Table
from ..section import Section
from ..tally import Outcome, Share

TOL = 1e-6
# Columns are multiplied by 10^U(-7, 7).
DECADES = 7.0
# Kinds of tables that every method solves in units of one; repetition gives their shares.
KINDS = ("well-conditioned", "well-conditioned", "well-conditioned", "low rank", "rare categories")
METHODS = ("auto", "auto", "quasi-newton", "quasi-newton", "newton", "accelerated")
# Accelerated steps have one L for all coordinates and may need many iterations.
MANY = 20_000

STATUS = "tables: another status, or a value that differs by more than tol"
ENDING = "tables: another kind of ending (certified, estimated)"
PLAIN = "plain functions: another status, or a value that differs by more than tol"


def judge(rng: np.random.Generator, number: int) -> list[Outcome]:
    """One table in units of one and in other units; every fourth case also with the losses as plain functions."""
    method = METHODS[number % len(METHODS)]
    table = draw(rng, KINDS[int(rng.integers(len(KINDS)))], "logistic" if rng.random() < 0.6 else "squared")
    # Accelerated steps are for few and well-conditioned parameters.
    if method == "accelerated":
        table = replace(table, kind="well-conditioned", X=rng.standard_normal((len(table.X), min(6, table.X.shape[1]))))
    units: Array = 10.0 ** rng.uniform(-DECADES, DECADES, table.X.shape[1])
    plain, other = _solve(table, method), _solve(table.in_units(units), method)
    compared = _compared(plain, other, STATUS, f"tables, {method}", table)
    outcomes = [replace(compared, counts={**compared.counts, ENDING: ending(plain) != ending(other)})]
    if number % 4 == 0 and method != "newton" and method != "accelerated":
        w_units: Array = np.append(units, 1.0) if table.fit_intercept else units
        outcomes.append(
            _compared(
                _solve_functions(table, method, np.ones_like(w_units)),
                _solve_functions(table, method, w_units),
                PLAIN,
                f"plain functions, {method}",
                table,
            )
        )
    return outcomes


def _solve(table: Table, method: str) -> sb.Result:
    problem = sb.Problem(table.losses())
    max_iter = MANY if method == "accelerated" else 1000
    return quietly(lambda: sb.solve(problem, method=method, tol=TOL, max_iter=max_iter, time_limit=SECONDS))


def _solve_functions(table: Table, method: str, units: Array) -> sb.Result:
    """f(units w) as plain functions, without information about the table."""
    losses = table.losses()

    def fun(w: Array) -> tuple[Array, Array]:
        f, G = losses.evaluate(units * w)
        return f, G * units

    run: Callable[[], sb.Result] = lambda: sb.minimax(  # noqa: E731
        fun, np.zeros(losses.n_params), jac=True, method=method, tol=TOL, time_limit=SECONDS
    )
    return quietly(run)


def _compared(plain: sb.Result, other: sb.Result, name: str, row: str, table: Table) -> Outcome:
    differs = plain.status is not other.status or not abs(plain.value - other.value) <= TOL
    note = (
        f"{table.kind}, {table.loss}, {table.X.shape}: in units of one {describe(plain)}; in others {describe(other)}"
    )
    return Outcome({name: differs}, row, f"{ending(plain)} / {ending(other)}", note)


ABOUT = """\
Tables whose columns are multiplied by 10^U(-7, 7), each by its own factor, with and without an intercept, l2 = 0, tol
= 1e-6: the run must end with the same status and, within tol, the same value as in units of one. Endings are shown as
units of one / other units. The same is tried with the losses as plain functions, without any information about the
table.
"""

SECTION = Section(
    name="units",
    title="Units",
    about=ABOUT,
    judge=judge,
    limits=(Share(STATUS), Share(ENDING, None), Share(PLAIN, None)),
    sizes={"small": 60, "full": 1000},
)
