"""The sections of the benchmark, in the order in which they are measured and printed."""

from __future__ import annotations

from collections.abc import Callable

from ..report import Options, Report
from . import (
    conic,
    evaluate_many,
    evaluation,
    first_use,
    geometries,
    graph_bounds,
    inner_solvers,
    large_table,
    many_groups,
    many_losses,
    newton_problem,
    one_group,
    outer_methods,
    paper_problem,
    peers,
    published_optima,
    rows,
    scaling,
    selection,
    small_problems,
    small_set,
    sparse_iteration,
    table_calls,
    tables,
)

SECTIONS: dict[str, Callable[[Options], Report]] = {
    "paper_problem": paper_problem.measure,
    "evaluation": evaluation.measure,
    "evaluate_many": evaluate_many.measure,
    "newton_problem": newton_problem.measure,
    "conic": conic.measure,
    "tables": tables.measure,
    "table_calls": table_calls.measure,
    "one_group": one_group.measure,
    "first_use": first_use.measure,
    "selection": selection.measure,
    "large_table": large_table.measure,
    "published_optima": published_optima.measure,
    "small_problems": small_problems.measure,
    "small_set": small_set.measure,
    "many_groups": many_groups.measure,
    "sparse_iteration": sparse_iteration.measure,
    "many_losses": many_losses.measure,
    "scaling": scaling.measure,
    "geometries": geometries.measure,
    "graph_bounds": graph_bounds.measure,
    "rows": rows.measure,
    "outer_methods": outer_methods.measure,
    "inner_solvers": inner_solvers.measure,
    "peers": peers.measure,
}
