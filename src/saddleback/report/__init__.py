"""Page, model card and JSON of a model's evidence.

The evidence is plain data: ``check_evidence`` says what it must look like. The page needs the extra ``report``.
"""

from .html import render_html
from .json_text import render_json
from .markdown import render_markdown
from .schema import check_evidence
from .writing import check_place, write_report

__all__ = ["check_evidence", "check_place", "render_html", "render_json", "render_markdown", "write_report"]
