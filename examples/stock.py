"""The agent of the README: one tool, one question, on the model in this process."""

from __future__ import annotations

from actloop import ReActAgent, load_llm, tool
from actloop.llm import LLM


@tool
def stock(item: str) -> int:
    """Units of an item in the warehouse."""
    return {"tea": 7, "cups": 12}.get(item, 0)


def main(llm: LLM) -> str:
    """Ask one question."""
    agent = ReActAgent(llm, [stock])
    return agent.run_sync("How many cups are left?").answer


if __name__ == "__main__":
    print(main(load_llm("local:default")))
