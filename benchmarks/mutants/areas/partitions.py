"""Tables in partitions: the tree of sums, placement, weights, scales, samples, and features that are elsewhere."""

from __future__ import annotations

from ..mutant import Mutant

FOLDER = "losses/grouped/partitions"
TESTS = "tests/losses/grouped/partitions"
TREE = (f"{TESTS}/test_tree.py",)
PLACEMENT = (f"{TESTS}/test_placement.py",)
SAME = f"{TESTS}/test_same_as_in_memory.py"
WEIGHTED = (f"{SAME}::test_arrays[logistic-weights and offsets]",)
REMOTE = ("tests/learn/test_remote.py::test_some_rows", "tests/learn/test_remote.py::test_standardization")

MUTANTS = (
    Mutant(
        "sums added as they come",
        f"{FOLDER}/tree.py",
        "            sibling = level, k ^ 1\n",
        "            sibling = next((node for node in self.nodes if node[0] == level), (level, k ^ 1))\n",
        TREE,
        "the nodes 2 k and 2 k + 1 of a level are added to each other, and no others",
    ),
    Mutant(
        "tree that differences",
        f"{FOLDER}/tree.py",
        "x += y",
        "x -= y",
        TREE,
        "a + b",
    ),
    Mutant(
        "answers checked by their number",
        f"{FOLDER}/ranges.py",
        "if got is not None and got != shapes:",
        "if got is not None and len(got) != len(shapes):",
        TREE,
        "every array has its shape",
    ),
    Mutant(
        "moves by load instead of share",
        f"{FOLDER}/placement.py",
        "excess = {address: load[address] - share[address] for address in threads}",
        "excess = {address: float(load[address]) for address in threads}",
        PLACEMENT,
        "load - share, with shares by threads",
    ),
    Mutant(
        "cuts at the nearest partition",
        f"{FOLDER}/placement.py",
        "for level in range(root, -1, -1):",
        "for level in (0,):",
        PLACEMENT,
        "the cut between the largest nodes within the slack",
    ),
    Mutant(
        "largest weight of the partition that has the least",
        f"{FOLDER}/weighing.py",
        "np.max([part.largest for part in parts], axis=0)",
        "np.min([part.largest for part in parts], axis=0)",
        WEIGHTED,
        "the largest weight of a group over all partitions",
    ),
    Mutant(
        "rows of weight 0 that count",
        f"{FOLDER}/weighing.py",
        "np.bincount(part.groups[part.weight > 0.0], minlength=self.n_groups)",
        "np.bincount(part.groups[part.weight >= 0.0], minlength=self.n_groups)",
        WEIGHTED,
        "sizes count rows of positive weight",
    ),
    Mutant(
        "coefficients without the largest weight",
        f"{FOLDER}/weighing.py",
        "weight / self.largest[groups] / self.totals[groups]",
        "weight / self.totals[groups]",
        WEIGHTED,
        "(w_i / max w) / sum (w_i / max w)",
    ),
    Mutant(
        "weights called equal that are equal in one group",
        f"{FOLDER}/weighing.py",
        "self.least == self.largest.max() > 0.0",
        "self.least == self.largest.min() > 0.0",
        (f"{TESTS}/test_labels.py::test_weights_that_are_equal_within_groups_only",),
        "the least of all weights is the largest of all",
    ),
    Mutant(
        "deviation within partitions only",
        f"{FOLDER}/summaries.py",
        " + part.n_rows * (m - mean) ** 2",
        "",
        (f"{SAME}::test_scales_of_responses",),
        "sum (y - mean)^2 = sum over partitions of squares within and n (m - mean)^2",
    ),
    Mutant(
        "root mean squares without numbers of rows",
        f"{FOLDER}/summaries.py",
        "sum(part.n_rows * (part.rms / over) ** 2 for part in parts) / n",
        "sum((part.rms / over) ** 2 for part in parts) / len(parts)",
        (f"{SAME}::test_scales_at_the_ends_of_the_range",),
        "sum n_p rms_p^2 / n",
    ),
    Mutant(
        "sample from the next partition's rows",
        f"{FOLDER}/summaries.py",
        "first, last = ends[number, j] - sizes[number, j], ends[number, j]",
        "first, last = ends[number, j], ends[number, j] + sizes[number, j]",
        (f"{SAME}::test_the_sampled_hessian_draws_the_rows_of_the_table_in_memory",),
        "rows of a group are numbered through all partitions",
    ),
    Mutant(
        "maps of the first groups",
        f"{FOLDER}/works.py",
        "of_one[:, resident.groups] for of_one",
        "of_one[:, : resident.groups.size] for of_one",
        (f"{TESTS}/test_many.py::test_maps_combine_where_the_rows_are",),
        "the columns of the groups that the partition has",
    ),
    Mutant(
        "Hessians in the order of the groups",
        f"{FOLDER}/works.py",
        "np.searchsorted(resident.groups, self.which[here])",
        "np.sort(np.searchsorted(resident.groups, self.which[here]))",
        WEIGHTED,
        "the k-th Hessian is that of which[k]",
    ),
    Mutant(
        "features elsewhere in the order of their blocks",
        "learn/data/remote.py",
        "answers[order] = joined",
        "answers[:] = joined",
        REMOTE,
        "the answer of row i stands at the place where i was asked for",
    ),
)
