"""What must hold for the repository as a whole: nothing leaks into it, and its doors work.

The words that must not occur are written with a gap here, so that this file doesn't hold them itself.
"""

import json
import os
import re
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).parent.parent
LARGEST_FILE = 2_000_000
REGISTRY_HOST = re.compile(rb"py[p]i\.org|pythonhoste[d]|npmj[s]\.(org|com)|deb\.debia[n]", re.IGNORECASE)
MACHINE_PATH = re.compile(rb"(^|[^A-Za-z0-9_.])/(work|farm)/", re.MULTILINE)
CHANGE_NOTE = re.compile(r"\d+\.(added|changed|fixed|removed|security)\.md")


def repository_files() -> list[Path]:
    """All that is tracked, and all that would be with the next `git add`."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout.decode()
    return [path for name in sorted(set(listed.split("\0")) - {""}) if (path := ROOT / name).is_file()]


def offences(pattern: re.Pattern[bytes]) -> list[str]:
    return [
        f"{path.relative_to(ROOT)}:{number}"
        for path in repository_files()
        for number, line in enumerate(path.read_bytes().splitlines(), start=1)
        if pattern.search(line)
    ]


def relative_links(page: str) -> Iterator[str]:
    """The targets of a page's links, those in code and those to other sites left out."""
    prose = re.sub(r"^(```|~~~).*?^\1", "", page, flags=re.DOTALL | re.MULTILINE)
    prose = re.sub(r"`[^`\n]*`", "", prose)
    inline = re.findall(r"\]\(\s*<?([^)\s>]+)", prose)
    named = re.findall(r"^\s*\[[^\]]+\]:\s*<?([^\s>]+)", prose, flags=re.MULTILINE)
    for target in inline + named:
        path = target.partition("#")[0]
        if path and not re.match(r"[a-z][a-z0-9+.-]*:", path, flags=re.IGNORECASE):
            yield path


def locked_versions() -> dict[str, Version]:
    pins = re.findall(r"^([A-Za-z0-9._-]+)==([^\s;]+)", (ROOT / "requirements.lock").read_text(), flags=re.MULTILINE)
    return {canonicalize_name(name): Version(version) for name, version in pins}


def declared_requirements() -> list[Requirement]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    declared = [
        *project["build-system"]["requires"],
        *project["project"]["dependencies"],
        *(line for extra in project["project"]["optional-dependencies"].values() for line in extra),
        *(line for group in project["dependency-groups"].values() for line in group if isinstance(line, str)),
    ]
    requirements = [Requirement(line) for line in declared]
    return [requirement for requirement in requirements if requirement.name != project["project"]["name"]]


def test_no_file_names_a_package_registry() -> None:
    assert offences(REGISTRY_HOST) == []


def test_no_file_names_a_path_of_somebodys_machine() -> None:
    assert offences(MACHINE_PATH) == []


@pytest.mark.parametrize("host", [("py", "pi.org"), ("files.pythonhost", "ed.org"), ("registry.npm", "js.org")])
def test_a_registry_host_would_be_found(host: tuple[str, str]) -> None:
    assert REGISTRY_HOST.search(f"url = https://{''.join(host)}/simple".encode())


@pytest.mark.parametrize(
    ("line", "found"), [("cd /{}/main", True), ("/{}/x", True), ("net/{}/x", False), ("./{}/x", False)]
)
def test_a_machine_path_is_told_from_a_folder_of_that_name(line: str, found: bool) -> None:
    assert bool(MACHINE_PATH.search(line.format("work").encode())) is found


def test_no_file_is_too_large_to_live_in_git() -> None:
    assert [path.name for path in repository_files() if path.stat().st_size > LARGEST_FILE] == []


def test_the_lock_holds_no_address() -> None:
    lock = (ROOT / "requirements.lock").read_text()
    assert re.findall(r"^.*(?:://| @ |^-).*$", lock, flags=re.MULTILINE) == []


def test_the_lock_of_the_page_has_a_hash_for_everything_and_no_address() -> None:
    packages = json.loads((ROOT / "web" / "package-lock.json").read_text())["packages"]
    installed = {path: package for path, package in packages.items() if path}
    assert installed
    assert [path for path, package in installed.items() if "resolved" in package] == []
    assert [path for path, package in installed.items() if not package.get("integrity", "").startswith("sha512-")] == []


def test_everything_in_the_lock_has_a_hash() -> None:
    lock = (ROOT / "requirements.lock").read_text()
    entries = re.split(r"^(?=[A-Za-z0-9])", lock, flags=re.MULTILINE)[1:]
    assert entries
    assert [entry.splitlines()[0] for entry in entries if "--hash=sha256:" not in entry] == []


def test_the_lock_has_what_pyproject_asks_for() -> None:
    locked = locked_versions()
    names = {requirement: canonicalize_name(requirement.name) for requirement in declared_requirements()}
    assert [str(wanted) for wanted, name in names.items() if name not in locked] == []
    assert [str(wanted) for wanted, name in names.items() if not wanted.specifier.contains(locked[name])] == []


def test_the_lock_leaves_out_what_the_test_model_would_drag_in() -> None:
    assert locked_versions().keys() & {"llm", "llama-cpp-python"} == set()


def test_links_between_pages_lead_somewhere() -> None:
    pages = [path for path in repository_files() if path.suffix == ".md"]
    broken = [
        f"{page.relative_to(ROOT)} -> {target}"
        for page in pages
        for target in relative_links(page.read_text(encoding="utf-8"))
        if not (ROOT / target[1:] if target.startswith("/") else page.parent / target).exists()
    ]
    assert pages
    assert broken == []


def test_only_links_in_prose_to_files_are_followed() -> None:
    page = """[a](a.md#part) [b](https://example.com) [c](#here) `[d](d.md)` ![e](<e.svg>)
[f]: f.md
```
[g](g.md)
```
"""
    assert list(relative_links(page)) == ["a.md", "e.svg", "f.md"]


def test_change_notes_carry_a_number_and_a_kind() -> None:
    names = {path.name for path in (ROOT / "changelog.d").iterdir()} - {"README.md"}
    assert {name for name in names if not CHANGE_NOTE.fullmatch(name)} == set()


def test_continuous_integration_uses_the_same_door_as_people() -> None:
    script = ROOT / ".ci" / "run"
    assert os.access(script, os.X_OK)
    assert "make test" in script.read_text().splitlines()


def test_make_alone_lists_every_target() -> None:
    listed = subprocess.run(
        ["make", "--no-print-directory"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    targets = re.findall(r"^\.PHONY: (.*)$", (ROOT / "Makefile").read_text(), flags=re.MULTILINE)
    assert re.findall(r"^  make (\S+) +\S", listed, flags=re.MULTILINE) == " ".join(targets).split()
