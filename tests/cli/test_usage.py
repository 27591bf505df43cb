"""What the command says to a wrong request: a sentence, exit code 2, no traceback."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from actloop.cli.main import main


def exit_of(monkeypatch: pytest.MonkeyPatch, home: Path, *arguments: str) -> object:
    """The exit code of the command, run in this process with an empty home directory."""
    monkeypatch.chdir(home)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setattr(sys, "argv", ["actloop", *arguments])
    with pytest.raises(SystemExit) as exited:
        main()
    return exited.value.code


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("run",), "Missing argument"),
        (("run", " \n"), "the question is empty"),
        (("run", "hi", "--mode", "dag"), "--mode dag is not available yet"),
        (("run", "hi", "--mode", "fast"), "'fast' is not one of 'react', 'dag', 'auto'"),
        (("chat", "--mode", "auto"), "--mode auto is not available yet"),
        (("run", "hi", "--tools", "nowhere.py"), "the tools file 'nowhere.py' cannot be read"),
        (("run", "hi", "--model", "gpt-5"), "'provider:model'"),
        (("run", "hi", "--model", "nobody:x"), "nobody"),
        (("run", "hi", "--model", "local:nowhere.gguf"), "nowhere.gguf"),
        (("models", "pull", "no-such-model"), "no-such-model"),
        (("answer",), "No such command"),
    ],
    ids=range(11),
)
def test_a_wrong_request_is_told_in_words(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    arguments: tuple[str, ...],
    words: str,
) -> None:
    assert exit_of(monkeypatch, tmp_path, *arguments) == 2
    captured = capsys.readouterr()
    assert words in captured.err
    assert "Traceback" not in captured.err
    assert captured.out == ""


def test_a_wrong_setting_is_told_with_its_name(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ACTLOOP_MAX_ITERATIONS", "many")
    assert exit_of(monkeypatch, tmp_path, "run", "hi") == 2
    assert "ACTLOOP_MAX_ITERATIONS is 'many'" in capsys.readouterr().err


def test_missing_packages_are_named_with_the_command_that_installs_them(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delitem(sys.modules, "actloop.cli.commands", raising=False)
    monkeypatch.setitem(sys.modules, "typer", None)
    assert exit_of(monkeypatch, tmp_path, "run", "hi") == 2
    assert "pip install 'actloop[cli]'" in capsys.readouterr().err


def test_tools_are_listed_with_a_line_each(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    example = Path(__file__).parents[2] / "examples" / "tools_file.py"
    assert exit_of(monkeypatch, tmp_path, "tools", "--tools", str(example)) == 0
    names = [line.split()[0] for line in capsys.readouterr().out.splitlines()]
    assert {"calculator", "stock", "order"} <= set(names)


def test_a_failure_of_ours_is_one_sentence_unless_debugging(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(**_: object) -> None:
        raise RuntimeError("the sky fell")

    monkeypatch.setattr("actloop.cli.commands.load_settings", broken)
    assert exit_of(monkeypatch, tmp_path, "run", "hi") == 1
    assert "the sky fell" in (shown := capsys.readouterr().err)
    assert "Traceback" not in shown
    monkeypatch.setenv("ACTLOOP_DEBUG", "1")
    assert exit_of(monkeypatch, tmp_path, "run", "hi") == 1
    assert "Traceback" in capsys.readouterr().err
