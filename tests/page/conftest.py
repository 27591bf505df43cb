"""One browser for each worker, a profile of its own for each test."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser

from tests.support.browsing import Desk, open_browser


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A browser on a busy machine may need its time."""
    for item in items:
        if item.path.parent == Path(__file__).parent:
            item.add_marker(pytest.mark.timeout(180))


@pytest_asyncio.fixture(loop_scope="session", scope="session")
async def browser() -> AsyncIterator[Browser]:
    async with open_browser() as browser:
        yield browser


@pytest.fixture
def desk(browser: Browser, tmp_path: Path) -> Desk:
    return Desk(browser, tmp_path)
