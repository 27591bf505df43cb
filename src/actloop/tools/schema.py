"""The arguments of a function: their JSON Schema, and the Python values that JSON ones become before the call."""

from __future__ import annotations

import functools
import inspect
import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, get_origin

from actloop.errors import ConfigError, ToolError
from actloop.llm import tidy_schema
from actloop.messages import shorten
from actloop.tools.annotations import local_names, parameter_types
from actloop.tools.callables import docstring_of, plain_function
from actloop.tools.docstrings import read_docstring

if TYPE_CHECKING:
    from pydantic import BaseModel, ValidationError

__all__ = ["Arguments"]

_MAX_ERRORS = 5
_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


class Arguments:
    """What a function takes, for a model and for the call.

    schema: the JSON Schema (draft 2020-12) of its arguments. ``*args`` is an array of that name, ``**kwargs`` are
        further keys; without it further keys are refused.
    description: what its docstring says before the parameters.

    Raises `ConfigError` when a parameter has a type that no JSON value can be, or that cannot be found.
    """

    def __init__(self, function: Any, *, tool_name: str) -> None:
        self._tool_name = tool_name
        self._signature = _signature(function, tool_name)
        docs = read_docstring(docstring_of(function), _documented(function, self._signature))
        types = parameter_types(function, self._signature, tool_name=tool_name)
        self._fields = {name: f"argument_{number}" for number, name in enumerate(self._signature.parameters)}
        self._model, self.schema = _model(function, self._signature, types, docs.parameters, self._fields, tool_name)
        self._by_keyword = not any(
            parameter.kind in (parameter.POSITIONAL_ONLY, parameter.VAR_POSITIONAL)
            for parameter in self._signature.parameters.values()
        )
        self._always_given = frozenset(name for name, field in self._fields.items() if self._filled(name, field))
        self.description = docs.description

    def bind(self, arguments: Mapping[str, Any]) -> tuple[list[Any], dict[str, Any]]:
        """Turn JSON values into what the function is called with: positional arguments and keyword arguments.

        What was not given is left out, so that the function's own default counts. Raises `ToolError`, which names each
        argument that is wrong and why.
        """
        try:
            model = self._model.model_validate(dict(arguments))
        except ValueError as error:
            from pydantic import ValidationError  # a ValueError; asking pydantic for it at each call takes a while

            if not isinstance(error, ValidationError):
                raise
            raise ToolError(self._explained(error)) from error
        given, fields = model.model_fields_set, vars(model)
        values = {
            name: fields[field] for name, field in self._fields.items() if field in given or name in self._always_given
        }
        extra = model.model_extra or {}
        return ([], values | extra) if self._by_keyword else self._ordered(values, extra)

    def _filled(self, name: str, field: str) -> bool:
        """Whether the default lives in the annotation (`pydantic.Field`) alone: the function has none of its own."""
        model_field = self._model.model_fields.get(field)
        if model_field is None or model_field.is_required():
            return False
        default = self._signature.parameters[name].default
        return _is_field(default) or (
            default is inspect.Parameter.empty and self._signature.parameters[name].kind in _POSITIONAL
        )

    def _ordered(self, values: dict[str, Any], extra: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
        positional: list[Any] = []
        keywords: dict[str, Any] = {}
        parameters = self._signature.parameters.values()
        rest = next((p.name for p in parameters if p.kind is p.VAR_POSITIONAL), None)
        all_positional = bool(rest and values.get(rest))
        for parameter in parameters:
            if parameter.kind is parameter.VAR_POSITIONAL:
                positional.extend(values.get(parameter.name) or ())
            elif parameter.kind is parameter.POSITIONAL_ONLY or (parameter.kind in _POSITIONAL and all_positional):
                positional.append(values.get(parameter.name, parameter.default))
            elif parameter.name in values:
                keywords[parameter.name] = values[parameter.name]
        return positional, keywords | extra

    def _explained(self, error: ValidationError) -> str:
        details = error.errors(include_url=False, include_context=False)
        reasons = [self._reason(dict(detail)) for detail in details[:_MAX_ERRORS]]
        if len(details) > _MAX_ERRORS:
            reasons.append(f"and {len(details) - _MAX_ERRORS} more")
        return f"wrong arguments for {self._tool_name!r}: {'; '.join(reasons)}"

    def _reason(self, detail: dict[str, Any]) -> str:
        place = _place(detail["loc"])
        if detail["type"] == "missing":
            return f"argument {place!r} is missing"
        if detail["type"] == "extra_forbidden":
            known = ", ".join(map(repr, self.schema.get("properties", {}))) or "none"
            return f"argument {place!r} is not known (known: {known})"
        return f"argument {place!r}: {detail['msg']}, got {shorten(repr(detail['input']), 80, marker=' … ')}"


def _place(location: tuple[int | str, ...]) -> str:
    place = ""
    for part in location:
        place += f"[{part}]" if isinstance(part, int) else f".{part}" if place else part
    return place


def _signature(function: Any, tool_name: str) -> inspect.Signature:
    target = function.__func__ if isinstance(function, classmethod) else function
    try:
        signature = inspect.signature(target)
    except (TypeError, ValueError, NameError) as error:
        raise ConfigError(
            f"tool {tool_name!r}: Python cannot tell the parameters of {function!r} ({error}). "
            "Wrap it in a function with typed parameters"
        ) from error
    # what a partial fills in is settled, and may be a secret: neither offered nor shown as a default
    filled = function.keywords if isinstance(function, functools.partial) else {}
    return signature.replace(parameters=[p for name, p in signature.parameters.items() if name not in filled])


def _documented(function: Any, signature: inspect.Signature) -> set[str]:
    """All names a docstring may speak of: also those that a partial has already filled in."""
    names = set(signature.parameters)
    try:
        names |= set(inspect.signature(plain_function(function)).parameters)
    except (TypeError, ValueError):
        return names
    return names


def _is_field(default: Any) -> bool:
    return type(default).__name__ == "FieldInfo" and type(default).__module__.startswith("pydantic")


def _model(
    function: Any,
    signature: inspect.Signature,
    types: dict[str, Any],
    texts: dict[str, str],
    fields: dict[str, str],
    tool_name: str,
) -> tuple[type[BaseModel], dict[str, Any]]:
    """A pydantic model with one field for each parameter, and its JSON Schema.

    The fields have names of their own, clear of pydantic's attributes; parameters like ``schema`` or ``copy`` are fine.
    """
    from pydantic import ConfigDict, Field, PydanticUserError, create_model
    from pydantic.errors import PydanticUndefinedAnnotation
    from pydantic_core import PydanticSerializationError

    definitions: dict[str, Any] = {}
    extra: Any = "forbid"
    for name, parameter in signature.parameters.items():
        if parameter.kind is parameter.VAR_KEYWORD:
            extra = "allow"
            definitions["__pydantic_extra__"] = (dict[str, types[name]], Field(init=False))  # type: ignore[valid-type]
        else:
            definitions[fields[name]] = _field(parameter, types[name], texts.get(name))
    config = ConfigDict(extra=extra, arbitrary_types_allowed=False, protected_namespaces=())
    try:
        model: type[BaseModel] = create_model(tool_name, __config__=config, **definitions)
        if not model.__pydantic_complete__:
            model.model_rebuild(_types_namespace=local_names(function))
        return model, _json_schema(model, signature)
    except (PydanticUserError, PydanticUndefinedAnnotation, PydanticSerializationError, TypeError) as error:
        culprit = _culprit(signature, types)
        raise ConfigError(
            f"tool {tool_name!r}: {culprit} cannot be described to a model ({str(error).splitlines()[0]}). "
            "Use types that JSON can hold: str, int, float, bool, list, dict, Enum, Literal, dataclass, pydantic model"
        ) from error


def _culprit(signature: inspect.Signature, types: dict[str, Any]) -> str:
    from pydantic import PydanticUserError, TypeAdapter
    from pydantic.errors import PydanticUndefinedAnnotation
    from pydantic_core import PydanticSerializationError

    for name in signature.parameters:
        try:
            TypeAdapter(types[name]).json_schema()
        except (PydanticUserError, PydanticUndefinedAnnotation, PydanticSerializationError, TypeError):
            return f"the type of parameter {name!r}, {types[name]!r},"
    return "the type of a parameter"


def _field(parameter: inspect.Parameter, annotation: Any, text: str | None) -> Any:
    """What `create_model` wants for one parameter: its annotated type and its field."""
    from pydantic import Field

    default = parameter.default
    metadata: list[Any] = [Field(description=text)] if text else []
    if get_origin(annotation) is Annotated:
        metadata += [Field(description=part) if isinstance(part, str) else part for part in annotation.__metadata__]
        annotation = annotation.__origin__
    if parameter.kind is parameter.VAR_POSITIONAL:
        annotation = list[annotation]
        default = []
    elif default is None and annotation is not Any:
        annotation = annotation | None if not isinstance(annotation, str) else annotation
    if _is_field(default):
        metadata.append(default)
    if metadata:
        annotation = Annotated[annotation, *metadata]
    if default is parameter.empty or _is_field(default):
        return annotation, Field(alias=parameter.name)
    return annotation, Field(alias=parameter.name, default=None)  # what it stands for is the function's own business


def _shown_default(default: Any) -> dict[str, Any]:
    """The ``default`` of a schema, when JSON can hold the value."""
    from pydantic_core import PydanticSerializationError, to_jsonable_python

    try:
        shown = to_jsonable_python(default, inf_nan_mode="constants")
        json.dumps(shown, allow_nan=False)
    except (PydanticSerializationError, ValueError, TypeError, RecursionError):
        return {}
    return {"default": shown}


def _json_schema(model: type[BaseModel], signature: inspect.Signature) -> dict[str, Any]:
    schema = tidy_schema(model.model_json_schema())
    properties = schema.setdefault("properties", {})
    for name, parameter in signature.parameters.items():
        default = [] if parameter.kind is parameter.VAR_POSITIONAL else parameter.default
        if name in properties and default is not parameter.empty and not _is_field(default):
            properties[name].pop("default", None)
            properties[name] |= _shown_default(default)
    return {"type": "object", **{key: value for key, value in schema.items() if key != "type"}}
