from __future__ import annotations

import asyncio
import fcntl
import hashlib
import os
import shutil
from pathlib import Path

import pytest

from actloop.errors import ConfigError
from actloop.llm.local_models import FetchError, SourceUnreachable
from actloop.llm.local_models.download import Download
from tests.llm.local_models.hub import Hub, serving

CONTENT = os.urandom(3_000_000)
DIGEST = hashlib.sha256(CONTENT).hexdigest()


def download(hub: Hub, folder: Path, *, seen: list[int] | None = None, stall: float = 20.0) -> Download:
    return Download(
        f"{hub.url}/publisher/model/resolve/main/model.gguf",
        folder / "model.gguf",
        len(CONTENT),
        DIGEST,
        on_bytes=(seen if seen is not None else []).append,
        on_verify=lambda _: None,
        stall=stall,
        pause=0.0,
    )


def files(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()} - {".model.gguf.lock"}


@pytest.mark.asyncio
async def test_a_file_arrives_whole_and_says_how_far_it_is(tmp_path: Path) -> None:
    seen: list[int] = []
    async with serving(Hub(CONTENT)) as hub:
        await download(hub, tmp_path / "new", seen=seen).run()
    assert (tmp_path / "new/model.gguf").read_bytes() == CONTENT
    assert files(tmp_path / "new") == {"model.gguf"}
    assert seen == sorted(seen)
    assert seen[-1] == len(CONTENT)


@pytest.mark.asyncio
async def test_a_cut_connection_is_resumed_where_it_broke(tmp_path: Path) -> None:
    async with serving(Hub(CONTENT, cuts=[1_500_000, 1_000_000])) as hub:
        await download(hub, tmp_path).run()
    assert (tmp_path / "model.gguf").read_bytes() == CONTENT
    assert hub.asked[0] == ""
    assert all(asked.startswith("bytes=") for asked in hub.asked[1:])


@pytest.mark.asyncio
async def test_a_later_attempt_goes_on_with_what_an_earlier_one_got(tmp_path: Path) -> None:
    async with serving(Hub(CONTENT, cuts=[2_000_000, 0, 0, 0, 0])) as hub:
        with pytest.raises(FetchError, match=r"\d MB of 3 MB are here"):
            await download(hub, tmp_path).run()
        assert "model.gguf" not in files(tmp_path)
        hub.cuts.clear()
        hub.asked.clear()
        here = download(hub, tmp_path).part.stat().st_size
        await download(hub, tmp_path).run()
    assert hub.asked == [f"bytes={here}-"]
    assert (tmp_path / "model.gguf").read_bytes() == CONTENT


@pytest.mark.asyncio
@pytest.mark.parametrize("ranges", ["ignored", "refused", "wrong"])
async def test_a_server_that_cannot_resume_sends_it_all_again(tmp_path: Path, ranges: str) -> None:
    async with serving(Hub(CONTENT, cuts=[1_000_000], ranges=ranges)) as hub:
        await download(hub, tmp_path).run()
    assert (tmp_path / "model.gguf").read_bytes() == CONTENT


@pytest.mark.asyncio
@pytest.mark.parametrize("ranges", ["ignored", "refused"])
async def test_a_server_that_always_breaks_off_and_cannot_resume_is_given_up(tmp_path: Path, ranges: str) -> None:
    async with serving(Hub(CONTENT, cuts=[1_000_000] * 50, ranges=ranges)) as hub:
        with pytest.raises(FetchError, match="the next attempt goes on from there"):
            await download(hub, tmp_path).run()


@pytest.mark.asyncio
async def test_a_spoilt_beginning_is_fetched_again(tmp_path: Path) -> None:
    async with serving(Hub(CONTENT)) as hub:
        task = download(hub, tmp_path)
        task.part.write_bytes(b"\0" * 1_000_000)
        await task.run()
    assert (tmp_path / "model.gguf").read_bytes() == CONTENT


@pytest.mark.asyncio
async def test_another_content_never_becomes_the_model(tmp_path: Path) -> None:
    other = bytes(len(CONTENT))
    async with serving(Hub(other, checksum=DIGEST)) as hub:
        with pytest.raises(FetchError, match=r"checksum of model\.gguf is wrong"):
            await download(hub, tmp_path).run()
    assert files(tmp_path) == set()


