"""The report as one HTML file that needs no network: styles, script and charts are inside."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator, Mapping
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Any

from ..errors import MissingDependencyError
from .blocks import Block, Details, Page, Row, Slider
from .content.page import make_page
from .json_text import script_json
from .schema import check_evidence


def render_html(evidence: Mapping[str, Any]) -> str:
    """The evidence as a page: one HTML file without any address in it.

    It needs jinja2: ``pip install 'saddleback[report]'``, from a copy of the repository ``pip install '.[report]'``.

    Parameters
    ----------
    evidence : dict
        The evidence, as ``model.evidence()`` returns it.

    Returns
    -------
    str

    Examples
    --------
    >>> from saddleback.report import render_html
    >>> page = render_html(model.evidence())       # doctest: +SKIP
    """
    page = make_page(check_evidence(evidence))
    styles, script = _file("page.css"), _file("page.js")
    slider = next(_sliders(page), None)
    return _template().render(
        page=page,
        styles=_markup(styles),
        script=_markup(script),
        policy=_policy(styles, script),
        slider_data=_markup(script_json(slider.data)) if slider else "",
        markup=_markup,
        short_ref=short_refs,
    )


def short_refs(refs: tuple[str, ...], row: Row) -> str:
    """The pointers of a cell, without what they share with their row."""
    base = f"{row.base}/"
    return " ".join(ref.removeprefix(base) if row.base else ref for ref in refs)


def _policy(styles: str, script: str) -> str:
    """What the page may load: nothing but the styles and the script that it contains."""
    parts = (
        "default-src 'none'",
        f"style-src '{_digest(styles)}'",
        f"script-src '{_digest(script)}'",
        "img-src data:",
        "base-uri 'none'",
        "form-action 'none'",
    )
    return "; ".join(parts)


def _digest(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"


def _sliders(page: Page) -> Iterator[Slider]:
    blocks: list[Block] = [block for section in page.sections for block in section.blocks]
    for block in blocks:
        if isinstance(block, Slider):
            yield block
        elif isinstance(block, Details):
            blocks.extend(block.blocks)


def _file(name: str) -> str:
    return files(__package__).joinpath("templates", name).read_text(encoding="utf-8")


def _markup(text: str) -> Any:
    from markupsafe import Markup

    return Markup(text)


@cache
def _template() -> Any:
    try:
        from jinja2 import Environment, PackageLoader, StrictUndefined
    except ImportError as error:
        raise MissingDependencyError(
            "a report as HTML needs jinja2, which is not installed: pip install 'saddleback[report]', from a copy of"
            " the repository pip install '.[report]'; reports as .md and .json need nothing."
        ) from error
    loader = PackageLoader(__package__, "templates")
    environment = Environment(
        loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    return environment.get_template("page.html")
