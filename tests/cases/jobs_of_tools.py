"""Jobs about tools: their schemas, their names, and what they may reach."""

from __future__ import annotations

import asyncio
import functools
import sys
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from actloop.errors import ToolError
from actloop.llm import fit_arguments, provider_tool_names, resolve_tool_name
from actloop.llm.json_schema import fits
from actloop.tools import Tool, ToolRegistry
from actloop.tools.builtin import public_address as guard
from actloop.tools.builtin.workspace import resolve_inside
from tests.cases.outcome import Outcome

__all__ = ["path_allowed", "provider_tool_names_job", "resolve_tool_name_job", "tool_schema", "url_allowed"]


def tool_schema(given: Mapping[str, Any]) -> Outcome:
    """Run the source and register what it defines; with `call`, run the tool as the agent does."""
    with _module(given["source"]) as module:
        if "names" in given:
            tools = [_registered(getattr(module, name)) for name in given["names"]]
            return Outcome({"tools": [_described(tool) for tool in tools]})
        tool = _registered(getattr(module, given["name"]))
        results = _described(tool)
        error = None
        if "call" in given:
            try:
                results["call_result"] = asyncio.run(_called(tool, given["call"]))
            except ToolError as failed:
                error = str(failed)
    return Outcome(
        results,
        error,
        text=tool.description,
        param_texts={name: "\n".join(_descriptions(schema)) for name, schema in tool.parameters["properties"].items()},
        accepts=lambda instance: fits(instance, tool.parameters),
    )


@contextmanager
def _module(source: str) -> Iterator[types.ModuleType]:
    """A module made of `source`, importable as long as it is in use: annotations are looked up there."""
    module = types.ModuleType("source_of_case")
    sys.modules[module.__name__] = module
    try:
        exec(compile(source, "<source>", "exec", dont_inherit=True), module.__dict__)
        yield module
    finally:
        del sys.modules[module.__name__]


def _registered(item: Any) -> Tool:
    return next(iter(ToolRegistry([item])))


def _described(tool: Tool) -> dict[str, Any]:
    return {
        "name": tool.name,
        "description": tool.description,
        "properties": list(tool.parameters["properties"]),
        "required": list(tool.parameters.get("required", ())),
        "schema": tool.parameters,
    }


async def _called(tool: Tool, arguments: dict[str, Any]) -> str:
    fitted = fit_arguments(arguments, tool.parameters, trim=False)
    if fitted.problems:
        raise ToolError("; ".join(map(str, fitted.problems)))
    return (await tool.run(fitted.value)).content


def _descriptions(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        for key, value in schema.items():
            if key == "description" and isinstance(value, str):
                yield value
            else:
                yield from _descriptions(value)
    elif isinstance(schema, list):
        for item in schema:
            yield from _descriptions(item)


def resolve_tool_name_job(given: Mapping[str, Any]) -> Outcome:
    names = given["names"] if "names" in given else [given["name"]]
    resolved = [resolve_tool_name(name, given["tools"]) for name in names]
    return Outcome({"resolved": resolved if "names" in given else resolved[0]})


def provider_tool_names_job(given: Mapping[str, Any]) -> Outcome:
    pairs = [(server, tool) for server, tool in given["tools"]]
    names = provider_tool_names(pairs)
    return Outcome({"names": [names[pair] for pair in pairs]})


def url_allowed(given: Mapping[str, Any]) -> Outcome:
    """With the fake name server `dns`: names are not case-sensitive, and those it does not know do not exist."""
    known = {name.lower(): addresses for name, addresses in given.get("dns", {}).items()}

    async def resolve(host: str, port: int) -> Sequence[str]:
        if host.rstrip(".").lower() not in known:
            raise OSError(f"no address of {host}")
        return list(known[host.rstrip(".").lower()])

    async def judged() -> list[bool]:
        return [await guard.url_allowed(url, resolve) for url in given["urls"]]

    return Outcome({"allowed": asyncio.run(judged())})


def path_allowed(given: Mapping[str, Any]) -> Outcome:
    """With the fake symbolic links `links`; every other name is a plain directory or file."""
    resolve = functools.partial(_real_path, links=given.get("links", {}))
    return Outcome({"allowed": [_is_inside(given["root"], path, resolve) for path in given["paths"]]})


def _is_inside(root: str, path: str, resolve: Callable[[str], str]) -> bool:
    try:
        resolve_inside(root, path, resolve=resolve)
    except ToolError:
        return False
    return True


def _real_path(path: str, links: Mapping[str, str]) -> str:
    """What `os.path.realpath` does, in a file system of our own."""
    waiting = path.split("/")[::-1]
    done: list[str] = []
    for _ in range(10_000):
        if not waiting:
            break
        name = waiting.pop()
        if name == "..":
            del done[-1:]
        elif name not in ("", "."):
            done.append(name)
            target = links.get("/" + "/".join(done))
            if target is not None:
                done = [] if target.startswith("/") else done[:-1]
                waiting += target.split("/")[::-1]
    return "/" + "/".join(done)
