"""A chat-completions server that answers at once: what is left of a measurement is the client's own work.

The model's name says how many tool turns a conversation has: ``turns=10`` or, with eight calls a turn, ``turns=10x8``.
Run as ``python -m bench.instant_server``; it prints its port and serves on 127.0.0.1 until its standard input closes.
"""

from __future__ import annotations

import asyncio
import json
import re
import sys

_MODEL = re.compile(rb'"model":\s*"turns=(\d+)(?:x(\d+))?"')


def reply(body: bytes) -> bytes:
    """The next turn of the conversation in ``body``."""
    match = _MODEL.search(body)
    turns, width = (int(match[1]), int(match[2] or 1)) if match else (0, 1)
    done = body.count(b'"tool_call_id"') // width
    message: dict[str, object] = {"role": "assistant", "content": "done"}
    if done < turns:
        calls = [
            {
                "id": f"call_{done}_{n}",
                "type": "function",
                "function": {"name": "work", "arguments": json.dumps({"number": done, "part": n})},
            }
            for n in range(width)
        ]
        message = {"role": "assistant", "content": None, "tool_calls": calls}
    finish = "stop" if done >= turns else "tool_calls"
    return json.dumps(
        {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 1,
            "model": "instant",
            "choices": [{"index": 0, "message": message, "finish_reason": finish}],
            "usage": {"prompt_tokens": len(body) // 4, "completion_tokens": 10, "total_tokens": len(body) // 4 + 10},
        }
    ).encode()


class _Connection(asyncio.Protocol):
    """Just enough HTTP/1.1: requests with a Content-Length, keep-alive."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport
        self._buffer = bytearray()

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        while (end := self._buffer.find(b"\r\n\r\n")) >= 0:
            length = re.search(rb"(?i)content-length: *(\d+)", self._buffer[:end])
            total = end + 4 + (int(length[1]) if length else 0)
            if len(self._buffer) < total:
                return
            body = reply(bytes(self._buffer[end + 4 : total]))
            del self._buffer[:total]
            head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body)
            assert isinstance(self._transport, asyncio.Transport)
            self._transport.write(head + body)


async def main() -> None:
    loop = asyncio.get_running_loop()
    server = await loop.create_server(_Connection, "127.0.0.1", 0, backlog=1024)
    print(server.sockets[0].getsockname()[1], flush=True)
    await loop.run_in_executor(None, sys.stdin.read)
    server.close()


if __name__ == "__main__":
    asyncio.run(main())
