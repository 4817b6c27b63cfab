"""Tables in files: which bytes are which rows, and what is kept of a read plan between passes."""

from __future__ import annotations

from ..mutant import Mutant

SAME = ("tests/losses/grouped/files/test_same_losses.py",)
TABLES = ("tests/losses/grouped/files/test_file_table.py",)
BAD = ("tests/losses/grouped/files/test_bad_files.py",)

MUTANTS = (
    Mutant(
        "stages of a section counted from the table's first block",
        "losses/grouped/tables/streamed_table.py",
        "self._read(self.first + stage.first_row // self.stage_rows)",
        "self._read(stage.first_row // self.stage_rows)",
        SAME,
        "block = first block of the section + stage",
    ),
    Mutant(
        "coefficients of runs where weights differ",
        "losses/grouped/partitions/packed.py",
        "coefficient=Packed.of(of_run if uniform else plan.coefficient)",
        "coefficient=Packed.of(of_run)",
        SAME,
        "every visit has its own weight",
    ),
    Mutant(
        "positions of visits where groups overlap",
        "losses/grouped/partitions/packed.py",
        "visit_position=None if once else Packed.of(plan.visit_position)",
        "visit_position=None",
        SAME,
        "a row of two groups has one position and two visits",
    ),
    Mutant(
        "packed numbers that are nearly the same",
        "losses/grouped/partitions/packed.py",
        "if np.array_equal(small, x):",
        "if np.allclose(small, x):",
        SAME,
        "single precision only where it is exact",
    ),
    Mutant(
        "columns of a file in Fortran order that are as long as a block",
        "losses/grouped/files/npy_blocks.py",
        "header.start + (k * n + first) * header.dtype.itemsize",
        "header.start + (k * length + first) * header.dtype.itemsize",
        TABLES,
        "column k begins after k n numbers",
    ),
    Mutant(
        "a piece of a row group that is skipped twice",
        "losses/grouped/files/parquet_blocks.py",
        "for _ in range(piece - cursor.done):",
        "for _ in range(piece):",
        TABLES,
        "a cursor begins where it has ended",
    ),
    Mutant(
        "rows of messages counted from the section",
        "losses/grouped/tables/streamed_table.py",
        "            first_row += len(block)\n",
        "            first_row += 0\n",
        BAD,
        "rows are counted from the first one of the table",
    ),
)
