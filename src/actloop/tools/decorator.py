"""`@tool`: a typed function becomes a `Tool`."""

from __future__ import annotations

import functools
import inspect
import itertools
import types
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from typing import Any, Generic, ParamSpec, TypeVar, overload

from actloop.errors import ConfigError, ToolError
from actloop.tools.base import ToolResult
from actloop.tools.callables import name_of
from actloop.tools.names import checked_name
from actloop.tools.result_text import result_of
from actloop.tools.schema import Arguments
from actloop.tools.threads import run_in_thread

__all__ = ["FunctionTool", "tool"]

P = ParamSpec("P")
R = TypeVar("R")

_MAX_ITEMS = 10_000


class FunctionTool(Generic[P, R]):
    """A function as a `Tool`; calling the object itself calls the function, unchanged.

    A function that blocks (``def``) runs in a thread of its own with the caller's context variables; one that waits
    (``async def``) runs in the event loop. What a generator yields is collected into a list (at most 10,000 items).
    In a class body it decorates methods: ``instance.method`` is then the tool of that instance.
    """

    def __init__(
        self,
        function: Callable[P, R],
        arguments: Arguments,
        *,
        name: str,
        description: str,
        timeout: float | None,
        idempotent: bool,
        requires_approval: bool,
    ) -> None:
        functools.update_wrapper(self, function, updated=())
        self._written: Any = function
        self._function: Callable[..., Any] = (
            getattr(function, "__func__", function) if _unbindable(function) else function
        )
        self._waits = _is_async(self._function)
        self._arguments = arguments
        self._bound_arguments: Arguments | None = None
        self.name = name
        self.description = description
        self.timeout = timeout
        self.idempotent = idempotent
        self.requires_approval = requires_approval
        self.unbound = False

    @property
    def parameters(self) -> dict[str, Any]:
        """The JSON Schema (draft 2020-12) of the arguments."""
        return self._arguments.schema

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Call the function itself."""
        result: R = self._function(*args, **kwargs)
        return result

    def __repr__(self) -> str:
        return f"<tool {self.name!r}>"

    def __set_name__(self, owner: type, name: str) -> None:
        self.unbound = isinstance(self._written, (types.FunctionType, classmethod))

    def __get__(self, instance: object, owner: type | None = None) -> FunctionTool[..., R]:
        if not isinstance(self._written, (types.FunctionType, classmethod)):
            return self
        bound = self._written.__get__(instance, owner)
        if not inspect.ismethod(bound):
            return self
        if self._bound_arguments is None:
            self._bound_arguments = Arguments(bound, tool_name=self.name)
        return FunctionTool(
            bound,
            self._bound_arguments,
            name=self.name,
            description=self.description,
            timeout=self.timeout,
            idempotent=self.idempotent,
            requires_approval=self.requires_approval,
        )

    async def run(self, arguments: Mapping[str, Any]) -> ToolResult:
        """Run once. Raises what the function raises; `ToolError` for wrong arguments.

        An attempt of the function to end the program is a `ToolError` too.
        """
        args, kwargs = self._arguments.bind(arguments)
        try:
            if self._waits:
                return result_of(await _awaited(self._function(*args, **kwargs)))
            call = functools.partial(self._function, *args, **kwargs)
            outcome = await run_in_thread(functools.partial(_blocking, call))
            return outcome if isinstance(outcome, ToolResult) else result_of(await _awaited(outcome))
        except (SystemExit, KeyboardInterrupt) as error:
            raise ToolError(f"tool {self.name!r} tried to end the program ({type(error).__name__})") from error


def _unbindable(function: object) -> bool:
    return isinstance(function, (staticmethod, classmethod))


def _is_async(function: Callable[..., Any]) -> bool:
    while isinstance(function, functools.partial):
        function = function.func
    candidates = (function, getattr(function, "__call__", None))  # noqa: B004 - the method of a callable object
    return any(inspect.iscoroutinefunction(item) or inspect.isasyncgenfunction(item) for item in candidates)


def _blocking(call: Callable[[], Any]) -> Any:
    """In the thread: the function, and the phrasing of its result, which may be long."""
    value = call()
    if isinstance(value, Iterator):
        value = list(itertools.islice(value, _MAX_ITEMS))
    if inspect.isawaitable(value) or isinstance(value, AsyncIterator):
        return value
    return result_of(value)


async def _awaited(value: Any) -> Any:
    if inspect.isawaitable(value):
        value = await value
    if isinstance(value, AsyncIterator):
        items: list[Any] = []
        async for item in value:
            items.append(item)
            if len(items) >= _MAX_ITEMS:
                break
        if inspect.isasyncgen(value):
            await value.aclose()
        return items
    return value


@overload
def tool(
    function: Callable[P, R],
    /,
    *,
    name: str | None = None,
    description: str | None = None,
    timeout: float | None = None,
    idempotent: bool = False,
    requires_approval: bool = False,
) -> FunctionTool[P, R]: ...


@overload
def tool(
    *,
    name: str | None = None,
    description: str | None = None,
    timeout: float | None = None,
    idempotent: bool = False,
    requires_approval: bool = False,
) -> Callable[[Callable[P, R]], FunctionTool[P, R]]: ...


def tool(
    function: Callable[..., Any] | None = None,
    /,
    *,
    name: str | None = None,
    description: str | None = None,
    timeout: float | None = None,
    idempotent: bool = False,
    requires_approval: bool = False,
) -> FunctionTool[..., Any] | Callable[[Callable[..., Any]], FunctionTool[..., Any]]:
    """Make a `Tool` of a typed callable: ``@tool``, ``@tool(timeout=5)`` or ``tool(function, name="…")``.

    name: what the model calls it by; default the function's name.
    description: what the model reads about it; default the docstring up to its sections. The texts of the parameters
        come from the docstring (Google, NumPy, reST) or from ``Annotated[int, "text"]``.
    timeout: seconds one call may take; None for the agent's default.
    idempotent: running it twice does what running it once does, so it may be repeated after a crash.
    requires_approval: a person must allow each call.

    Parameters without a type take any JSON value. Raises `ConfigError` for a bad name, or for parameters that cannot be
    described to a model.
    """
    if function is None:
        return functools.partial(
            _make,
            name=name,
            description=description,
            timeout=timeout,
            idempotent=idempotent,
            requires_approval=requires_approval,
        )
    return _make(
        function,
        name=name,
        description=description,
        timeout=timeout,
        idempotent=idempotent,
        requires_approval=requires_approval,
    )


def _make(
    function: Any,
    *,
    name: str | None,
    description: str | None,
    timeout: float | None,
    idempotent: bool,
    requires_approval: bool,
) -> FunctionTool[..., Any]:
    if isinstance(function, FunctionTool):
        raise ConfigError(f"{function!r} is a tool already: give its name and description where it is made")
    if not callable(function) and not _unbindable(function):
        raise ConfigError(f"a tool is made of a function or another callable, not of {function!r}")
    if timeout is not None and not timeout > 0:
        raise ConfigError(f"the timeout of a tool is a number of seconds above 0, not {timeout!r}")
    name = checked_name(name_of(function) if name is None else name)
    arguments = Arguments(function, tool_name=name)
    return FunctionTool(
        function,
        arguments,
        name=name,
        description=arguments.description if description is None else description,
        timeout=timeout,
        idempotent=idempotent,
        requires_approval=requires_approval,
    )
