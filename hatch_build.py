"""Builds the page into the package, so that whoever installs it needs no Node.

Nothing is built for an editable install (`make page` does it there), from a source distribution (which holds the built
page already), and with ``ACTLOOP_SKIP_UI=1``.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

__all__ = ["PageBuildHook"]


class PageBuildHook(BuildHookInterface[Any]):
    """Called by hatchling for each wheel and source distribution."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the page. Raises `RuntimeError` that says what is missing."""
        root = Path(self.root)
        unpacked = (root / "PKG-INFO").exists()
        if version == "editable" or unpacked or os.environ.get("ACTLOOP_SKIP_UI") == "1":
            return
        npm = shutil.which("npm")
        if npm is None:
            raise RuntimeError("the page is built with Node (npm), which is missing; ACTLOOP_SKIP_UI=1 leaves it out")
        lock, installed = root / "web" / "package-lock.json", root / "web" / "node_modules" / ".package-lock.json"
        if not installed.exists() or installed.stat().st_mtime < lock.stat().st_mtime:
            subprocess.run([npm, "ci"], cwd=root / "web", check=True)
            installed.touch()
        subprocess.run([npm, "run", "build"], cwd=root / "web", check=True)
