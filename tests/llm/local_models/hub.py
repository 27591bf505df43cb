"""A local imitation of the model hub: what it does with one large file, and what can go wrong on the way."""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from aiohttp import web


@dataclass
class Hub:
    """Serves ``content`` under any address: HEAD names checksum and size, GET redirects to a storage path.

    cuts: for each request to the storage in turn, after how many bytes of its answer the connection breaks; None never.
    ranges: "yes" as HTTP has it, "ignored" sends the whole file, "refused" answers 416, "wrong" sends other bytes.
    stall: send half of the file once, then nothing more.
    """

    content: bytes
    url: str = ""
    checksum: str | None = None
    size: int | None = None
    head_status: int = 302
    storage_status: int = 200
    page: bytes | None = None
    cuts: list[int | None] = field(default_factory=list)
    ranges: str = "yes"
    stall: bool = False
    asked: list[str] = field(default_factory=list)

    async def resolve(self, request: web.Request) -> web.StreamResponse:
        if self.page is not None:
            return web.Response(body=self.page, content_type="text/html")
        if self.head_status >= 400:
            return web.Response(status=self.head_status)
        headers = {"Location": f"/storage{request.path}"}
        checksum = hashlib.sha256(self.content).hexdigest() if self.checksum is None else self.checksum
        if checksum:
            headers |= {"X-Linked-Etag": f'"{checksum}"', "X-Linked-Size": str(self.size or len(self.content))}
        return web.Response(status=302, headers=headers)

    async def storage(self, request: web.Request) -> web.StreamResponse:
        asked = request.headers.get("Range", "")
        self.asked.append(asked)
        if self.storage_status != 200:
            return web.Response(status=self.storage_status)
        start, status = 0, 200
        if asked and self.ranges == "refused":
            return web.Response(status=416)
        if asked and self.ranges != "ignored":
            match = re.fullmatch(r"bytes=(\d+)-", asked)
            assert match is not None
            start, status = int(match[1]), 206
        body, whole = self.content[start:], len(self.content)
        headers = {"Content-Length": str(len(body))}
        if status == 206:
            first = start + 1 if self.ranges == "wrong" else start
            headers["Content-Range"] = f"bytes {first}-{whole - 1}/{whole}"
        response = web.StreamResponse(status=status, headers=headers)
        await response.prepare(request)
        cut = self.cuts.pop(0) if self.cuts else None
        await response.write(body[: 0 if start else whole // 2] if self.stall else body[:cut])
        if self.stall:
            await asyncio.Event().wait()
        if cut is not None and request.transport is not None:
            request.transport.close()
        return response


@asynccontextmanager
async def serving(hub: Hub) -> AsyncGenerator[Hub]:
    """Serve ``hub`` on a free port of this machine; its ``url`` says where."""
    app = web.Application()
    app.router.add_route("*", "/storage/{path:.*}", hub.storage)
    app.router.add_route("*", "/{path:.*}", hub.resolve)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    hub.url = "http://{}:{}".format(*runner.addresses[0][:2])
    try:
        yield hub
    finally:
        await runner.cleanup()
