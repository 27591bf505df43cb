"""Make `typing.TypedDict` acceptable to pydantic on Python 3.11.

Before Python 3.12 `typing.TypedDict` forgets which keys are required where bases differ, so pydantic takes only that of
`typing_extensions` (https://errors.pydantic.dev/latest/u/typed-dict-version/). Whoever writes
a type should not have to know.
"""

from __future__ import annotations

import functools
import operator
import sys
import types
from typing import (
    Annotated,
    Any,
    ForwardRef,
    NotRequired,
    Required,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

__all__ = ["with_portable_typed_dicts"]


def with_portable_typed_dicts(annotation: Any, local: dict[str, Any]) -> Any:
    """``annotation`` with each `typing.TypedDict` in it replaced by its equal of `typing_extensions`.

    ``local`` are names that string annotations of local classes may refer to. From Python 3.12 on nothing is replaced.
    """
    if sys.version_info >= (3, 12):
        return annotation
    return _Replacement(local).of(annotation)


class _Replacement:
    def __init__(self, local: dict[str, Any]) -> None:
        self._local = local
        self._done: dict[type, Any] = {}

    def of(self, annotation: Any) -> Any:
        if is_typeddict(annotation) and type(annotation).__module__ == "typing":
            return self._typed_dict(annotation)
        arguments = get_args(annotation)
        origin = get_origin(annotation)
        if origin is Annotated:
            return Annotated[self.of(arguments[0]), *annotation.__metadata__]
        replaced = tuple(self.of(argument) for argument in arguments)
        if all(new is old for new, old in zip(replaced, arguments, strict=True)):
            return annotation
        if origin in (Union, types.UnionType):
            return functools.reduce(operator.or_, replaced)
        return origin[replaced[0]] if origin in (Required, NotRequired) else origin[replaced]

    def _typed_dict(self, kind: Any) -> Any:
        import typing_extensions

        if kind in self._done:
            return self._done[kind]
        self._done[kind] = ForwardRef(kind.__name__)  # for a dict that contains itself
        keys: dict[str, Any] = {}
        for name, hint in get_type_hints(kind, localns=self._local, include_extras=True).items():
            keys[name] = self.of(hint)
            if get_origin(hint) not in (Required, NotRequired):
                keys[name] = (Required if name in kind.__required_keys__ else NotRequired)[keys[name]]
        make: Any = typing_extensions.TypedDict
        portable = make(kind.__name__, keys)
        portable.__doc__ = kind.__doc__
        portable.__module__ = kind.__module__
        self._done[kind] = portable
        return portable
