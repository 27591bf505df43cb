"""One connection of a client, with bounds on what uvicorn waits for without end: the head of a request."""

from __future__ import annotations

import asyncio

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

__all__ = ["Connection"]

_HEAD_SECONDS = 30.0
"""Within which the head of a request must have come, from the connection's beginning or the head's first byte on.

Between two requests uvicorn's own timeout counts, and the body has one in `actloop.service.gate`.
"""

_HEAD_BYTES = 32 * 1024
"""How much may come without completing a head or adding to a body: the parser keeps it all."""


class Connection(HttpToolsProtocol):
    """Closes itself when a request begins and does not go on, so that nobody can hold connections or memory."""

    _deadline: asyncio.TimerHandle | None = None
    _unfinished = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        """A client is there."""
        super().connection_made(transport)
        self._expect_head()

    def data_received(self, data: bytes) -> None:
        """Something came; whether it completes a head shows in the cycle that answers it."""
        self._unfinished += len(data)
        super().data_received(data)
        if self._unfinished > _HEAD_BYTES and not self.transport.is_closing():
            self._refuse()
        elif self._answering():
            self._forget_deadline()
        elif not self.transport.is_closing():
            self._expect_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """The client is gone."""
        self._forget_deadline()
        super().connection_lost(exc)

    def on_headers_complete(self) -> None:
        """The parser has a whole head."""
        self._unfinished = 0
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """The parser has a piece of a body."""
        self._unfinished = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        """The parser has a whole request."""
        self._unfinished = 0
        super().on_message_complete()

    def _expect_head(self) -> None:
        if self._deadline is None:
            self._deadline = self.loop.call_later(_HEAD_SECONDS, self._give_up)

    def _forget_deadline(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _give_up(self) -> None:
        self._deadline = None
        if not self._answering():
            self.transport.close()

    def _refuse(self) -> None:
        if self._answering():  # the answer to another request is on its way
            self.transport.close()
        else:
            self.send_400_response("The head of the request is too large.")

    def _answering(self) -> bool:
        cycle: RequestResponseCycle | None = self.cycle
        return cycle is not None and not cycle.response_complete
