"""Every text that this package says to a model."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from actloop.agent.dialect import ActionForm
from actloop.agent.result import StepResult
from actloop.context import INTERRUPT_HEADER
from actloop.messages import ToolSpec, shorten

__all__ = [
    "ANSWER_ONLY_NOTE",
    "ANSWER_WITH_VALUES",
    "CALLS_ONLY_NOTE",
    "CUT_OFF_CALL",
    "DEFAULT_SYSTEM_PROMPT",
    "EMPTY_REPLY",
    "INTERRUPT_HEADER",
    "KNOWN_ALREADY",
    "NOT_OFFERED",
    "STOPPED",
    "TOOL_SELECTION",
    "answer_messages_text",
    "answer_system_prompt",
    "completion_check",
    "json_mode_instructions",
    "last_request",
    "new_tools",
    "next_step",
    "no_such_call",
    "question_again",
    "reformat_request",
    "repeat_note",
    "request_tools_description",
    "self_check",
    "steps_summary",
    "system_prompt",
    "tool_lines",
    "tool_selection_request",
]

DEFAULT_SYSTEM_PROMPT = "You are a careful assistant that solves tasks with the tools it is given."

_WORKING_RULES = """\
How to work:
- Use a tool whenever it can find or compute what the task needs; never guess what a tool can tell you.
- Use exact values from the question and from tool results. Never make up a value that a tool needs: get it first.
- If a call fails, read the error, mend the call and try again.
- Do every step that the task needs, one after the other. When you know the answer, give it without another call."""

CUT_OFF_CALL = (
    "Your output was cut off before the call was complete, so it did not run. "
    "Send the call again, with shorter arguments or fewer calls at once."
)
NOT_OFFERED = "No tool call is possible in this turn, so this one did not run. Answer now with what you have."
STOPPED = "The user stopped the work, so this call did not run."
EMPTY_REPLY = "Your reply was empty. Call a tool, or give the final answer."
ANSWER_ONLY_NOTE = "Tool calls are over for this turn: reply with the final answer now."
ANSWER_WITH_VALUES = (
    "Tool calls are over for this turn: reply with the final answer now, "
    "as a sentence with the values from the results."
)
KNOWN_ALREADY = "This call was made before: its result stands above."
CALLS_ONLY_NOTE = "The last call failed: reply with a corrected tool call now."


def system_prompt(prompt: str | None, instructions: str | None, additions: Iterable[str] = ()) -> str:
    """The system prompt of a run: the caller's part, the working rules, the caller's additions."""
    parts = [DEFAULT_SYSTEM_PROMPT if prompt is None else prompt, _WORKING_RULES, instructions or "", *additions]
    return "\n\n".join(part.strip() for part in parts if part and part.strip())


def json_mode_instructions(specs: Sequence[ToolSpec], form: ActionForm) -> str:
    """What JSON mode adds to the system prompt: the tools, and the two objects a reply may be.

    form: small models were seen to copy the values of a written-out object ("the complete answer as text"), so that it
        stands there only where nothing else says what an object looks like.
    """
    tools = f"Tools:\n{tool_lines(specs)}\n\n" if specs else ""
    if form == "plain":
        call = 'a "tool_name" and its "tool_args" to call a tool, or ' if specs else ""
        return f'{tools}Reply with exactly one JSON object: {call}the "answer".'
    final = (
        'To answer, it has "type": "final_answer", "reasoning": how you know it, and '
        '"answer": the complete answer, as a sentence with the values from the results.'
    )
    call = (
        'To call a tool, it has "type": "tool_call", "reasoning": what you need next, '
        '"tool_name", and "tool_args": an object with the arguments.'
    )
    if form == "written":
        final += f"\n{_FINAL_SHAPE}"
        call += f"\n{_CALL_SHAPE}"
    one = "Reply with exactly one JSON object and nothing else."
    if not specs:
        return f"{one}\n{final}"
    last = "After a call you get its result as the next message. Never make up a result."
    return f"{tools}{one}\n{call}\n{final}\n{last}"


_TASK_CHARACTERS = 400  # a longer question stands in full where it was asked
_CALL_SHAPE = '{"type": "tool_call", "reasoning": "…", "tool_name": "…", "tool_args": {"argument": "value"}}'
_FINAL_SHAPE = '{"type": "final_answer", "reasoning": "…", "answer": "…"}'


def question_again(task: str) -> str:
    """Puts the question before a model that has just read a result."""
    return f"The question is: {shorten(task, _TASK_CHARACTERS, marker=' … ')}"


def next_step(task: str) -> str:
    """The question, and what to do now: small models stop at the first result they get."""
    return (
        f"{question_again(task)}\n"
        "If the results answer every part of it, give the final_answer with their values; "
        "if a part is missing, make the next tool_call."
    )


def no_such_call(names: Sequence[str]) -> str:
    """Asks again after a reply that is nothing but a call, of a tool there is not or with arguments that do not fit."""
    return (
        "That is not a call of a tool you have, or its arguments do not fit. "
        f"The tools are: {', '.join(names)}. Call one of them, or give the answer."
    )


def tool_lines(specs: Iterable[ToolSpec]) -> str:
    """What a model needs to know of each tool, where no parameter of the request tells it."""
    return "\n".join(
        f"- {spec.name}: {spec.description}\n  arguments: {json.dumps(spec.parameters, ensure_ascii=False)}"
        for spec in specs
    )


def new_tools(specs: Iterable[ToolSpec]) -> str:
    """Tells of tools that joined in the middle of a conversation."""
    return f"From now on you can also call:\n{tool_lines(specs)}"


TOOL_SELECTION = (
    "You choose the tools that an assistant gets for a task. Choose every tool that a step of the task may need, and "
    "none that it will not. Use the exact names from the catalogue."
)


def tool_selection_request(query: str, earlier: str, catalogue: str, most: int) -> str:
    """Asks which tools a question needs."""
    parts = [f"Conversation so far:\n{earlier}"] if earlier else []
    parts += [f"Task:\n{query}", f"Catalogue of tools:\n{catalogue}"]
    parts.append(f"Name the tools that the task needs, at most {most}, the most useful first; none if none fits.")
    return "\n\n".join(parts)


def request_tools_description(names: str) -> str:
    """What the tool that loads other tools is for; ``names`` are those that can be loaded."""
    return (
        "Load more tools, by name, when those you have do not suffice. A loaded tool can be called from the next turn "
        f"on. Not loaded yet: {names}"
    )


def reformat_request(problem: str) -> str:
    """Asks for the same turn again after a reply that could not be read."""
    return (
        f"Your last reply could not be used: {problem} "
        "Reply with exactly one JSON object, either a tool_call or a final_answer, and nothing else."
    )


def last_request(reason: str) -> str:
    """Asks for the best answer when a bound of the run is reached."""
    return (
        f"Stop here: {reason}. No more tool calls are possible. "
        "Give the best answer you can from what was found so far, and say what is still missing."
    )


def repeat_note(observation: str) -> str:
    """The observation of a call that was made before with the same result."""
    return (
        "[You made this same call before and it gave the same result. Repeating it will not help: "
        f"use the result, try something else, or answer.]\n{observation}"
    )


def self_check(goal: str) -> str:
    """Asks whether the run is on track."""
    return (
        f"Check yourself before you go on. The goal is: {goal}\n"
        "Are you on track or going in circles? What is the most direct next step? "
        "If the results so far are enough, answer now."
    )


def completion_check(goal: str) -> str:
    """Asks whether the pending answer is complete."""
    return (
        f"Before this answer counts, check it. The question was: {goal}\n"
        "Is every part of it answered? Does each fact come from a tool result? Does nothing contradict the results? "
        "If all is well, give the complete final answer again; if something is missing, go on with a tool call."
    )


def steps_summary(steps: Sequence[StepResult], cause: str) -> str:
    """The answer when no model can write one: which tools ran, which failed, and what they returned."""
    cause = cause.rstrip(".")
    if not steps:
        return f"No answer could be written: {cause}. No tool had returned a result."
    lines = [f"No answer could be written: {cause}. What was found so far:"]
    for step in steps:
        state = "failed" if step.error is not None else "succeeded"
        lines.append(f"- {step.tool_name} {state}: {shorten(step.observation, 500, marker=' … ')}")
    return "\n".join(lines)


def answer_system_prompt(directive: str) -> str:
    """The system prompt of the synthesis; ``directive`` is what the agent's maker asked for."""
    text = (
        "You write the final answer that a person reads, from the results of work that is already done.\n"
        "- Present the results directly, in markdown. Start with the answer itself.\n"
        "- Use only facts from the results; when they fall short, say what is missing.\n"
        "- The question may go on with what the user added while the work was done: heed it.\n"
        '- Do not talk about tools, steps or results ("based on the output", "the tool returned").\n'
        "- Write in the language of the question, unless the directive below says otherwise."
    )
    return f"{text}\n\nDirective of the assistant you write for:\n{directive}" if directive else text


def answer_messages_text(
    query: str, interrupts: Sequence[str], steps: Sequence[StepResult], draft: str, limit: int, *, earlier: str = ""
) -> str:
    """The user message of the synthesis: the trace with each result cut to ``limit`` characters, then the question.

    The question comes last, and what the user added goes on right behind it: small models heed best what they read last
    (Qwen2.5-0.5B followed three of five additions that way, one below a heading of its own, and none at the beginning).

    earlier: a summary of what came before ``steps``, when these are not all.
    """
    parts = [f"Summary of earlier work:\n{earlier}"] if earlier else []
    if steps:
        trace = []
        for number, step in enumerate(steps, start=1):
            arguments = shorten(json.dumps(step.tool_args, ensure_ascii=False, default=str), limit)
            trace.append(f"{number}. {step.tool_name}({arguments})\nResult: {shorten(step.observation, limit)}")
        parts.append("Results:\n" + "\n\n".join(trace))
    if draft.strip():
        parts.append(f"Conclusion of the work:\n{draft}")
    parts.append(f"Write the final answer to this question, in whole sentences:\n{' '.join([query, *interrupts])}")
    return "\n\n".join(parts)
