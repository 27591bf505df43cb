"""Say what this machine lacks for working on actloop.

It runs before anything is installed, so it uses the standard library alone and only what Python 3.8 understands: an
interpreter that is too old must be able to say so. What is configured *inside* actloop it leaves to `actloop doctor`,
which it calls at the end once that is installed.
"""

from __future__ import annotations

import argparse
import importlib.util
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
OLDEST_PYTHON = (3, 11)
OLDEST_NODE = ((20, 19), (22, 12))  # of each line that will do; what the page's tools ask for
SPACE_NEEDED = 2_500_000_000  # .venv takes 0.6 GB, web/node_modules 0.3 GB, a small local model 0.5 GB, caches the rest
PROBE = "iniconfig"  # a package of a few kB that the lock names

if TYPE_CHECKING:
    Run = Callable[[list[str]], subprocess.CompletedProcess[str]]


class Finding(NamedTuple):
    """One thing looked at: whether it will do, and what to do if it won't."""

    good: bool
    text: str
    advice: str = ""
    needed: bool = True

    def __str__(self) -> str:
        mark = "ok     " if self.good else "MISSING" if self.needed else "remark "
        return f"{mark}  {self.text}" + (f"\n         {self.advice}" if self.advice and not self.good else "")


def python_version(version: Sequence[int], executable: str) -> Finding:
    """Is the interpreter new enough?"""
    found = ".".join(str(part) for part in version[:3])
    oldest = ".".join(str(part) for part in OLDEST_PYTHON)
    return Finding(
        tuple(version[:2]) >= OLDEST_PYTHON,
        f"Python {found} ({executable})",
        f"Install Python {oldest} or newer, or name one: make setup PYTHON=python{oldest}",
    )


def venv_module(has_module: Callable[[str], bool]) -> Finding:
    """Can the interpreter make an environment with pip in it? Some distributions package that apart."""
    lacking = [name for name in ("venv", "ensurepip") if not has_module(name)]
    return Finding(
        not lacking,
        "the venv module" + (f" lacks {' and '.join(lacking)}" if lacking else ""),
        "On Debian and Ubuntu: apt-get install python3-venv",
    )


def command(name: str, which: Callable[[str], str | None], purpose: str, *, needed: bool = True) -> Finding:
    """Is a program on the path?"""
    path = which(name)
    return Finding(path is not None, f"{name} ({path or 'not found'})", f"{name} is {purpose}", needed)


def node(which: Callable[[str], str | None], run: Run) -> Finding:
    """Are Node and npm there, and new enough for the page's tools?"""
    oldest = " or ".join(f"{major}.{minor}" for major, minor in OLDEST_NODE)
    advice = f"It builds the page and checks it: install {oldest} or newer. `make chat` and the library do without."
    if which("node") is None or which("npm") is None:
        lacking = "node" if which("node") is None else "npm"
        return Finding(False, f"{lacking} (not found)", advice)
    said = run(["node", "--version"]).stdout.strip()
    parts = said.lstrip("v").split(".")
    version = tuple(int(part) for part in parts[:2] if part.isdigit())
    line = [least for least in OLDEST_NODE if least[0] == version[:1][0]] if version else []
    good = bool(version) and (version >= line[0] if line else version >= OLDEST_NODE[-1])
    return Finding(good, f"node {said} ({which('node')})", advice)


def browser(run: Run, script: Path) -> Finding:
    """Is there a browser for the tests of the page?"""
    done = run([sys.executable, str(script)])
    said = done.stdout.strip()
    if done.returncode == 0:
        return Finding(True, f"a browser ({said})")
    return Finding(False, "a browser of the Chromium family (not found)", said, needed=False)


def disk_space(free: int) -> Finding:
    """Is there room for the environment and a model?"""
    return Finding(
        free >= SPACE_NEEDED,
        f"{free / 1e9:.1f} GB free on this disk",
        f"Make room: the environment and a small local model want about {SPACE_NEEDED / 1e9:.0f} GB.",
    )


def environment(root: Path) -> Finding:
    """Is .venv there, and as new as the files it is made from?"""
    ready = root / ".venv" / ".ready"
    sources = [root / "requirements.lock", root / "pyproject.toml"]
    if not ready.exists():
        return Finding(False, ".venv is not set up", "make setup does it.", needed=False)
    if any(source.stat().st_mtime > ready.stat().st_mtime for source in sources):
        return Finding(False, ".venv is older than its lock", "make setup renews it.", needed=False)
    return Finding(True, ".venv is up to date")


def package_index(run: Run, pip: list[str]) -> Finding:
    """Can pip fetch something, with whatever index and proxy it is configured for here?"""
    with tempfile.TemporaryDirectory() as folder:
        fetch = f"download --quiet --no-deps --no-cache-dir --retries 0 --timeout 15 {PROBE} --dest".split()
        try:
            done = run([*pip, *fetch, folder])
        except subprocess.TimeoutExpired:
            return Finding(False, "pip got no answer from the package index", "Check the network and pip's settings.")
        arrived = any(Path(folder).iterdir())
    if arrived:
        return Finding(True, "pip reaches the package index")
    if "No module named pip" in done.stderr:
        return Finding(False, "pip is not there to try the package index", "make setup brings it.", needed=False)
    last_line = (done.stderr.strip().splitlines() or ["nothing"])[-1]
    return Finding(False, "pip cannot fetch from the package index", f"It says: {last_line}")


def look_around(root: Path, *, only_for_setup: bool = False) -> list[Finding]:
    """Everything worth knowing here, in the order in which it would stop somebody."""

    def has_module(name: str) -> bool:
        return importlib.util.find_spec(name) is not None

    found = [python_version(sys.version_info[:3], sys.executable), venv_module(has_module)]
    if only_for_setup:
        return found

    def run(arguments: list[str]) -> subprocess.CompletedProcess[str]:
        return subprocess.run(arguments, capture_output=True, text=True, timeout=60, check=False)

    installed = root / ".venv" / "bin" / "python"
    pip = [str(installed) if installed.exists() else sys.executable, "-m", "pip", "--disable-pip-version-check"]
    return [
        *found,
        command("make", shutil.which, "how everything here is started"),
        command("git", shutil.which, "needed by the tests of the repository itself"),
        disk_space(shutil.disk_usage(root).free),
        package_index(run, pip),
        environment(root),
        node(shutil.which, run),
        browser(run, root / "scripts" / "browser.py"),
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the findings; 1 when something needed is missing."""
    parser = argparse.ArgumentParser(description="Say what this machine lacks for working on actloop.")
    parser.add_argument("--setup", action="store_true", help="only what `make setup` needs, and only if it is missing")
    options = parser.parse_args(arguments)
    findings = look_around(ROOT, only_for_setup=options.setup)
    lacking = [finding for finding in findings if finding.needed and not finding.good]
    for finding in lacking if options.setup else findings:
        print(finding)
    if lacking or options.setup:
        return 1 if lacking else 0
    actloop = ROOT / ".venv" / "bin" / "actloop"
    if not actloop.exists():
        return 0
    print("\nactloop doctor:", flush=True)
    return subprocess.run([str(actloop), "doctor"], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
