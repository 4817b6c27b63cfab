"""The trade-off: what every group gets at every worst weight, with the slider."""

from __future__ import annotations

from typing import Any

from ..blocks import Block, Chart, Column, Details, Drawing, Legend, Number, Row, Section, Slider, Table
from ..charts.bars import bar_places, loss_bar
from ..charts.svg import Scale, scale_of
from ..charts.tradeoff_curve import COLORS, band_of, cursor_places, draw_tradeoff
from ..formatting import code_for, code_with_error, write_number
from .source import Entry, Source
from .tradeoff_sentence import sentence

DRAWN_GROUPS = 40
"""Groups with a bar that the slider moves, and with a line in the chart: those with the largest loss on the path."""
TITLE = "The trade-off"


def tradeoff_section(source: Source) -> Section:
    tradeoff = source.evidence["tradeoff"]
    if tradeoff is None:
        words = "There is no path to choose from: this model has no worst weight, or there is one group only."
        return Section("tradeoff", TITLE, (source.paragraph(words),))
    drawn = _drawn(tradeoff)
    at = tradeoff["chosen"] or 0
    scale = _scale(tradeoff, drawn)
    steps = [_step(source, tradeoff, i, drawn, scale) for i in range(len(tradeoff["worst_weights"]))]
    slider = Slider(
        labels=tuple(write_number(weight, "g") for weight in tradeoff["worst_weights"]),
        start=at,
        chosen=tradeoff["chosen"],
        sentence=steps[at]["sentence"],
        data={"chosen": tradeoff["chosen"], "cursor": cursor_places(tradeoff["worst_weights"]), "steps": steps},
    )
    blocks: list[Block] = [source.paragraph(tradeoff["words"]), slider, _bars(source, tradeoff, drawn, at, scale)]
    left_out = len(tradeoff["groups"]) - len(drawn)
    if left_out:
        total = left_out + len(drawn)
        text = (
            f"Drawn are the {len(drawn)} groups with the largest loss on the path; the table below has all {total:,}."
        )
        blocks.append(source.paragraph(text))
    blocks.append(_chart(source, tradeoff, drawn, at))
    blocks.append(Details("The losses of all groups at every worst weight", (_losses(source, tradeoff),)))
    return Section("tradeoff", TITLE, tuple(blocks))


def _drawn(tradeoff: Entry) -> list[int]:
    """The groups that are drawn, those first that are worst off under the model with the least worst weight."""
    peaks = [
        max((line[j] for line in tradeoff["losses"] if line[j] is not None), default=-1e308)
        for j in range(len(tradeoff["groups"]))
    ]
    kept = sorted(range(len(peaks)), key=lambda j: -peaks[j])[:DRAWN_GROUPS]
    first = tradeoff["losses"][0]
    return sorted(kept, key=lambda j: -(first[j] if first[j] is not None else -1e308))


def _scale(tradeoff: Entry, drawn: list[int]) -> Scale:
    values = [line[j] for line in tradeoff["losses"] for j in drawn] + list(tradeoff["average"])
    ends = [band_of(tradeoff, i, j)[1] for i in range(len(tradeoff["worst_weights"])) for j in [None, *drawn]]
    return scale_of([*values, *ends], from_zero=True)


def codes_of(tradeoff: Entry) -> tuple[str, str]:
    """The codes of losses and of changes."""

    def flat(key: str, of_all: str) -> list[Any]:
        return [value for line in tradeoff.get(key) or [] for value in line] + list(tradeoff.get(of_all) or [])

    losses = code_for(flat("losses", "average"), flat("errors", "average_errors"))
    changes = code_for(flat("changes", "average_changes"), flat("change_errors", "average_change_errors"), signed=True)
    return losses, changes


def _cell(tradeoff: Entry, keys: tuple[str, str], index: tuple[int, ...], code: str) -> Number:
    def at(key: str) -> Any:
        value: Any = tradeoff.get(key)
        for k in index:
            value = None if value is None else value[k]
        return value

    place = "".join(f"/{k}" for k in index)
    value, error = at(keys[0]), at(keys[1])
    if error is None:
        return Number((value,), (f"/tradeoff/{keys[0]}{place}",), code)
    refs = (f"/tradeoff/{keys[0]}{place}", f"/tradeoff/{keys[1]}{place}")
    return Number((value, error), refs, code_with_error(code, error), "error")


def _cells(tradeoff: Entry, i: int, j: int | None, codes: tuple[str, str]) -> list[Number]:
    """Loss and change of a group, or of everyone, at a worst weight."""
    index = (i,) if j is None else (i, j)
    names = (
        (("average", "average_errors"), ("average_changes", "average_change_errors"))
        if j is None
        else (("losses", "errors"), ("changes", "change_errors"))
    )
    cells = [_cell(tradeoff, names[0], index, codes[0])]
    if tradeoff.get(names[1][0]) is not None:
        cells.append(_cell(tradeoff, names[1], index, codes[1]))
    if tradeoff.get("selection_rates") is not None:
        cells.append(
            _cell(tradeoff, ("selection_rates", ""), index, "p1") if j is not None else Number((None,), ("",), "p1")
        )
    return cells


