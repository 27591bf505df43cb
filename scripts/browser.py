"""Find a browser of the Chromium family for the tests of the page, or say how to get one.

Usage: python scripts/browser.py [--install]

Prints its path. With --install it fetches the distribution's own where that is possible without asking: as root on
Debian and Ubuntu.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

__all__ = ["find_browser", "how_to_get_one"]

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
_MAC = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
)
_VARIABLE = "ACTLOOP_TEST_BROWSER"


def find_browser(
    environ: Mapping[str, str] = os.environ,
    which: Callable[[str], str | None] = shutil.which,
    is_file: Callable[[Path], bool] = Path.is_file,
) -> str | None:
    """The path of a browser: the one that ``ACTLOOP_TEST_BROWSER`` names, else the first that is found."""
    if named := environ.get(_VARIABLE):
        return which(named)
    on_path = (path for name in _NAMES if (path := which(name)))
    return next(on_path, None) or next((path for path in _MAC if is_file(Path(path))), None)


def how_to_get_one(platform: str = sys.platform) -> str:
    """A sentence for somebody without a browser."""
    if platform == "darwin":
        return f"Install Google Chrome or Chromium in /Applications, or name a browser in {_VARIABLE}."
    return f"On Debian: apt-get install chromium. Or name a browser of the Chromium family in {_VARIABLE}."


def _install() -> None:
    """Fetch Debian's Chromium, where that needs nobody's leave."""
    if shutil.which("apt-get") is None or os.geteuid() != 0:
        return
    print("Installing the distribution's Chromium for the tests of the page.", flush=True)
    environ = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for command in (["update"], ["install", "--yes", "--no-install-recommends", "chromium", "fonts-noto-cjk"]):
        if subprocess.run(["apt-get", "-qq", *command], env=environ, check=False).returncode:
            return


def main() -> int:
    """Print where the browser is; 1 where there is none."""
    if find_browser() is None and "--install" in sys.argv[1:]:
        _install()
    found = find_browser()
    print(found or f"There is no browser for the tests of the page. {how_to_get_one()}")
    return 0 if found else 1


if __name__ == "__main__":
    sys.exit(main())
