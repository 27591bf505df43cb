"""Which browser the tests of the page use."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from scripts.browser import find_browser, how_to_get_one

CHROME = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"


@pytest.mark.parametrize(
    ("environ", "on_path", "files", "found"),
    [
        ({}, {"chromium", "google-chrome"}, set(), "/usr/bin/chromium"),
        ({}, {"google-chrome"}, set(), "/usr/bin/google-chrome"),
        ({}, set(), {CHROME}, CHROME),
        ({}, set(), set(), None),
        ({"ACTLOOP_TEST_BROWSER": "brave"}, {"chromium", "brave"}, set(), "/usr/bin/brave"),
        ({"ACTLOOP_TEST_BROWSER": "brave"}, {"chromium"}, set(), None),
    ],
    ids=["Debian", "Chrome", "macOS", "none", "named", "named but missing"],
)
def test_the_named_browser_counts_most_then_the_path_then_the_applications(
    environ: Mapping[str, str], on_path: set[str], files: set[str], found: str | None
) -> None:
    def which(name: str) -> str | None:
        return f"/usr/bin/{name}" if name in on_path else None

    assert find_browser(environ, which, lambda path: str(path) in files) == found


def test_who_has_none_is_told_how_to_get_one() -> None:
    assert "apt-get install chromium" in how_to_get_one("linux")
    assert "/Applications" in how_to_get_one("darwin")
