"""Is there an Ollama server on this machine, and which models does it have?"""

from __future__ import annotations

__all__ = ["OLLAMA_URL", "find_ollama"]

OLLAMA_URL = "http://127.0.0.1:11434"
"""Where Ollama listens unless told otherwise (Ollama's FAQ: OLLAMA_HOST)."""


async def find_ollama(url: str = OLLAMA_URL, *, timeout: float = 0.3) -> list[str]:
    """The names of the models that an Ollama server at ``url`` offers; empty when none answers in ``timeout`` seconds.

    Asks ``GET /api/tags`` (Ollama's API documentation, "List Local Models"). Anything but such a list counts as none.
    """
    from aiohttp import ClientError, ClientSession, ClientTimeout

    try:
        async with (
            ClientSession(timeout=ClientTimeout(total=timeout), raise_for_status=True) as session,
            session.get(f"{url}/api/tags") as reply,
        ):
            body = await reply.json()
    except (ClientError, TimeoutError, ValueError):
        return []
    models = body.get("models") if isinstance(body, dict) else None
    entries = models if isinstance(models, list) else []
    return [entry["name"] for entry in entries if isinstance(entry, dict) and isinstance(entry.get("name"), str)]
