"""Stability: which groups bind, and which point is chosen, when the rows are drawn again."""

from __future__ import annotations

from ..blocks import Block, Column, Details, Drawing, Fact, Facts, Row, Section, Table
from ..charts.bars import share_bar
from .source import Entry, Source, number, setting

TITLE = "Stability"
SHOWN = 20
"""Rows that are open from the start."""

SEVERAL = (
    "Several groups may be worst off at once, with equal losses, where a model weighs them against each other: the"
    " shares may sum to more than 100 %."
)


def stability_section(source: Source) -> Section:
    stability = source.evidence["stability"]
    if stability is None:
        return Section("stability", TITLE, (source.paragraph("Stability was not measured."),))
    facts = [Fact("Bootstrap samples of the rows", number(stability, "/stability", "n_bootstrap", "d"))]
    if stability.get("n_choices") is not None:
        facts.append(
            Fact("Bootstrap samples of the held-out losses", number(stability, "/stability", "n_choices", "d"))
        )
    facts += _shares(source)
    blocks: list[Block] = [source.paragraph(stability["words"]), Facts(tuple(facts))]
    if stability["binding"]:
        blocks += _binding(source, stability["binding"])
    if stability["choices"]:
        blocks.append(_choices(stability["choices"]))
    if stability["fold_choices"]:
        blocks.append(Details("What was chosen in each outer fold", (_folds(stability["fold_choices"]),)))
    return Section("stability", TITLE, tuple(blocks))


def _shares(source: Source) -> list[Fact]:
    """How often the point of the model is chosen, and how often the baseline is kept."""
    stability, place = source.evidence["stability"], "/stability"
    facts = []
    if source.evidence["outcome"] != "nothing to gain" and stability.get("chosen_share") is not None:
        term = "This worst weight and prior chosen, % of samples of the held-out losses"
        facts.append(Fact(term, number(stability, place, "chosen_share", "p0")))
    if stability["kept_share"] is not None:
        term = f"{source.baseline[0].upper()}{source.baseline[1:]} kept, % of samples of the held-out losses"
        facts.append(Fact(term, number(stability, place, "kept_share", "p0")))
    return facts


def _binding(source: Source, binding: list[Entry]) -> list[Block]:
    weighted = any(entry["weight"] is not None for entry in binding)
    columns = (
        Column("Group", "text"),
        *((Column("Weight in the model, %"),) if weighted else ()),
        Column("Worst off in samples, %"),
        Column("of all samples", "drawing"),
    )
    rows = []
    for i, entry in enumerate(binding[:1_000]):
        base = f"/stability/binding/{i}"
        cells = (
            source.label(entry["group"]),
            *((number(entry, base, "weight", "p1"),) if weighted else ()),
            number(entry, base, "share", "p0"),
            Drawing(share_bar(entry["share"])),
        )
        rows.append(Row(cells, base))
    caption = "Groups that are worst off, in bootstrap samples of the rows"
    note = SEVERAL if sum(entry["share"] or 0.0 for entry in binding) > 1.0 + 1e-9 else ""
    table = Table("binding", caption, columns, tuple(rows[:SHOWN]), note=note)
    if len(rows) <= SHOWN:
        return [table]
    return [
        table,
        Details(f"All {len(rows):,} groups", (Table("binding-all", caption, columns, tuple(rows), filtered=True),)),
    ]


def _choices(choices: list[Entry]) -> Table:
    columns = (
        Column("Worst weight", "text"),
        Column("Prior", "text"),
        Column("Chosen in samples, %"),
        Column("of all samples", "drawing"),
    )
    rows = []
    for i, entry in enumerate(choices):
        base = f"/stability/choices/{i}"
        cells = (
            number(entry, base, "worst_weight", "g"),
            setting(entry["prior"], f"{base}/prior"),
            number(entry, base, "share", "p0"),
            Drawing(share_bar(entry["share"])),
        )
        rows.append(Row(cells, base))
    return Table(
        "choices",
        "The point of the path that the rule chooses, in bootstrap samples of the held-out losses",
        columns,
        tuple(rows),
    )


def _folds(choices: list[Entry]) -> Table:
    columns = (Column("Fold", "text"), Column("Worst weight"), Column("Prior", "text"), Column("l2"))
    rows = []
    for i, entry in enumerate(choices):
        base = f"/stability/fold_choices/{i}"
        cells = (
            setting(str(i + 1), ""),
            number(entry, base, "worst_weight", "g"),
            setting(entry["prior"], f"{base}/prior"),
            number(entry, base, "l2", "g"),
        )
        rows.append(Row(cells, base))
    return Table("fold-choices", "The choice of the whole selection in each outer fold", columns, tuple(rows))
