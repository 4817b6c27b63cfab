"""The rule of a column of texts."""

from __future__ import annotations

import numpy as np
import pyarrow.compute as pc
from numpy.typing import NDArray

from ..content.texts import Texts
from ..content.written_numbers import unlike_numbers
from ..names import listed, plural, quoted, to_type
from .applying import slots_of
from .finding import note, warning
from .identifiers import FEWEST_ROWS, VARIED_TEXT_SHARE
from .leakage import Sample
from .learned import Learned, identifier, left_out
from .number_learning import missing_finding
from .rules import MISSING, OTHER, CategoryRule, DroppedRule

RARE_ROWS = 20
RARE_SHARE = 0.02
"""A level is rare with fewer rows than the lesser of the two, 20 or 2 % of the rows: its effect cannot be told."""

MOST_LEVELS = 40
"""The most frequent levels that get a column each; the remaining ones are pooled."""

SENTENCE_WORDS = 4
"""Texts of so many words on average are sentences."""

MOST_UNLIKE = 0.2
"""A column of many texts, of which at most this share are no numbers, is meant to be one of numbers."""

NUMBER_WITH_UNIT = r"^([$€£¥]\s*[+-]?[0-9][0-9.,]*|[+-]?[0-9][0-9.,]*\s*[%$€£¥])$"

Counts = NDArray[np.int64]


def learn_texts(
    texts: Texts,
    name: str,
    rows: NDArray[np.bool_] | None,
    sampled: NDArray[np.intp],
    forced: bool,
    codes: bool = False,
) -> Learned:
    """The rule of a column of texts, or of codes that are to be a category: a category, or left out."""
    counts = texts.counts(rows)
    n_missing, counts = int(counts[-1]), counts[:-1]
    present = np.flatnonzero(counts)
    if present.size == 0:
        return left_out(name, "it has no values")
    if present.size == 1 and n_missing == 0:
        return left_out(name, f"it is {quoted(_text(texts, present[0]))} in every row")
    n_here = int(counts.sum())
    if not (forced or codes) and _have_units(texts):
        told = f"{quoted(name)} is left out: it holds numbers with a sign, such as % or $. Write them without it."
        return Learned(DroppedRule(name, "left out: numbers with a sign"), [warning(name, "text", told)])
    spoiled = None if forced or codes else _spoiled_numbers(name, texts)
    if not forced and n_here >= FEWEST_ROWS and present.size > VARIED_TEXT_SHARE * n_here:
        return spoiled or _varied(name, texts, present, n_here)
    kept = _kept_levels(texts, counts, n_missing, forced)
    if kept.size == 0:
        return spoiled or _all_rare(name, present.size)
    return _category(texts, name, counts, n_missing, kept, sampled, codes)


def _text(texts: Texts, code: int | np.integer) -> str:
    return str(texts.levels[int(code)].as_py())


def _have_units(texts: Texts) -> bool:
    """Whether all texts are numbers with the sign of a unit."""
    return bool(pc.all(pc.match_substring_regex(texts.levels, NUMBER_WITH_UNIT)).as_py())


def _varied(name: str, texts: Texts, present: NDArray[np.intp], n_here: int) -> Learned:
    """A text that differs in most rows is an identifier, or sentences."""
    told = f"{present.size} different texts in {n_here} rows"
    if np.mean([len(_text(texts, code).split()) for code in present[:1000]]) < SENTENCE_WORDS:
        return identifier(name, told)
    advice = "Make categories or numbers of it, such as its length or whether a word occurs."
    finding = warning(name, "text", f"{quoted(name)} is left out: it holds free text ({told}). {advice}")
    return Learned(DroppedRule(name, f"left out: free text ({told})"), [finding])


def _spoiled_numbers(name: str, texts: Texts) -> Learned | None:
    """A column of numbers with a few texts among them, such as "-" or "unknown"; None for other texts."""
    unlike = unlike_numbers(texts.levels)
    if len(unlike) > MOST_UNLIKE * texts.n_levels:
        return None
    if not unlike:
        what, advice = "they are not all written in the same way", "Write them as 1234.5."
    else:
        what = f"{listed(unlike[:3])}{', ...' if len(unlike) > 3 else ''} {'is' if len(unlike) == 1 else 'are'} not"
        advice = "Leave such values empty, or make numbers of them."
    told = f"{quoted(name)} is left out: most of its values are numbers, but {what}. {advice}"
    return Learned(DroppedRule(name, "left out: numbers with texts among them"), [warning(name, "text", told)])


