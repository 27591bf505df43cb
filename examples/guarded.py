"""An agent for a product: bounded, watched, with memory, and a rule of the house that the model cannot get around."""

from __future__ import annotations

import asyncio

from actloop import (
    Block,
    ConversationMemory,
    Limits,
    PreToolUse,
    ReActAgent,
    ToolCall,
    load_llm,
    tool,
)
from actloop.llm import LLM

sent: list[str] = []


@tool(timeout=10)
def send_mail(to: str, text: str) -> str:
    """Send a mail.

    Args:
        to: The address.
        text: What to say.
    """
    sent.append(to)
    return f"sent to {to}"


def house_rule(call: ToolCall) -> Block | None:
    """Mails stay inside."""
    if call.name == "send_mail" and not str(call.arguments["to"]).endswith("@example.com"):
        return Block("mails may only go to example.com")
    return None


async def main(llm: LLM) -> str:
    """Two questions of one conversation."""
    agent = ReActAgent(
        llm,
        [send_mail],
        instructions="Be brief.",
        memory=ConversationMemory(),
        hooks=[PreToolUse(house_rule)],
        limits=Limits(max_time=60, max_calls=5),
    )
    await agent.run("Tell eve@evil.test and ada@example.com that lunch is at noon.")
    result = await agent.run("Whom did you write to?")
    if result.stop_reason != "answer":
        print(f"ended early: {result.stop_reason} {result.error or ''}")
    return result.answer


if __name__ == "__main__":
    print(asyncio.run(main(load_llm("local:default"))))
