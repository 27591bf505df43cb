"""Follow a run as it happens: thoughts, tool calls side by side, the streamed answer, the usage."""

from __future__ import annotations

import asyncio

from actloop import ReActAgent, load_llm, tool
from actloop.agent import AnswerDelta, AnswerRestarted, RunFinished, ToolCallFinished, ToolCallStarted
from actloop.llm import LLM


@tool
async def population(city: str) -> int:
    """How many people live in a city."""
    return {"Oslo": 717_000, "Bergen": 291_000}[city]


async def main(llm: LLM) -> str:
    """Print each event, and return the answer."""
    agent = ReActAgent(llm, [population])
    answer = ""
    async for event in agent.stream("Which is larger, Oslo or Bergen?"):
        match event:
            case ToolCallStarted():
                print(f"→ {event.tool_name}({event.tool_args})")
            case ToolCallFinished():
                print(f"← {event.error or event.observation} after {event.elapsed:.2f} s")
            case AnswerRestarted():
                answer = ""
            case AnswerDelta():
                answer += event.content
            case RunFinished():
                print(f"{event.iterations} turns, {event.usage.total_tokens} tokens, {event.stop_reason}")
            case _:
                pass  # phases, thoughts, receipts: see actloop.agent
    return answer


if __name__ == "__main__":
    print(asyncio.run(main(load_llm("local:default"))))
