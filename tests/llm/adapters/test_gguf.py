from __future__ import annotations

import struct
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actloop.errors import ConfigError
from actloop.llm.adapters.gguf import GgufInfo, read_gguf

STRING, ARRAY, UINT32 = 8, 9, 4


def text(value: str) -> bytes:
    return struct.pack("<Q", len(value.encode())) + value.encode()


def string_entry(key: str, value: str) -> bytes:
    return text(key) + struct.pack("<I", STRING) + text(value)


def head(*entries: bytes, version: int = 3, count: int | None = None) -> bytes:
    return b"GGUF" + struct.pack("<IQQ", version, 0, len(entries) if count is None else count) + b"".join(entries)


WHOLE = head(
    string_entry("general.architecture", "llama"),
    text("tokenizer.tokens") + struct.pack("<IIQ", ARRAY, STRING, 2) + text("a") + text("bc"),
    text("tokenizer.scores") + struct.pack("<IIQ", ARRAY, UINT32, 2) + bytes(8),
    text("llama.context_length") + struct.pack("<II", UINT32, 2048),
    string_entry("tokenizer.chat_template", "{% if tools %}…"),
)


def written(folder: Path, data: bytes) -> Path:
    path = folder / "model.gguf"
    path.write_bytes(data)
    return path


def test_the_head_says_window_and_template(tmp_path: Path) -> None:
    assert read_gguf(written(tmp_path, WHOLE)) == GgufInfo(2048, "{% if tools %}…")


def test_what_is_not_said_stays_unknown(tmp_path: Path) -> None:
    assert read_gguf(written(tmp_path, head())) == GgufInfo(None, "")


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"<html>",
        b"GGUF",
        head(version=99),
        head(count=2**60),
        head(text("x") + struct.pack("<I", 77)),
        head(text("x") + struct.pack("<IIQ", ARRAY, STRING, 2**60)),
        head(text("x") + struct.pack("<IIQ", ARRAY, UINT32, 2**60)),
        head(text("x") + struct.pack("<IIQ", ARRAY, ARRAY, 1)),
        head(struct.pack("<Q", 2**63)),
    ],
)
def test_another_file_is_refused(tmp_path: Path, data: bytes) -> None:
    with pytest.raises(ConfigError, match=r"model\.gguf' is no GGUF model"):
        read_gguf(written(tmp_path, data))


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="Cannot read the model file"):
        read_gguf(tmp_path / "missing.gguf")


@given(length=st.integers(0, len(WHOLE) - 1))
def test_every_cut_of_a_file_is_refused(tmp_path_factory: pytest.TempPathFactory, length: int) -> None:
    with pytest.raises(ConfigError):
        read_gguf(written(tmp_path_factory.getbasetemp(), WHOLE[:length]))


@given(position=st.integers(4, len(WHOLE) - 1), byte=st.integers(0, 255))
def test_a_damaged_file_is_read_or_refused(tmp_path_factory: pytest.TempPathFactory, position: int, byte: int) -> None:
    damaged = WHOLE[:position] + bytes([byte]) + WHOLE[position + 1 :]
    with suppress(ConfigError):
        read_gguf(written(tmp_path_factory.getbasetemp(), damaged))
