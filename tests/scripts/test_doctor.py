import os
import subprocess
from pathlib import Path

import pytest

from scripts import doctor

COMPLETED = subprocess.CompletedProcess[str]


def answering(stderr: str = "", *, brings: bool = False) -> "doctor.Run":
    """A pip that says this, and leaves a file where it was told to if it brings one."""

    def run(arguments: list[str]) -> COMPLETED:
        if brings:
            (Path(arguments[-1]) / "package.whl").touch()
        return COMPLETED(arguments, returncode=1 if stderr else 0, stdout="", stderr=stderr)

    return run


@pytest.mark.parametrize(
    ("version", "good"), [((3, 8, 18), False), ((3, 10, 13), False), ((3, 11, 0), True), ((3, 14, 2), True)]
)
def test_an_interpreter_must_be_new_enough(version: tuple[int, ...], good: bool) -> None:
    assert doctor.python_version(version, "python3").good is good


def test_a_missing_half_of_the_venv_module_is_named() -> None:
    finding = doctor.venv_module(lambda name: name != "ensurepip")
    assert not finding.good
    assert "ensurepip" in str(finding)
    assert "python3-venv" in str(finding)


def test_a_program_that_is_not_needed_is_only_remarked_upon() -> None:
    assert str(doctor.command("dot", lambda _: None, "for pictures", needed=False)).startswith("remark")
    assert str(doctor.command("make", lambda _: None, "for everything")).startswith("MISSING")
    assert "/usr/bin/make" in str(doctor.command("make", lambda name: f"/usr/bin/{name}", "for everything"))


def saying(stdout: str, returncode: int = 0) -> "doctor.Run":
    """A program that says this."""
    return lambda arguments: COMPLETED(arguments, returncode, stdout, stderr="")


@pytest.mark.parametrize(
    ("version", "good"),
    [
        ("v18.20.4", False),
        ("v20.18.1", False),
        ("v20.19.0", True),
        ("v21.9.0", False),
        ("v22.11.0", False),
        ("v22.12.0", True),
        ("v24.1.0", True),
        ("nonsense", False),
    ],
)
def test_node_must_be_new_enough_for_the_tools_of_the_page(version: str, good: bool) -> None:
    finding = doctor.node(lambda name: f"/usr/bin/{name}", saying(f"{version}\n"))
    assert finding.good is good
    assert version in str(finding)


def test_a_missing_npm_is_named() -> None:
    finding = doctor.node(lambda name: None if name == "npm" else f"/usr/bin/{name}", saying("v24.1.0"))
    assert str(finding).startswith("MISSING  npm")
    assert "make chat" in str(finding)


def test_a_missing_browser_is_remarked_upon_with_what_to_do(tmp_path: Path) -> None:
    assert doctor.browser(saying("/usr/bin/chromium\n"), tmp_path).good
    finding = doctor.browser(saying("apt-get install chromium\n", 1), tmp_path)
    assert str(finding).startswith("remark")
    assert "apt-get install chromium" in str(finding)


def test_a_full_disk_is_reported_with_what_is_needed() -> None:
    assert not doctor.disk_space(100_000_000).good
    assert doctor.disk_space(50_000_000_000).good


def test_the_index_is_reached_when_pip_brings_a_file() -> None:
    # A warning on the way does not matter.
    assert doctor.package_index(answering("WARNING: a location is ignored", brings=True), ["pip"]).good


def test_what_pip_said_last_is_passed_on() -> None:
    finding = doctor.package_index(answering("WARNING: retrying\nERROR: no matching distribution\n"), ["pip"])
    assert finding.needed
    assert "ERROR: no matching distribution" in str(finding)
    assert "retrying" not in str(finding)


def test_an_index_that_never_answers_is_reported() -> None:
    def hanging(arguments: list[str]) -> COMPLETED:
        raise subprocess.TimeoutExpired(arguments, 60)

    assert not doctor.package_index(hanging, ["pip"]).good


def test_an_interpreter_without_pip_is_no_fault() -> None:
    finding = doctor.package_index(answering("python3: No module named pip"), ["pip"])
    assert not finding.good
    assert not finding.needed


def test_an_environment_older_than_its_lock_is_remarked_upon(tmp_path: Path) -> None:
    for name in ("requirements.lock", "pyproject.toml"):
        (tmp_path / name).touch()
    assert "not set up" in doctor.environment(tmp_path).text
    ready = tmp_path / ".venv" / ".ready"
    ready.parent.mkdir()
    ready.touch()
    assert doctor.environment(tmp_path).good
    later = ready.stat().st_mtime + 10
    os.utime(tmp_path / "requirements.lock", (later, later))
    assert "older" in doctor.environment(tmp_path).text


def test_before_setup_a_machine_that_has_all_hears_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert doctor.main(["--setup"]) == 0
    assert capsys.readouterr().out == ""


def test_something_needed_that_is_missing_fails(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(doctor, "OLDEST_PYTHON", (99, 0))
    assert doctor.main(["--setup"]) == 1
    assert "Install Python 99.0 or newer" in capsys.readouterr().out
