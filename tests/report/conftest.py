"""One browser for all tests of the page, and pages that note everything that a page should not do."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from report.browser import ARGUMENTS, find_browser, why_not
from saddleback.report import write_report


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    reason = why_not()
    if reason:
        pytest.skip(f"the page is not opened in a browser: {reason}")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_browser(), args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture
def open_page(chromium, tmp_path) -> Iterator[Callable[..., Any]]:
    """A function that writes a report and opens it. The page has the list ``noise`` of all that should not happen."""
    with ExitStack() as stack:

        def open_report(evidence: dict[str, Any], *, width: int = 1280, **options: Any) -> Any:
            path = write_report(evidence, tmp_path / "report.html")
            context = chromium.new_context(viewport={"width": width, "height": 900}, **options)
            stack.callback(context.close)
            page = context.new_page()
            page.noise = []
            page.on("console", lambda message: page.noise.append(f"console: {message.text}"))
            page.on("pageerror", lambda error: page.noise.append(f"error: {error}"))
            page.on("dialog", lambda dialog: (page.noise.append(f"dialog: {dialog.message}"), dialog.dismiss()))
            page.on(
                "request",
                lambda request: request.url == path.as_uri() or page.noise.append(f"request: {request.url[:80]}"),
            )
            page.goto(path.as_uri())
            return page

        yield open_report
