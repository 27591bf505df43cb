"""The page on a real model that runs in this process. What a model this small says is nobody's business."""

from __future__ import annotations

import re

import pytest
from playwright.async_api import expect

from actloop.llm.adapters.llamacpp import load_local
from tests.support.browsing import Desk

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_a_real_model_answers(desk: Desk) -> None:
    llm = load_local(
        "smollm2-135m-instruct", threads=1, context_size=2_048, max_tokens=12, abilities={"tool_call": True}
    )
    async with desk.serve(llm) as service, desk.visit(service) as tab:
        await tab.ask("What is the capital of France?")
        footer = tab.page.get_by_role("group", name="About this answer")
        await expect(footer).to_contain_text("tokens in", timeout=45_000)
        await expect(tab.answers).to_contain_text(re.compile(r"\w"))
        text = await tab.answers.inner_text()
        await tab.page.reload()
        await expect(footer).to_be_visible()
        assert await tab.answers.inner_text() == text
