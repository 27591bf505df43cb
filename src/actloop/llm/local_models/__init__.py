"""Local models: what there is to fetch, what is here, and getting it here. Knows nothing of how a model is run."""

from actloop.llm.local_models.cache import DEFAULT, InstalledModel, default_directory, find_default, installed, resolve
from actloop.llm.local_models.catalogue import CATALOGUE, CatalogueModel, HubSource, WheelSource, catalogue_model
from actloop.llm.local_models.ollama import OLLAMA_URL, find_ollama
from actloop.llm.local_models.progress import FetchError, FetchProgress, FetchStage, OnProgress, SourceUnreachable
from actloop.llm.local_models.pull import FALLBACK, FIRST_CHOICE, HUB_URL, Pulled, pull

__all__ = [
    "CATALOGUE",
    "DEFAULT",
    "FALLBACK",
    "FIRST_CHOICE",
    "HUB_URL",
    "OLLAMA_URL",
    "CatalogueModel",
    "FetchError",
    "FetchProgress",
    "FetchStage",
    "HubSource",
    "InstalledModel",
    "OnProgress",
    "Pulled",
    "SourceUnreachable",
    "WheelSource",
    "catalogue_model",
    "default_directory",
    "find_default",
    "find_ollama",
    "installed",
    "pull",
    "resolve",
]
