"""Writes heldout.md from the figures."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import fill

from ..writing import markdown
from .distribution import GAIN, changed, largest_by_chance, of, without_gain
from .halves import halves_table
from .reasons import noise_table, rank_table, size_table
from .summary import Summary
from .table_text import (
    CORRECTED,
    accuracy_cell,
    all_tables,
    change_cell,
    corrected_table,
    counts_table,
    gains_table,
    own_cell,
    selected_table,
    signed,
    with_error,
)
from .words import (
    CONCLUSIONS,
    CORRECTIONS,
    DETAILS,
    EXPRESSIVE,
    INTRODUCTION,
    NOISE,
    NOISE_WHY,
    RANKS,
    RANKS_WHY,
    READING,
    RULE,
    SELECTED,
    SIZES,
    SIZES_WHY,
    WHEN,
)

HIGHEST_PRICE = 0.002
MOST_EXPENSIVE = 5


def page(summaries: Sequence[Summary], picture: str, *, conclusions: bool = False) -> str:
    """The whole page; ``conclusions`` are those of all tables of the recipes."""
    parts = [INTRODUCTION, extent(summaries), *([CONCLUSIONS] if conclusions else []), READING]
    parts += ["## All models\n", gains_table(summaries)]
    parts += [SELECTED, counts_table(summaries, ["selected", "worst-group"]), f"![{caption(summaries)}]({picture})\n"]
    parts += [_wrapped(f"*{caption(summaries)}*"), *outcome(summaries), selected_table(summaries)]
    if any(of(summaries, name) for name in CORRECTED):
        parts += [CORRECTIONS, counts_table(summaries, CORRECTED), *corrections(summaries)]
    parts += [WHEN, *reasons(summaries, conclusions)]
    halves = halves_table(summaries)
    parts += [RULE, halves] if halves.count("\n") > 2 else []
    parts += [DETAILS[0], all_tables(summaries, change_cell), DETAILS[1], all_tables(summaries, own_cell)]
    parts += [DETAILS[2], all_tables(summaries, accuracy_cell, classes_only=True)]
    return "\n".join(parts)


def reasons(summaries: Sequence[Summary], conclusions: bool) -> list[str]:
    """When worst-group training helps; ``conclusions`` adds what the tables of the recipes show."""
    tables = (
        (NOISE, noise_table, NOISE_WHY + "\n" + EXPRESSIVE),
        (SIZES, size_table, SIZES_WHY),
        (RANKS, rank_table, RANKS_WHY),
    )
    return [part for title, table, why in tables for part in (title, table(summaries), *([why] if conclusions else []))]


def extent(summaries: Sequence[Summary]) -> str:
    """How much was computed."""
    own = of(summaries, "average")
    classes = sum(s.classes for s in own)
    seconds = sum(s.seconds for s in summaries)
    return _wrapped(
        f"{len(own)} tables: {classes} with two classes, {len(own) - classes} with a number as the target; "
        f"{min(s.rows for s in own):,} to {max(s.rows for s in own):,} rows, {min(s.groups for s in own)} to "
        f"{max(s.groups for s in own)} groups. All fits together took {seconds / 60:.0f} minutes in one thread of a "
        "busy machine; seconds are therefore rough, and for five fits with their selection."
    )


def caption(summaries: Sequence[Summary]) -> str:
    """What the picture shows, in one sentence."""
    said = []
    for name in ("selected", "worst-group"):
        moved = changed(of(summaries, name))
        better, worse = sum(s.z < -2 for s in moved), sum(s.z > 2 for s in moved)
        said.append(f"the {name} model by more than two standard errors on {better} tables, and loses on {worse}")
    return (
        f"Held-out rows of the average model's worst group: it gains with {'; with '.join(said)} (tables where no row "
        "changed are left out)."
    )


def outcome(summaries: Sequence[Summary]) -> list[str]:
    """What the selected model is held to, in sentences."""
    own = of(summaries, "selected")
    moved, free = changed(own), without_gain(own)
    parts = []
    if moved:
        last = max(moved, key=lambda s: s.z)
        text = f"The largest z is {signed(last.z, 1)} ({last.table})"
        if len(moved) > 1:
            text += f"; the largest of {len(moved)} standard normal numbers is above "
            text += f"{largest_by_chance(len(moved)):.1f} in half of all cases"
        parts.append(_wrapped(f"{text}."))
    parts += [f'"Nothing is gained" means a z above {GAIN:g}; there the price should be at most {HIGHEST_PRICE:g}.\n']
    parts += [_prices(summaries, split) for split in sorted({s.split for s in summaries})]
    parts += ["The highest prices without a gain, for the first drawing:\n"]
    rows = [
        (s.table, "classes" if s.classes else "numbers", with_error(s.overall_change, s.overall_error), signed(s.z, 1))
        for s in free[:MOST_EXPENSIVE]
    ]
    return [*parts, markdown(["table", "target", "all rows (SE)", "z"], rows), _changed_text(own)]


def _prices(summaries: Sequence[Summary], split: int) -> str:
    """Which tables cost too much, for one drawing of the outer folds."""
    free = without_gain(of(summaries, "selected", split))
    dear = [s for s in free if s.overall_change > HIGHEST_PRICE]
    names = "; ".join(
        f"{s.table} ({s.group_rows} rows in the worst group), {with_error(s.overall_change, s.overall_error)}, "
        f"z {signed(s.z, 1)}"
        for s in dear
    )
    text = f"Outer folds, drawing {split + 1}: of {len(free)} tables without a gain {len(dear)} cost more"
    return _wrapped(f"- {text}{': ' + names if dear else ''}.").rstrip("\n").replace("\n", "\n  ") + "\n"


def _changed_text(own: Sequence[Summary]) -> str:
    same = [s.table for s in own if s.same]
    text = f"No row changed on {len(same)} of {len(own)} tables"
    return _wrapped(f"{text}{': ' + ', '.join(same) if same else ''}. The others:")


def corrections(summaries: Sequence[Summary]) -> list[str]:
    """The corrections, where they changed anything."""
    parts = []
    for name in CORRECTED:
        own = of(summaries, name)
        if own:
            free = without_gain(own)
            most = f"{signed(free[0].overall_change)} ({free[0].table})" if free else "none"
            moved = len(changed(own))
            text = f"**{name}**: left alone in all folds of {len(own) - moved} of {len(own)} tables; the highest price "
            text += f"where nothing is gained: {most}."
            parts += [_wrapped(f"{text} The others:"), corrected_table(summaries, name)] if moved else [_wrapped(text)]
    return parts


def _wrapped(text: str) -> str:
    return fill(text, 120, break_long_words=False, break_on_hyphens=False) + "\n"
