"""What is published holds the built page, and whoever installs it needs no Node."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCES = (".gitignore", "CHANGELOG.md", "LICENSE", "README.md", "hatch_build.py", "pyproject.toml")
NPM = """#!/bin/sh
echo "npm $*" >> ../calls
case "$1" in
  ci) mkdir -p node_modules ;;
  run) mkdir -p ../src/actloop/page/assets && echo page > ../src/actloop/page/index.html ;;
esac
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    root = tmp_path / "checkout"
    shutil.copytree(ROOT / "src", root / "src", ignore=shutil.ignore_patterns("__pycache__", "page"))
    for name in SOURCES:
        shutil.copy(ROOT / name, root / name)
    (root / "web").mkdir()
    (root / "web" / "package-lock.json").touch()
    npm = tmp_path / "bin" / "npm"
    npm.parent.mkdir()
    npm.write_text(NPM)
    npm.chmod(0o755)
    return root


def built(kind: str, root: Path, *, path: str, **environ: str) -> Path:
    """The package of a kind, built by the real build backend."""
    out = root.parent / f"{kind}-of-{root.name}"
    code = f"from hatchling.build import build_{kind} as build; print(build({str(out)!r}))"
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=root,
        env={"PATH": path, **environ},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return out / done.stdout.split()[-1]


def test_packages_hold_the_page_and_a_source_distribution_builds_without_node(checkout: Path, tmp_path: Path) -> None:
    with_npm = f"{tmp_path / 'bin'}{os.pathsep}/usr/bin{os.pathsep}/bin"
    with tarfile.open(built("sdist", checkout, path=with_npm)) as archive:
        archive.extractall(tmp_path / "unpacked", filter="data")
    built("wheel", checkout, path=with_npm)
    calls = (checkout / "calls").read_text().splitlines()
    assert calls == ["npm ci", "npm run build", "npm run build"], "what is installed already is not installed again"
    (unpacked,) = (tmp_path / "unpacked").iterdir()
    with zipfile.ZipFile(built("wheel", unpacked, path="/nowhere")) as wheel:
        assert wheel.read("actloop/page/index.html") == b"page\n"
        assert "actloop/service/page.py" in wheel.namelist()


def test_without_node_a_checkout_says_how_to_go_on_and_can_leave_the_page_out(checkout: Path) -> None:
    with pytest.raises(AssertionError, match="ACTLOOP_SKIP_UI=1 leaves it out"):
        built("wheel", checkout, path="/nowhere")
    with zipfile.ZipFile(built("wheel", checkout, path="/nowhere", ACTLOOP_SKIP_UI="1")) as wheel:
        assert "actloop/page/index.html" not in wheel.namelist()
        assert "actloop/__init__.py" in wheel.namelist()
