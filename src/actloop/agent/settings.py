"""Every number of the agent in one frozen object."""

from __future__ import annotations

from dataclasses import dataclass, fields

from actloop.agent.selection import _TOOL_SELECTION_MAX, TOOL_SELECTION_THRESHOLD
from actloop.errors import ConfigError

__all__ = ["AgentSettings"]


@dataclass(frozen=True, slots=True)
class AgentSettings:
    """The agent's numbers. Times are in seconds, sizes in characters. Raises `ConfigError` for one out of range."""

    tool_timeout: float = 60.0
    """How long one tool call may take, unless the tool says otherwise."""
    max_calls_per_turn: int = 32
    """How many calls of one reply run; the rest is answered with an error that says so."""
    max_parallel_calls: int = 16
    """How many calls of one reply run at the same time."""
    max_observation_chars: int = 50_000
    """A longer tool result is kept aside: the model sees its ends and may read on. Less where the window is small."""
    max_trace_result_chars: int = 2_000
    """How much of each tool result the synthesis of the answer reads."""
    max_cut_off_turns: int = 3
    """After so many replies in a row that were cut off in the middle of a call, the run ends with an error."""
    max_calls_only_turns: int = 2
    """JSON mode: how many times in a run a failed call takes the answer branch away from the next turn."""
    demote_after_runs: int = 2
    """After leaked calls in so many runs a model instance stays in JSON mode."""
    self_check_every: int = 6
    """After so many turns with tools the model is asked whether it is on track."""
    completion_check_calls: int = 3
    """A first answer after at least so many tool calls is checked for completeness once."""
    tool_selection_threshold: int = TOOL_SELECTION_THRESHOLD
    """With more tools than this, one call before the loop selects some of them."""
    tool_selection_max: int = _TOOL_SELECTION_MAX
    """How many tools a selection leaves at the most, pinned ones among them."""
    answer_attempts: int = 2
    """How often the streamed answer is asked for before the brief answer of the loop stands in."""
    answer_timeout: float = 600.0
    """How long one attempt at the streamed answer may take."""
    answer_stall_timeout: float = 60.0
    """How long the streamed answer may pause before it counts as broken."""

    def __post_init__(self) -> None:
        for number in fields(self):
            value = getattr(self, number.name)
            if number.name in _MAY_BE_ZERO:
                if not value >= 0:
                    raise ConfigError(f"{number.name} must be a number of at least 0; it is {value!r}")
            elif not value > 0:
                raise ConfigError(f"{number.name} must be a number above 0; it is {value!r}")


_MAY_BE_ZERO = ("max_calls_only_turns", "demote_after_runs", "completion_check_calls", "tool_selection_threshold")
