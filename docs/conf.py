"""Sphinx: the pages of this folder, the reference made of docstrings, and the gallery made of examples that run."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx_gallery.sorting import ExplicitOrder

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
sys.path[:0] = [str(HERE), str(ROOT / "src"), str(ROOT / "examples")]
# Two builds at once, or a build beside the tests, would wait for each other's threads.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import saddleback  # noqa: E402

project = "Saddleback"
author = "The Saddleback developers"
copyright = author
version = release = saddleback.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["_build", "reproduction"]
templates_path = ["_templates"]
# The language of plain code blocks: formulas, output, file trees.
highlight_language = "text"

# --- Markdown ---------------------------------------------------------------------------------------------------------

# Anchors as a plain viewer makes them, so that links to sections work in both.
myst_heading_anchors = 4
# Letters such as (c) and ... are mathematics here, never typography.
smartquotes = False

# --- the reference ----------------------------------------------------------------------------------------------------

autosummary_generate = True
autosummary_imported_members = False
# Types stand in the docstrings, in words; signatures stay short.
autodoc_typehints = "none"
autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False
# `name` in a docstring is a link where the name is documented, and code elsewhere.
default_role = "autolink"
nitpicky = True
nitpick_ignore_regex: list[tuple[str, str]] = []

# --- the gallery ------------------------------------------------------------------------------------------------------

ORDER = [
    "held_out.py",
    "correct_boosting.py",
    "smallest_circle.py",
    "largest_eigenvalue.py",
    "mortgage.py",
    "worst_share.py",
    "on_dask.py",
]
sphinx_gallery_conf = {
    "examples_dirs": [str(ROOT / "examples")],
    "gallery_dirs": ["gallery"],
    "filename_pattern": r".*\.py",
    "within_subsection_order": ExplicitOrder(ORDER),
    "reset_argv": "gallery_arguments.give_folder",
    # An example that fails is an error of the build.
    "abort_on_example_error": True,
    "only_warn_on_example_error": False,
    "remove_config_comments": True,
    "download_all_examples": False,
    "show_signature": False,
    # Times differ from build to build.
    "write_computation_times": False,
    "min_reported_time": 1e9,
}

# --- the pages --------------------------------------------------------------------------------------------------------

html_theme = "pydata_sphinx_theme"
html_title = f"Saddleback {release}"
html_show_sourcelink = False
html_copy_source = False
html_static_path = ["_static"]
html_css_files = ["pages.css"]
html_theme_options = {
    "show_prev_next": False,
    "navigation_with_keys": False,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": [],
    "footer_end": [],
}


# --- docstrings -------------------------------------------------------------------------------------------------------

# Where a public name is documented, if not in the module that defines it.
ROOMS = (
    "saddleback",
    "saddleback.learn",
    "saddleback.losses",
    "saddleback.methods",
    "saddleback.report",
    "saddleback.tabular",
    "saddleback.workflow.table_model",
    "saddleback.testing",
)


def keep_bars(app: Sphinx, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Formulas in docstrings are plain text: |w| is a norm, and no substitution of reStructuredText."""
    for i, line in enumerate(lines):
        if not line.lstrip().startswith((">>>", "...")):
            code = re.split(r"(``.*?``)", line)
            lines[i] = "".join(part if part.startswith("``") else part.replace("|", "\\|") for part in code)


def find_public_name(
    app: Sphinx, env: BuildEnvironment, node: pending_xref, contnode: nodes.TextElement
) -> nodes.reference | None:
    """A name in a docstring, or a class at the place that defines it, as the public name that is documented."""
    if node.get("refdomain") != "py":
        return None
    short = node["reftarget"].rsplit(".", 1)[-1]
    python = env.domains["py"]
    for room in ROOMS:
        found = python.resolve_xref(env, node["refdoc"], app.builder, "obj", f"{room}.{short}", node, contnode)
        if found is not None:
            return found
    return None


def setup(app: Sphinx) -> None:
    app.connect("autodoc-process-docstring", keep_bars, priority=400)
    app.connect("missing-reference", find_public_name)
