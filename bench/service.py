"""What the service costs: many runs at once, many readers, readers that stop reading, and a large store.

    python -m bench.service [runs] [idle] [stuck] [store]

The service is a process of its own, the clients another, on one machine. The model is scripted: each run streams 20
pieces a second. "added" is the time from the moment at which a piece left the model until a client has read it; both
processes read the same monotonic clock. CPU and memory are those of the service's process. The floor is a bare ASGI
application in the service's place, which sends the same pieces (`bench.bare_stream`): what is more than that is ours.
"""

from __future__ import annotations

import asyncio
import json
import os
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from pathlib import Path

from actloop.config.service_settings import ServiceSettings
from actloop.service.server import serve
from actloop.service.store.conversations import ConversationStore
from actloop.service.store.database import Database
from actloop.service.store.events import EventStore, StoredEvent, Written
from actloop.service.store.runs import RunStore
from actloop.service.store.schema import migrate
from bench.pacing import PIECES_A_SECOND, SECONDS, STUCK_SECONDS, Agents

RUNS, IDLE, STUCK, STORED = 200, 2_000, 200, 1_000_000

Connection = tuple[asyncio.StreamReader, asyncio.StreamWriter]
"""Both ends are to be kept: a connection whose writer is forgotten is closed."""


class Service:
    """The service's process, seen from outside."""

    def __init__(self, pid: int, port: int) -> None:
        self.pid = pid
        self.port = port

    def cpu(self) -> float:
        """Seconds of CPU so far."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def memory(self) -> int:
        """Resident bytes."""
        return int(Path(f"/proc/{self.pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    async def connect(self, method: str, path: str, body: bytes = b"") -> Connection:
        """Send a request."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port, limit=1 << 26)
        head = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        writer.write(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
        return reader, writer

    async def ask(self, query: str) -> Connection:
        """Begin a run and follow it."""
        return await self.connect("POST", "/api/ask", json.dumps({"query": query}).encode())


@asynccontextmanager
async def started(*module: str) -> AsyncIterator[Service]:
    """A server in a process of its own; it says its address in its first line."""
    process = await asyncio.create_subprocess_exec(sys.executable, "-m", *module, stdout=asyncio.subprocess.PIPE)
    assert process.stdout is not None
    try:
        address = (await process.stdout.readline()).decode().strip()
        yield Service(process.pid, int(address.rpartition(":")[2]))
    finally:
        process.kill()
        await process.wait()


def service(directory: Path) -> AbstractAsyncContextManager[Service]:
    """The service, with its database in ``directory``."""
    return started("bench.service", "serve", str(directory))


async def _delays(connection: Connection) -> list[float]:
    """How long each event that holds a time was on its way, in seconds; the first one first."""
    reader, writer = connection
    delays: list[float] = []
    while line := await reader.readline():
        now = time.monotonic()
        if line.startswith(b'data: {"status":"delta"'):
            with suppress(ValueError):  # a large event is cut by the coding of the transfer, which is not decoded here
                delays.append(now - float(json.loads(line[6:])["content"].split()[0]))
        if line == b"event: done\n":
            break
    writer.close()
    return delays


async def _run_of(connection: Connection) -> str:
    """The id of the run, from the answer's head."""
    while line := (await connection[0].readline()).decode():
        if line.lower().startswith("actloop-run:"):
            return line.partition(":")[2].strip()
    raise RuntimeError("the service did not begin a run")


async def many_runs(directory: Path) -> list[str]:
    """200 runs that stream at once, and the floor of that."""
    async with started("bench.bare_stream") as server:
        floor, floor_cpu, _, _ = await _all_at_once(server)
    async with service(directory) as server:
        told, cpu, grown, client_cpu = await _all_at_once(server)
    begun = sorted(delays[0] for delays in told)
    begun_floor = sorted(delays[0] for delays in floor)
    rest = sorted(delay for delays in told for delay in delays[1:])
    rest_floor = sorted(delay for delays in floor for delay in delays[1:])
    return [
        _row(f"{RUNS} runs at {PIECES_A_SECOND}/s: first piece, added, p50", *_with_floor(begun, begun_floor, 0.5)),
        _row("… p95", *_with_floor(begun, begun_floor, 0.95), "5 ms"),
        _row("… later pieces, added, p50", *_with_floor(rest, rest_floor, 0.5)),
        _row("… p95", *_with_floor(rest, rest_floor, 0.95)),
        _row("… pieces that are an event of their own", f"{100 * (len(rest) + RUNS) / _PIECES:.0f} %", "100 %"),
        _row("… CPU a piece, agent and start of the run included", _us(cpu), _us(floor_cpu)),
        _row("… CPU a piece of the client, which is no part of that", _us(client_cpu)),
        _row("… memory a run", f"{grown / RUNS / 1000:.0f} kB"),
    ]


_PIECES = RUNS * SECONDS * PIECES_A_SECOND


async def _all_at_once(server: Service) -> tuple[list[list[float]], float, int, float]:
    """What each stream tells of its delays, then CPU a piece, growth, and the client's own CPU a piece."""
    await _delays(await server.ask("warm up"))
    before, cpu, own = server.memory(), server.cpu(), time.process_time()
    streams = [asyncio.create_task(_delays(await server.ask("stream"))) for _ in range(RUNS)]
    told = await asyncio.gather(*streams)
    grown = server.memory() - before
    return told, (server.cpu() - cpu) / _PIECES, grown, (time.process_time() - own) / _PIECES


def _with_floor(delays: Sequence[float], floor: Sequence[float], share: float) -> tuple[str, str]:
    """A percentile of both, sorted as they are."""
    return _ms(delays[int(share * len(delays))]), _ms(floor[int(share * len(floor))])


async def one_run(directory: Path) -> list[str]:
    """The same with one run: what the service adds when it is not busy."""
    async with service(directory) as server:
        firsts: list[float] = []
        rest: list[float] = []
        for _ in range(3):
            delays = await _delays(await server.ask("stream"))
            firsts.append(delays[0])
            rest += delays
    rest.sort()
    return [
        _row("one run: pieces, added, p50", _ms(statistics.median(rest))),
        _row("… p95", _ms(rest[int(0.95 * len(rest))]), aim="5 ms"),
    ]


async def idle_streams(directory: Path) -> list[str]:
    """2,000 readers of a run that says nothing."""
    async with service(directory) as server:
        asked = await server.ask("wait")
        run = await _run_of(asked)
        before = server.memory()
        streams = []
        for _ in range(IDLE):
            streams.append(await server.connect("GET", f"/api/runs/{run}/events"))
            await streams[-1][0].readuntil(b"\n\n")
        await asyncio.sleep(1)
        grown = server.memory() - before
        cpu = server.cpu()
        await asyncio.sleep(5)
        cpu = server.cpu() - cpu
    return [
        _row(f"{IDLE:,} idle streams: memory of each", f"{grown / IDLE / 1000:.1f} kB", aim="45 kB"),
        _row("… CPU of all", f"{100 * cpu / 5:.1f} %"),
    ]


async def stuck_readers(directory: Path) -> list[str]:
    """200 readers of a run that stop reading, and one that goes on."""
    async with service(directory) as server:
        asked = await server.ask("flood")
        run = await _run_of(asked)
        before = server.memory()
        stuck = [await server.connect("GET", f"/api/runs/{run}/events") for _ in range(STUCK)]
        for _, writer in stuck:
            writer.transport.pause_reading()  # type: ignore[attr-defined]  # a transport that reads, too
        delays = sorted(await _delays(asked))
        grown = server.memory() - before
    return [
        _row(
            f"{STUCK} readers that stop reading for {STUCK_SECONDS} s: growth", f"{grown / 2**20:.1f} MiB", aim="64 MiB"
        ),
        _row("… the one that reads on, added, p95", _ms(delays[int(0.95 * len(delays))])),
    ]


async def large_store(directory: Path) -> list[str]:
    """A store with 1,000,000 events: what it takes to come back to one of 1,000 runs, and to read a long one."""
    database = Database(f"sqlite:///{directory / 'bench.db'}")
    await migrate(database)
    conversations, runs, events = ConversationStore(database), RunStore(database), EventStore(database)
    began = time.monotonic()
    ids = []
    size = STORED // 1_000
    for _ in range(1_000):
        conversation = await conversations.create("local")
        run = await runs.create(conversation.id, "local", "go", node="other", agent=None, model=None)
        data = '{"status":"delta","content":"some words of an answer"}'
        stored = [StoredEvent(number, "answer", data) for number in range(1, size)]
        await events.append([Written(run.id, [*stored, StoredEvent(size, "done", "{}")], status="finished")])
        ids.append(run.id)
    filled = time.monotonic() - began
    await database.aclose()
    async with service(directory) as server:
        times: list[float] = []
        for run_id in ids[:: 1_000 // 50]:
            began = time.monotonic()
            reader, writer = await server.connect("GET", f"/api/runs/{run_id}/events?after={size - 10}")
            await reader.readuntil(b"event: done")
            times.append(time.monotonic() - began)
            writer.close()
        began = time.monotonic()
        reader, writer = await server.connect("GET", f"/api/runs/{ids[500]}/events")
        await reader.readuntil(b"event: done")
        whole = time.monotonic() - began
    return [
        _row(f"{STORED:,} events in SQLite: the last ten of a run, p50", _ms(statistics.median(times))),
        _row("… p95", _ms(sorted(times)[int(0.95 * len(times))])),
        _row(f"… all {size:,} of a run", f"{1000 * whole:.0f} ms"),
        _row("… written at", f"{STORED / filled:,.0f} events/s"),
    ]


def _ms(seconds: float) -> str:
    return f"{1000 * seconds:.1f} ms"


def _us(seconds: float) -> str:
    return f"{1e6 * seconds:.0f} µs"


def _row(what: str, measured: str, floor: str = "–", aim: str = "") -> str:
    return f"| {what} | {measured} | {floor} | {aim and f'≤ {aim}'} |"


PARTS: dict[str, Callable[[Path], Awaitable[list[str]]]] = {
    "one": one_run,
    "runs": many_runs,
    "idle": idle_streams,
    "stuck": stuck_readers,
    "store": large_store,
}


async def main(names: Sequence[str]) -> None:
    """Measure and print a table."""
    print("| what | measured | floor | aim |\n|---|---|---|---|")
    for name in names or PARTS:
        with tempfile.TemporaryDirectory() as directory:
            print("\n".join(await PARTS[name](Path(directory))), flush=True)


def _serve(directory: str) -> None:
    settings = ServiceSettings(
        database_url=f"sqlite:///{Path(directory) / 'bench.db'}", port=0, max_runs=1_000, rate_limit=1e6
    )
    serve(settings, Agents(), on_ready=lambda address: print(address, flush=True))


if __name__ == "__main__":
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, max(soft, 2 * IDLE + 1_000)), hard))
    if sys.argv[1:2] == ["serve"]:
        _serve(sys.argv[2])
    else:
        asyncio.run(main(sys.argv[1:]))
