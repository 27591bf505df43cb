"""The floor of `bench.service`: a bare ASGI application that sends the same pieces and does nothing else."""

from __future__ import annotations

import asyncio
import json
import socket
import time

import uvicorn
from starlette.types import Receive, Scope, Send

from bench.pacing import PIECES_A_SECOND, SECONDS


async def app(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer whatever is asked with pieces at a steady pace, each an event."""
    while (await receive()).get("more_body"):
        pass
    await send(
        {"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/event-stream")]},
    )
    loop = asyncio.get_running_loop()
    began = loop.time()
    for number in range(PIECES_A_SECOND * SECONDS):
        await asyncio.sleep(max(0.0, began + number / PIECES_A_SECOND - loop.time()))
        data = json.dumps({"status": "delta", "content": f"{time.monotonic():.6f} some words "}, separators=(",", ":"))
        event = f"id: {number}\nevent: answer\ndata: {data}\n\n"
        await send({"type": "http.response.body", "body": event.encode(), "more_body": True})
    await send({"type": "http.response.body", "body": b"event: done\ndata: {}\n\n", "more_body": False})


if __name__ == "__main__":
    with socket.create_server(("127.0.0.1", 0), backlog=2048) as listener:
        print(f"http://127.0.0.1:{listener.getsockname()[1]}", flush=True)
        config = uvicorn.Config(app, http="httptools", ws="none", lifespan="off", log_config=None, access_log=False)
        uvicorn.Server(config).run([listener])
