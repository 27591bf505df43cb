"""What a GGUF file says about its model: how much it can read and how it is talked to. Reads the head of the file only.

The format: ggml's document "GGUF", version 3 (version 2 has the same layout).
"""

from __future__ import annotations

import mmap
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from actloop.errors import ConfigError

__all__ = ["GgufInfo", "read_gguf"]

_STRING, _ARRAY = 8, 9
_SCALARS = {0: "<B", 1: "<b", 2: "<H", 3: "<h", 4: "<I", 5: "<i", 6: "<f", 7: "<?", 10: "<Q", 11: "<q", 12: "<d"}
_MAX_ENTRIES = 100_000


@dataclass(frozen=True, slots=True)
class GgufInfo:
    """context_size: tokens the model was trained to read, None if not said; chat_template: Jinja, or empty."""

    context_size: int | None
    chat_template: str


def read_gguf(path: Path) -> GgufInfo:
    """The facts in the head of ``path``. Raises `ConfigError` when it cannot be read or is no GGUF file."""
    try:
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            entries = dict(_Head(data).entries())
    except OSError as error:
        raise ConfigError(f"Cannot read the model file {str(path)!r}: {error.strerror or error}.") from error
    except (ValueError, struct.error) as error:
        raise ConfigError(f"{str(path)!r} is no GGUF model, or only a part of one ({error}).") from error
    context_size = entries.get(f"{entries.get('general.architecture')}.context_length")
    template = entries.get("tokenizer.chat_template")
    return GgufInfo(
        context_size if isinstance(context_size, int) and context_size > 0 else None,
        template if isinstance(template, str) else "",
    )


class _Head:
    """Walks through the key-value pairs at the beginning of the file."""

    def __init__(self, data: mmap.mmap) -> None:
        self._data = data
        self._position = 0

    def entries(self) -> Iterator[tuple[str, Any]]:
        """Each key with its value; an array's value is None, as nobody here needs one."""
        if self._data[:4] != b"GGUF":
            raise ValueError("it does not begin with 'GGUF'")
        self._position = 4
        version, _tensors, count = self._number("<I"), self._number("<Q"), self._number("<Q")
        if version not in (2, 3):
            raise ValueError(f"its version is {version}, known are 2 and 3")
        if count > _MAX_ENTRIES:
            raise ValueError(f"it claims to have {count} entries")
        for _ in range(count):
            key = self._string().decode("utf-8", "replace")
            yield key, self._value(self._number("<I"))

    def _value(self, kind: int) -> Any:
        if kind == _STRING:
            return self._string().decode("utf-8", "replace")
        if kind == _ARRAY:
            self._skip_array()
            return None
        return self._number(self._format(kind))

    def _skip_array(self) -> None:
        kind, count = self._number("<I"), self._number("<Q")
        if kind == _STRING:
            if count > len(self._data) // 8:
                raise ValueError("an array is longer than the file")
            for _ in range(count):
                self._advance(self._number("<Q"))
        else:
            self._advance(count * struct.calcsize(self._format(kind)))

    def _format(self, kind: int) -> str:
        if kind not in _SCALARS:
            raise ValueError(f"an entry has the unknown type {kind}")
        return _SCALARS[kind]

    def _string(self) -> bytes:
        length = self._number("<Q")
        start = self._position
        self._advance(length)
        return self._data[start : self._position]

    def _number(self, form: str) -> Any:
        (value,) = struct.unpack_from(form, self._data, self._position)
        self._position += struct.calcsize(form)
        return value

    def _advance(self, length: int) -> None:
        if length > len(self._data) - self._position:
            raise ValueError("it ends too early")
        self._position += length
