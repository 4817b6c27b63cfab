"""The words of the page."""

from __future__ import annotations

INTRODUCTION = """\
# Held-out study

Does a model that is trained for its worst group do better for that group on rows that it has not seen? This page
compares such models with the ordinary one on many tables. The program writes it; to repeat it:

    make study                                                            # tables that are installed with the package
    .venv/bin/python -m benchmarks.heldout --folder DIR --splits 2 --docs # with the files of DIR, and this page
    .venv/bin/python -m benchmarks.heldout --csv people.csv:target:group1,group2   # a table of your own

A table that is done is not computed again; `heldout.csv` beside the stored rows has all figures of all models.
"""

READING = """\
## How to read it

Every figure is a **held-out** one, unless it says "training rows": five outer folds, stratified by group and target;
every model is fitted without a fold, with everything that it chooses chosen inside, and judged on the fold.

- **Loss**: log loss for classes; for numbers, the squared error in units of the variance of y. Less is better.
- **Worst group**: the one with the largest held-out loss under the average model (for a correction: under the model
  that is corrected). A change is the model's loss of this group minus the average model's, on the same rows: below zero
  is a gain.
- **SE** is the paired standard error, with the rows as units; **z** is change / SE. It tells what other rows would
  change, not what other training rows would: where models are equally good, z is about a standard normal number, or
  somewhat wider.
- **All rows**: the change of the mean loss of all rows, the price.

| model | what it is |
| --- | --- |
| average | logistic or ridge regression; its penalty has the least held-out loss of all rows, on the same folds |
| balanced | every group has the same weight; the penalty is chosen by the worst group's held-out loss |
| worst-group | `worst_weight=1`, the penalty chosen likewise |
| selected | `MinimaxClassifierCV()` or `MinimaxRegressorCV()`: what users get without any arguments |
| boosting | scikit-learn's `HistGradientBoosting`, 15 leaves, rate 0.05, stopped early; without groups |
| default boosting | the same with scikit-learn's defaults |
| fairlearn | `ExponentiatedGradient` of logistic regressions, `BoundedGroupLoss(upper_bound=0)`; two classes only |
| corrected ... | `WorstGroupCorrection` of that boosting, compared with it; two classes only, to save time |

No model keeps fairlearn's bound of 0, so that its multipliers go to the worst group; its answer, a random choice among
models, is taken as the mean of their probabilities, which is no worse. The settings of boosting were chosen once, after
a look at one split of four tables (drug, gpa2, loanapp, law school); they flatter it a little there.
"""

CONCLUSIONS = """\
## In short

- **Training for the worst group alone seldom pays on new rows.** On nearly every table it lowers that group's loss on
  the training rows; little of it is left on held-out rows, and all rows together pay for it nearly everywhere.
- **The selected model takes a gain where rows confirm it**, and is the average model elsewhere, to the last digit. The
  clear gains are labsup by race, drug by country and both tables of gpa2. On no table does it lose by two standard
  errors.
- **Balanced weights are no safe choice.** They help some groups that are small and harm nearly every worst group that
  is the majority.
- **A more expressive model helps everybody or nobody.** Boosting that is stopped early is better for the worst group
  about as often as it is worse; with scikit-learn's defaults it learns the noise of tables of this size.
- **A correction of boosting** leaves it alone on most tables, and gains for boosting's worst group on most of the
  others, drug by country, gpa2 and labsup again among them.
- **Misses**: where nothing is gained the selected model should cost all rows at most 0.002. The tables where it costs
  more, for either drawing of the outer folds, are named below. All are regressions with a worst group of fewer than 100
  rows.
"""

SELECTED = """\
## The selected model

The average model is kept unless a candidate gains more for the worst group than chance explains and than it costs all
rows. Where it is kept in all five folds no row changes, and z is 0; the counts below are of the other tables.
"""

CORRECTIONS = """\
## Boosting with a correction

`WorstGroupCorrection` adds a linear term to the margin of a model that stays as it is. Figures are differences to the
model that is corrected, for that model's worst group.
"""

WHEN = "## When it helps, and when not\n"

NOISE = """\
**Noise.** Mean change of the loss of the average model's worst group: on the rows that the models were fitted to, and
on held-out rows.
"""

NOISE_WHY = """\
A model has its worst group for one of two reasons. Either the group follows another rule, and the model is a compromise
in which the group counts for little: then more weight helps, on new rows as well. Or its target is harder to predict:
then weight buys a fit to the noise of its rows, which new rows do not have. The first column cannot tell them apart,
the second can. Only held-out rows show which it is, and therefore the selection looks at nothing else.
"""

EXPRESSIVE = """\
**Expressive models.** Boosting does not know the groups. Its training losses are far below those of the linear models,
those of the worst group as well; its held-out losses are not, and change in the same direction for the worst group as
for all rows. So the training losses of such a model do not tell which group needs help: the worst group of a model that
has learned its rows by heart has hardly any loss. A correction is therefore fitted to margins of models that have not
seen the row, and finds gains that boosting by itself does not.
"""

SIZES = """\
**Small groups.** The tables by the rows of the worst group: median change for it on held-out rows, and tables on which
it is better or worse by two standard errors.
"""

SIZES_WHY = """\
A small group can gain much, and nobody can be sure of it: its standard error is as large. The selection then keeps the
average model. This is the price of its caution: where balanced or worst-group models of small groups did gain (bwght,
fertil1), it took little of it. The worst group is found on the same rows, so that a small one is often the worst by
chance, and then looks better under any other model: the first line may be a little too good for all of them.
"""

RANKS = """\
**Majority or minority.** The same by the place of the worst group among the groups of its table.
"""

RANKS_WHY = """\
Where the worst group is the largest one, equal weights take weight away from it, and it loses. There only p > 0 helps,
which gives weight to the worst group whatever its size: drug, labsup, gpa2 by athlete. Where it is the smallest one
both give it weight, and too much of it makes another group the worst (gpa2 by sex x race, balanced: see the largest
losses below). Therefore the selection has both dials, and the choice of neither.
"""

DETAILS = (
    """\
## All figures

Change for the average model's worst group (SE), and for all rows:
""",
    """\
The largest loss of a group, whichever group it is, and how much it is above or below that of the average model:
""",
    """\
Accuracy for the average model's worst group in percent, and its change (SE); tables of two classes:
""",
)

RULE = """\
## How the rule was found

The tables and their groups were chosen by their meaning, before any model was fitted. They were divided into a
development half, which holds those that earlier trials had used, and a validation half, drawn at random from the rest.
About 60 variants of the selection rule were tried on the development half alone. So its figures are a little too good;
both halves stand side by side below, for every drawing of the outer folds. The penalties for numbers were raised
tenfold after the first run of this study; the figures are those of the present ones.
"""
