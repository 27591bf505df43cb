"""Name, docstring and home of anything that can be called: functions, methods, partials, callable objects, classes."""

from __future__ import annotations

import functools
import inspect
import sys
from typing import Any

__all__ = ["docstring_of", "name_of", "namespace_of", "plain_function"]


def plain_function(function: Any) -> Any:
    """The function somebody wrote, below partials, bound methods, decorators and ``__call__``."""
    while True:
        if isinstance(function, functools.partial):
            function = function.func
        elif inspect.ismethod(function) or isinstance(function, (staticmethod, classmethod)):
            function = function.__func__
        elif "__wrapped__" in getattr(function, "__dict__", {}):
            function = function.__wrapped__
        elif not inspect.isroutine(function) and not inspect.isclass(function):
            return type(function).__call__ if inspect.isfunction(type(function).__call__) else function
        else:
            return function


def name_of(function: Any) -> str:
    """The name of a function, below its partials; for a callable object that of its class."""
    if isinstance(function, functools.partial):
        return name_of(function.func)
    return str(getattr(function, "__name__", None) or type(function).__name__)


def docstring_of(function: Any) -> str:
    """The docstring somebody wrote: never the boilerplate of `functools.partial` or of a dataclass."""
    if isinstance(function, functools.partial):
        return docstring_of(function.func)
    written = plain_function(function)
    candidates = [written]
    if inspect.ismethod(function):  # an overriding method without a docstring inherits one
        owner = function.__self__ if inspect.isclass(function.__self__) else type(function.__self__)
        candidates += [vars(base).get(function.__name__) for base in owner.__mro__]
    elif not inspect.isroutine(function) and not inspect.isclass(function):
        candidates.append(type(function))
    texts = (getattr(candidate, "__doc__", None) for candidate in candidates if candidate is not None)
    text = inspect.cleandoc(next(filter(None, texts), ""))
    if inspect.isclass(written) and text.startswith(f"{written.__name__}("):
        return ""
    return text


def namespace_of(function: Any) -> dict[str, Any]:
    """The globals that the annotations of a function refer to."""
    written = plain_function(function)
    found: dict[str, Any] | None = getattr(written, "__globals__", None)
    if found is None:
        module = sys.modules.get(str(getattr(written, "__module__", None)))
        found = vars(module) if module else {}
    return found
