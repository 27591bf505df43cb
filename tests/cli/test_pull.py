"""Fetching a model as a person sees it; fetching itself is tested with `actloop.llm.local_models`."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from actloop.cli import pull as pull_module
from actloop.cli.pull import ensure_model, pull_model
from actloop.config import load_settings
from actloop.llm.local_models import FetchProgress, OnProgress, Pulled, catalogue_model


def fetched(monkeypatch: pytest.MonkeyPatch) -> list[str | None]:
    """Put a source in place that has every model; return the list of what is fetched."""
    names: list[str | None] = []

    async def pull(name: str | None, *, directory: Path, on_progress: OnProgress) -> Pulled:
        names.append(name)
        model = catalogue_model(name or "qwen2.5-0.5b-instruct")
        for done in range(0, 1_000_001, 1000):
            on_progress(FetchProgress(model.name, "downloading", done, 1_000_000))
        on_progress(FetchProgress(model.name, "verifying", 0, 1_000_000))
        return Pulled(model, directory / model.file, "Good for short questions.")

    monkeypatch.setattr(pull_module, "pull", pull)
    return names


def test_a_log_gets_a_line_for_each_tenth_and_the_notice(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fetched(monkeypatch)
    pull_model(load_settings(environ={"HOME": str(tmp_path)}), None)
    captured = capsys.readouterr()
    lines = captured.err.splitlines()
    assert lines[0] == "downloading qwen2.5-0.5b-instruct: 0 % of 1 MB"
    assert lines[10:12] == [
        "downloading qwen2.5-0.5b-instruct: 100 % of 1 MB",
        "verifying qwen2.5-0.5b-instruct: 0 % of 1 MB",
    ]
    assert lines[12].startswith("qwen2.5-0.5b-instruct is in ")
    assert lines[12].endswith("Good for short questions.")
    assert (len(lines), captured.out) == (13, "")


def test_a_terminal_gets_a_bar(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fetched(monkeypatch)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    pull_model(load_settings(environ={"HOME": str(tmp_path)}), "smollm2-135m-instruct")
    assert "downloading smollm2-135m-instruct" in capsys.readouterr().err


def test_a_model_is_fetched_only_when_none_is_set_and_none_is_here(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = fetched(monkeypatch)
    environ = {"HOME": str(tmp_path), "OPENAI_API_KEY": "secret"}
    ensure_model(load_settings(environ=environ, model="openai:m"))
    assert names == []
    monkeypatch.setattr(pull_module, "find_default", lambda directory: None)
    ensure_model(load_settings(environ=environ))
    assert names == [None]
    assert "There is a key in OPENAI_API_KEY" in capsys.readouterr().err
