"""Which local models are on this machine, and where."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from actloop.errors import ConfigError
from actloop.llm.local_models.catalogue import CATALOGUE, CatalogueModel, WheelSource, catalogue_model

__all__ = ["DEFAULT", "InstalledModel", "default_directory", "find_default", "installed", "packaged_file", "resolve"]

DEFAULT = "default"
"""The name that stands for the best model there is on this machine."""


@dataclass(frozen=True, slots=True)
class InstalledModel:
    """A catalogue model whose file is here."""

    model: CatalogueModel
    path: Path


def default_directory(cache_home: Path | None = None) -> Path:
    """Where fetched models are kept; ``cache_home`` is the user's cache folder (``$XDG_CACHE_HOME``), if they set one.

    Else it is ``~/Library/Caches`` on macOS and ``~/.cache`` elsewhere (XDG Base Directory Specification).
    """
    if cache_home is None:
        cache_home = Path.home() / ("Library/Caches" if sys.platform == "darwin" else ".cache")
    return cache_home / "actloop" / "models"


def installed(directory: Path) -> list[InstalledModel]:
    """The catalogue models that are in ``directory`` or in an installed package, best first.

    A file counts only with the size the catalogue gives; its checksum was verified when it was fetched.
    """
    found: list[InstalledModel] = []
    for model in CATALOGUE:
        for path in (directory / model.file, packaged_file(model)):
            if path is not None and path.is_file() and path.stat().st_size == model.size:
                found.append(InstalledModel(model, path))
                break
    return found


def find_default(directory: Path) -> InstalledModel | None:
    """The best model that is here, or None."""
    return next(iter(installed(directory)), None)


def resolve(name: str, directory: Path) -> Path:
    """The GGUF file that ``name`` stands for: ``default``, a catalogue name, or a path (``~`` is the home folder).

    Raises `ConfigError` when that file is not here, with the command that fetches it.
    """
    if name == DEFAULT:
        best = find_default(directory)
        if best is None:
            raise ConfigError(f"There is no local model in {str(directory)!r} yet. Fetch one: `actloop models pull`.")
        return best.path
    if "/" in name or name.startswith("~") or name.lower().endswith(".gguf"):
        path = Path(name).expanduser()
        if not path.is_file():
            raise ConfigError(f"There is no file {str(path)!r}. A local model is a path to a GGUF file.")
        return path
    model = catalogue_model(name)
    for here in installed(directory):
        if here.model == model:
            return here.path
    raise ConfigError(f"The local model {name!r} is not on this machine. Fetch it: `actloop models pull {name}`.")


def packaged_file(model: CatalogueModel) -> Path | None:
    """The model's file in an installed package, or None. The package is located, never imported."""
    if not isinstance(model.source, WheelSource):
        return None
    spec = find_spec(model.source.package)
    folders = spec.submodule_search_locations if spec else None
    return next((path for folder in folders or () if (path := Path(folder) / model.source.file).is_file()), None)