def _all_rare(name: str, n_levels: int) -> Learned:
    told = f"{n_levels} different texts, all of them rare"
    advice = f"Make broader categories of it, or keep the most frequent ones: {to_type('--keep', [name])} (keep=)."
    finding = warning(name, "text", f"{quoted(name)} is left out: it has {told}. {advice}")
    return Learned(DroppedRule(name, f"left out: {told}"), [finding])


def _kept_levels(texts: Texts, counts: Counts, n_missing: int, forced: bool) -> NDArray[np.intp]:
    """The codes of the levels that are not pooled: both of two, else the most frequent ones that are not rare."""
    present = np.flatnonzero(counts)
    reserved = pc.equal(texts.levels, OTHER).to_numpy(zero_copy_only=False)[present]
    if present.size == 2 and n_missing == 0 and not reserved.any():
        return present
    enough = 0.0 if forced else min(float(RARE_ROWS), RARE_SHARE * (counts.sum() + n_missing))
    kept = present[(counts[present] >= enough) & ~reserved]
    if kept.size <= MOST_LEVELS:
        return kept
    # Among equally frequent ones the first in order of the alphabet: the order of the rows must not matter.
    order = sorted(kept.tolist(), key=lambda code: (-counts[code], _text(texts, code)))
    return np.array(order[:MOST_LEVELS])


def _category(
    texts: Texts,
    name: str,
    counts: Counts,
    n_missing: int,
    kept: NDArray[np.intp],
    sampled: NDArray[np.intp],
    codes: bool,
) -> Learned:
    n_rows = int(counts.sum()) + n_missing
    levels = tuple(sorted(_text(texts, code) for code in kept))
    pooled = np.setdiff1d(np.flatnonzero(counts), kept)
    n_pooled = int(counts[pooled].sum())
    draft = CategoryRule(name, "", levels, n_pooled > 0, n_missing > 0, ())
    width = len(draft.shown)
    slots = slots_of(CategoryRule(name, "", levels, draft.other, draft.missing, (0.0,) * width), texts)
    totals = np.bincount(slots, weights=np.append(counts, n_missing), minlength=width + 2)
    shares = tuple((totals[:width] / n_rows).tolist())
    findings = []
    if pooled.size:
        some = listed([_text(texts, code) for code in pooled[:3]]) + (", ..." if pooled.size > 3 else "")
        rows = plural(n_pooled, "row")
        told = f"Levels of {quoted(name)} that are rare, {pooled.size} in all ({some}), are pooled: {rows}."
        findings.append(note(name, "rare", told))
    if n_missing:
        findings.append(missing_finding(name, n_missing, n_rows, f"these are the level {MISSING}"))
    sentence = ("codes, as told; " if codes else "") + _sentence(draft, pooled.size, n_pooled)
    rule = CategoryRule(name, sentence, levels, draft.other, draft.missing, shares, codes)
    return Learned(rule, findings, Sample.of_codes(slots[texts.codes[sampled]].astype(np.int32)))


def _sentence(rule: CategoryRule, n_levels_pooled: int, n_pooled: int) -> str:
    all_levels = rule.all_levels
    if len(all_levels) == 2:
        text = f"1 for {quoted(all_levels[1])}, 0 for {quoted(all_levels[0])}"
    else:
        text = f"one column of 0 and 1 for each of {len(all_levels)} levels"
    if n_levels_pooled:
        ones = "the rare one" if n_levels_pooled == 1 else f"all of {n_levels_pooled} rare ones"
        text += f"; {OTHER} is {ones} ({plural(n_pooled, 'row')})"
    unseen = f"are {OTHER}" if rule.other else "get the shares of the training rows"
    return f"{text}; values not seen in training {unseen}"
