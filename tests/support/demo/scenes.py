"""What the model of the demonstration does: turns in order, then the text of its answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from actloop.errors import LLMError
from actloop.messages import AssistantMessage, ToolCall
from tests.support.hostile_answer import HOSTILE_ANSWER

__all__ = ["Scene", "scene_of"]


@dataclass(frozen=True, slots=True)
class Scene:
    """turns: what the model says before its answer. answer: what it streams in the end.

    at_once: what comes before the answer, in one piece. think_seconds: how long each turn takes. word_seconds: between
    two words of the answer.
    """

    answer: str
    turns: Sequence[AssistantMessage | LLMError | str] = ()
    think_seconds: float = 1.2
    word_seconds: float = 0.03
    at_once: str = ""


def _turn(*calls: tuple[str, dict[str, Any]], reasoning: str = "") -> AssistantMessage:
    made = [ToolCall(f"call_{name}_{index}", name, arguments) for index, (name, arguments) in enumerate(calls)]
    return AssistantMessage("", made, reasoning=reasoning)


_WAREHOUSE = """**Ship from Oslo.** It is the only warehouse whose free stock covers the whole order, and the order
still arrives two days before the date that was asked for.

| Warehouse | Units | Free | Days to Nara | Covers the order |
|:--|--:|--:|--:|:--|
| Kyoto | 40 | 28 | 1 | no |
| **Oslo** | **260** | **248** | **6** | **yes** |
| Lisbon | 180 | 168 | 8 | no |

Free are the units $u_\\text{free} = u_\\text{all} - u_\\text{reserved}$, so that for Oslo

$$
260 - 12 = 248 \\ge 200
$$

To place the order:

```python
order = Order(product="teapot", units=200, origin="Oslo", destination="Nara")
order.ship(carrier="cheapest", latest="2026-03-14")  # two days to spare
```

Two things to keep in mind:

1. The stock of **Bergen** could not be read: there is no such warehouse.
2. If 28 units are enough for a start, *Kyoto* delivers them tomorrow, and Oslo the rest.
"""

_WORDS = "".join(f"word{n} " for n in range(2_000))

_SCENES = {
    "warehouse": Scene(
        _WAREHOUSE,
        [
            _turn(
                *(
                    ("list_stock", {"product": "teapot", "warehouse": city})
                    for city in ("Kyoto", "Oslo", "Lisbon", "Bergen")
                ),
                reasoning="The order is for 200 teapots. I first look at what each warehouse has, all of them at once, "
                "and then at how long the way takes from those that have enough.",
            ),
            _turn(
                ("shipping_days", {"origin": "Oslo", "destination": "Nara"}),
                reasoning="Only Oslo has 200 that are free. Bergen does not exist, so that is no loss.",
            ),
            _turn(("draw_report", {"title": "Teapots for Nara"})),
            "Oslo.",
        ],
    ),
    "carrier": Scene(
        "The carrier has not confirmed in time; the parcel leaves tomorrow.",
        [_turn(("wait_for_carrier", {"seconds": 300})), "Tomorrow."],
    ),
    "archive": Scene(
        "In sixteen pages of the archive there is **no complaint**: every order went out on time.",
        [_turn(("read_archive", {"page": page})) for page in range(1, 17)] + ["None."],
        think_seconds=0.3,
    ),
    "demoted": Scene(
        "There are 260 teapots in Oslo.",
        [
            '<tool_call>{"name": "list_stock", "arguments": {"product": "teapot", "warehouse": "Oslo"}}</tool_call>',
            '{"type": "final_answer", "reasoning": "It stands there.", "answer": "260"}',
        ],
    ),
    "hostile": Scene(HOSTILE_ANSWER, ["I read the page."], word_seconds=0.005),
    "broken": Scene("", [LLMError("the provider answered 500: overloaded")]),
    "fast": Scene(_WORDS, ["Quick."], word_seconds=0.005),
    "enormous": Scene(
        _WORDS,
        ["It is long."],
        word_seconds=0.005,
        at_once="\n\n".join(f"## Part {n}\n\n{_WAREHOUSE}" for n in range(1, 950)),
    ),
}

_SMALL_TALK = Scene(
    "I can look into our warehouses: what they have, how long a parcel takes, and what the archive says. Ask me about "
    "the **warehouse** that should ship an order, to wait for a **carrier**, or to read the **archive**.",
    ["I say what I can do."],
)


def scene_of(question: str) -> Scene:
    """Return the scene whose name is in the question, else a short answer."""
    return next((scene for name, scene in _SCENES.items() if name in question.lower()), _SMALL_TALK)
