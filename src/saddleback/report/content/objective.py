"""What was optimized, and why this point of the path."""

from __future__ import annotations

from ..blocks import Block, Code, Column, Details, Fact, Facts, Row, Section, Table, Words
from .source import Source, code_of_errors, number, setting, with_error

BY_THE_CHOICE = (
    "A gain in this section is measured by the rows that chose the model, and is a little too good; that of the answer"
    " is measured by rows without part in the choice, and so the two differ."
)
COLUMNS = (
    Column("Worst weight", "text"), Column("Prior", "text"), Column("l2"), Column("Largest loss (error)"),
    Column("Of group", "text"), Column("Average loss"), Column("Gain (error)"), Column("Price (error)"),
    Column("Admissible", "text"),
)  # fmt: skip


def objective_section(source: Source) -> Section:
    objective, rows = source.evidence["objective"], source.evidence["rows"]
    place = "/objective"
    facts = [
        Fact("Loss", source.words(": ".join(filter(None, (objective["loss"], objective["unit"]))))),
        Fact("Worst weight p", number(objective, place, "worst_weight", "g")),
        Fact("Prior", setting(objective["prior"], f"{place}/prior")),
        Fact("Penalty l2", number(objective, place, "l2", "g")),
        Fact("Rows trained on", number(rows, "/rows", "train", "d")),
        Fact("Rows held out", number(rows, "/rows", "held_out", "d")),
    ]
    if objective["n_candidates"] is not None:
        facts.append(Fact("Candidates compared", number(objective, place, "n_candidates", "d")))
    blocks: list[Block] = [
        source.paragraph(objective["why"]),
        *([source.paragraph(BY_THE_CHOICE)] if objective["n_candidates"] is not None else []),
        Code(objective["formula"], "What was minimized"),
        Facts(tuple(facts)),
        source.paragraph(objective["rule"]),
        source.paragraph(rows["held_out_words"]),
    ]
    if rows["sampled"]:
        blocks.append(source.paragraph(rows["sampled"]))
    if rows["weighted"]:
        blocks.append(source.paragraph("Rows are weighted: losses, rates and shares count every row by its weight."))
    if objective["candidates"]:
        count = len(objective["candidates"])
        summary = f"The {count:,} candidates with their scores" if count > 1 else "The candidate with its scores"
        blocks.append(Details(summary, (_candidates(source),)))
    return Section("objective", "What was optimized, and why this point of the path", tuple(blocks))


def _candidates(source: Source) -> Table:
    candidates = source.evidence["objective"]["candidates"]
    pairs = {"worst_loss": False, "average_loss": False, "gain": True, "price": True}
    codes = {key: code_of_errors(candidates, key, f"{key}_error", signed=signed) for key, signed in pairs.items()}
    codes["average_loss"] = codes["worst_loss"]
    rows = []
    for i, entry in enumerate(candidates):
        base = f"/objective/candidates/{i}"
        group = entry.get("worst_group")
        admissible = entry.get("admissible")
        cells = (
            number(entry, base, "worst_weight", "g"),
            setting(entry.get("prior"), f"{base}/prior"),
            setting(entry.get("l2"), f"{base}/l2"),
            with_error(entry, base, "worst_loss", "worst_loss_error", codes["worst_loss"]),
            source.label(group) if group is not None else Words(""),
            with_error(entry, base, "average_loss", "average_loss_error", codes["average_loss"]),
            with_error(entry, base, "gain", "gain_error", codes["gain"]),
            with_error(entry, base, "price", "price_error", codes["price"]),
            Words(_verdict(entry["chosen"], admissible)),
        )
        rows.append(Row(cells, base, "chosen" if entry["chosen"] else ""))
    caption = "All candidates on rows that they were not fitted to"
    return Table("candidates", caption, COLUMNS, tuple(rows), filtered=len(rows) > 40)


def _verdict(chosen: bool, admissible: bool | None) -> str:
    return "chosen" if chosen else "" if admissible is None else "yes" if admissible else "no"