@pytest.mark.asyncio
async def test_a_hub_that_reports_another_checksum_is_not_asked_for_the_file(tmp_path: Path) -> None:
    async with serving(Hub(bytes(10))) as hub:
        with pytest.raises(FetchError, match="another file"):
            await download(hub, tmp_path).run()
    assert hub.asked == []


@pytest.mark.asyncio
async def test_a_shorter_or_longer_file_is_refused(tmp_path: Path) -> None:
    for other in (CONTENT[:-1], CONTENT + b"x"):
        async with serving(Hub(other, checksum=DIGEST)) as hub:
            with pytest.raises(SourceUnreachable, match=f"sends {len(other)} bytes"):
                await download(hub, tmp_path).run()


@pytest.mark.asyncio
async def test_a_login_page_in_place_of_the_hub_is_recognised(tmp_path: Path) -> None:
    async with serving(Hub(CONTENT, page=b"<html>Please sign in</html>")) as hub:
        with pytest.raises(SourceUnreachable, match="login page"):
            await download(hub, tmp_path).run()


@pytest.mark.asyncio
@pytest.mark.parametrize("status", [401, 404, 500])
async def test_a_refusal_is_told_with_its_status(tmp_path: Path, status: int) -> None:
    async with serving(Hub(CONTENT, head_status=status)) as hub:
        with pytest.raises(SourceUnreachable, match=f"answered {status}"):
            await download(hub, tmp_path).run()
    async with serving(Hub(CONTENT, storage_status=status)) as hub:
        with pytest.raises(SourceUnreachable, match=f"answered {status}"):
            await download(hub, tmp_path).run()


@pytest.mark.asyncio
async def test_no_server_at_all_is_unreachable(tmp_path: Path) -> None:
    async with serving(Hub(CONTENT)) as hub:
        pass
    with pytest.raises(SourceUnreachable, match="Could not read"):
        await download(hub, tmp_path).run()


@pytest.mark.asyncio
async def test_a_server_that_falls_silent_is_given_up_in_time(tmp_path: Path) -> None:
    async with serving(Hub(CONTENT, stall=True)) as hub, asyncio.timeout(20):
        with pytest.raises(FetchError, match="no answer in time"):
            await download(hub, tmp_path, stall=0.2).run()
    assert "model.gguf" not in files(tmp_path)


@pytest.mark.asyncio
async def test_cancelling_keeps_what_has_arrived(tmp_path: Path) -> None:
    hub = Hub(CONTENT, stall=True)
    arrived = asyncio.Event()
    async with serving(hub):
        task = download(hub, tmp_path)
        running = Download(
            task.url, task.target, task.size, task.sha256, on_bytes=lambda _: arrived.set(), on_verify=lambda _: None
        )
        async with asyncio.TaskGroup() as tasks:
            work = tasks.create_task(running.run())
            await arrived.wait()
            work.cancel()
        assert 0 < task.part.stat().st_size < len(CONTENT)
        hub.stall = False
        hub.asked.clear()
        await task.run()
    assert hub.asked[0].startswith("bytes=")
    assert (tmp_path / "model.gguf").read_bytes() == CONTENT


@pytest.mark.asyncio
async def test_a_second_process_is_told_to_wait(tmp_path: Path) -> None:
    async with serving(Hub(CONTENT)) as hub:
        with (tmp_path / ".model.gguf.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            with pytest.raises(FetchError, match="another process"):
                await download(hub, tmp_path).run()
        await download(hub, tmp_path).run()


@pytest.mark.asyncio
async def test_a_folder_that_cannot_be_made_is_a_clear_mistake(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file, no folder")
    async with serving(Hub(CONTENT)) as hub:
        with pytest.raises(ConfigError, match=r"Cannot write in .*taken"):
            await download(hub, tmp_path / "taken").run()


@pytest.mark.asyncio
async def test_a_full_disk_is_noticed_before_the_download(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = shutil.disk_usage(tmp_path)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage._replace(free=1_000_000))
    async with serving(Hub(CONTENT)) as hub:
        with pytest.raises(ConfigError, match=r"needs 3 MB more, 1 MB are free"):
            await download(hub, tmp_path).run()
    assert hub.asked == []
