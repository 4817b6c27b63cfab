"""The sections of the benchmark, in the order in which they are run and printed.

A section is a module with a `SECTION`; an entry here adds it to the command, the page and the tests.
"""

from __future__ import annotations

from ..section import Section
from . import constructed, faults, foreign, hard, kills, mutations, nonconvex, tables, units

SECTIONS: dict[str, Section] = {
    module.SECTION.name: module.SECTION
    for module in (constructed, tables, units, nonconvex, faults, hard, kills, foreign, mutations)
}
