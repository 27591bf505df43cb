"""The types behind a function's annotations, also where ``from __future__ import annotations`` made them strings."""

from __future__ import annotations

import inspect
from typing import Any, get_type_hints

from actloop.errors import ConfigError
from actloop.llm import with_portable_typed_dicts
from actloop.tools.callables import namespace_of, plain_function

__all__ = ["local_names", "parameter_types"]


def parameter_types(function: Any, signature: inspect.Signature, *, tool_name: str) -> dict[str, Any]:
    """The type of each parameter of ``signature``, `Any` where none is written.

    The return annotation is never looked at: it may name a type that exists for the type checker alone. Raises
    `ConfigError` when a parameter's annotation names something that cannot be found.
    """
    namespace = namespace_of(function)
    types: dict[str, Any] = {}
    for parameter in signature.parameters.values():
        if parameter.annotation is parameter.empty:
            types[parameter.name] = Any
            continue
        try:
            types[parameter.name] = _evaluated(parameter.annotation, namespace, _closure(function))
        except NameError:
            types[parameter.name] = _evaluated_late(parameter, function, tool_name)
        except (TypeError, SyntaxError, AttributeError) as error:
            raise ConfigError(_unusable(parameter, tool_name, error)) from error
    return types


def _evaluated_late(parameter: inspect.Parameter, function: Any, tool_name: str) -> Any:
    try:
        return _evaluated(parameter.annotation, namespace_of(function), local_names(function))
    except (NameError, TypeError, SyntaxError, AttributeError) as error:
        raise ConfigError(_unusable(parameter, tool_name, error)) from error


def _unusable(parameter: inspect.Parameter, tool_name: str, error: Exception) -> str:
    return (
        f"tool {tool_name!r}: the type {parameter.annotation!r} of parameter {parameter.name!r} cannot be read "
        f"({error}). Types of a tool's parameters must be importable when the tool is made, so not only under "
        "TYPE_CHECKING"
    )


def _evaluated(annotation: Any, namespace: dict[str, Any], local: dict[str, Any]) -> Any:
    def holder() -> None: ...

    holder.__annotations__ = {"value": annotation}
    return with_portable_typed_dicts(get_type_hints(holder, namespace, local, include_extras=True)["value"], local)


def _closure(function: Any) -> dict[str, Any]:
    written = plain_function(function)
    cells = getattr(written, "__closure__", None) or ()
    names = written.__code__.co_freevars if cells else ()
    found: dict[str, Any] = {}
    for name, cell in zip(names, cells, strict=True):
        try:
            found[name] = cell.cell_contents
        except ValueError:  # the cell is still empty: the function is defined before the variable
            continue
    return found


def local_names(function: Any) -> dict[str, Any]:
    """What the running functions of the same module have in their local variables: types defined inside a function.

    A string annotation does not close over its scope, so the calling frames are the only place to find such a type.
    """
    namespace = namespace_of(function)
    found = _closure(function)
    frame = inspect.currentframe()
    while frame is not None:
        if frame.f_globals is namespace and frame.f_locals is not namespace:
            found = dict(frame.f_locals) | found
        frame = frame.f_back
    return found