def _bar(tradeoff: Entry, i: int, j: int | None, scale: Scale) -> str:
    value = tradeoff["average"][i] if j is None else tradeoff["losses"][i][j]
    mark = tradeoff["average"][0] if j is None else tradeoff["losses"][0][j]
    return loss_bar(scale, value, *band_of(tradeoff, i, j), mark)


def _bars(source: Source, tradeoff: Entry, drawn: list[int], at: int, scale: Scale) -> Table:
    codes = codes_of(tradeoff)
    first = write_number(tradeoff["worst_weights"][0], "g")
    columns = [
        Column("Group", "text"),
        Column(f"Loss, its band of 95 %, and a mark at p = {first}", "drawing"),
        Column("Loss (error)"),
    ]
    if tradeoff.get("changes") is not None:
        columns.append(Column("Change (error)"))
    if tradeoff.get("selection_rates") is not None:
        columns.append(Column("Selection rate, %"))
    rows = [
        Row(
            (
                source.label("all rows" if j is None else tradeoff["groups"][j]),
                Drawing(_bar(tradeoff, at, j, scale)),
                *_cells(tradeoff, at, j, codes),
            ),
            style="everyone" if j is None else "",
        )
        for j in [None, *drawn]
    ]
    caption = "Every group at this worst weight, on held-out rows"
    return Table("bars", caption, tuple(columns), tuple(rows))


def _step(source: Source, tradeoff: Entry, i: int, drawn: list[int], scale: Scale) -> dict[str, Any]:
    """What the slider shows at one worst weight: texts of the cells with their pointers, places of the bars."""
    codes = codes_of(tradeoff)
    rows = []
    for j in [None, *drawn]:
        value = tradeoff["average"][i] if j is None else tradeoff["losses"][i][j]
        places = list(bar_places(scale, value, *band_of(tradeoff, i, j)))
        cells = [[cell.main, cell.aside, " ".join(cell.refs), cell.code] for cell in _cells(tradeoff, i, j, codes)]
        rows.append([places, cells])
    return {"sentence": sentence(source, tradeoff, i, codes), "rows": rows}


def _chart(source: Source, tradeoff: Entry, drawn: list[int], at: int) -> Chart:
    colored, gray = drawn[:COLORS], drawn[COLORS:]
    legend = [Legend("everyone", source.label("all rows"))]
    legend += [Legend(f"c{k}", source.label(tradeoff["groups"][j])) for k, j in enumerate(colored)]
    if gray:
        legend.append(
            Legend("gray", source.label(f"{len(gray)} other groups" if len(gray) > 1 else tradeoff["groups"][gray[0]]))
        )
    names = ", ".join(source.names.name(tradeoff["groups"][j]) for j in colored)
    ends = " to ".join(write_number(tradeoff["worst_weights"][i], "g") for i in (0, -1))
    description = f"Lines from worst weight {ends} for all rows and for {names}. The table below has the numbers."
    svg = draw_tradeoff(tradeoff, colored, gray, at, description)
    caption = (
        "Held-out losses along the path, with bands of 95 % for all rows and for the group that is worst off at its"
        " left end. The upright line is the worst weight of the slider."
    )
    return Chart("tradeoff-chart", svg, caption, tuple(legend))


def _losses(source: Source, tradeoff: Entry) -> Table:
    code, _ = codes_of(tradeoff)
    weights = range(len(tradeoff["worst_weights"]))
    columns = (
        Column("Group", "text"),
        *(Column(f"p = {write_number(tradeoff['worst_weights'][i], 'g')}") for i in weights),
    )
    whole = Row(
        (
            source.label("all rows"),
            *(Number((tradeoff["average"][i],), (f"/tradeoff/average/{i}",), code) for i in weights),
        ),
        style="everyone",
    )
    rows = [
        Row(
            (
                source.label(name),
                *(Number((tradeoff["losses"][i][j],), (f"/tradeoff/losses/{i}/{j}",), code) for i in weights),
            ),
            "/tradeoff/losses",
        )
        for j, name in enumerate(tradeoff["groups"][:1_000])
    ]
    note = (
        ""
        if len(rows) == len(tradeoff["groups"])
        else f"The first {len(rows):,} of {len(tradeoff['groups']):,} groups; the JSON report has all."
    )
    return Table(
        "path-losses",
        "Held-out loss of every group at every worst weight",
        columns,
        (whole, *rows),
        filtered=len(rows) > 40,
        note=note,
    )
