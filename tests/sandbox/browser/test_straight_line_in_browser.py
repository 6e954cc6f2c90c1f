"""From a question to a reply in a real browser, with the real bot: by mouse, and by keyboard alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from tests.line.conftest import Line
    from tests.sandbox.browser.window import Window

    Opening = Callable[..., Awaitable[Window]]

pytestmark = pytest.mark.asyncio(loop_scope="session")

QUESTION = "how often is a payment tried again?"


async def test_ask_edit_approve_and_see_the_reply(line: Line, window: Opening) -> None:
    """Two people in two windows: what Olu wrote in the dialog and approved, Ana reads in her thread."""
    async with line.bot():
        ana, olu = await window("U0ANA"), await window("U0OPS")
        await ana.say(QUESTION)
        await olu.go("Triage")
        card = await olu.sees(olu.message("Evidence checked"))
        await olu.sees(card.get_by_text("RETRY_LIMIT = 3").first)
        await olu.press("Edit", card)
        field = olu.dialog.get_by_role("textbox", name="Reply")
        await field.fill("   ")
        await olu.press("Save Draft", olu.dialog)
        await olu.sees(olu.dialog.get_by_text("Please write something."))
        assert await field.get_attribute("aria-invalid") == "true"
        await field.fill("Three times, see `orders.py:3`. <b>Not bold</b>")
        await olu.press("Save Draft", olu.dialog)
        await olu.misses(olu.dialog)
        edited = await olu.sees(olu.message("not validated again"))
        await olu.press("Approve", edited)
        await olu.sees(olu.message("The reply is posted."))
        await ana.act("Reply in thread", ana.message(QUESTION))
        reply = await ana.sees(ana.replied("Three times, see orders.py:3. <b>Not bold</b>"))
        await ana.sees(reply.get_by_text("APP"))
        await ana.sees(reply.locator("code", has_text="orders.py:3"))


async def test_the_keyboard_alone_is_enough(line: Line, window: Opening) -> None:
    """Ask, become Olu, approve, become Ana and read, without a pointer; the focus is never lost."""
    async with line.bot():
        ana = await window("U0ANA")
        keyboard, focused = ana.page.keyboard, ana.page.locator(":focus")
        await keyboard.type(QUESTION)
        await keyboard.press("Enter")
        await ana.sees(ana.message(QUESTION))
        await ana.tab_to("Olu")
        await keyboard.press("Enter")
        await ana.sees(ana.page.get_by_role("button", name="Olu", pressed=True))
        await ana.sees(ana.place("Triage"))
        for _ in range(2):
            await keyboard.press("Alt+ArrowDown")
        await ana.sees(ana.message("Evidence checked"))
        await ana.tab_to("Approve")
        await keyboard.press("Enter")
        await ana.sees(ana.message("The reply is posted."))
        assert await focused.count() == 1
        await ana.tab_to("Ana")
        await keyboard.press("Enter")
        await ana.sees(ana.place("Triage"))
        await keyboard.press("Alt+ArrowDown")
        await ana.sees(ana.message(QUESTION).get_by_text("1 reply"))
        await keyboard.press("F6")
        await keyboard.press("Shift+F6")
        await keyboard.press("Shift+F6")
        await keyboard.press("Enter")
        await ana.sees(ana.replied("RETRY_LIMIT"))
        assert await focused.get_attribute("aria-label") == "Reply"
        await keyboard.press("Escape")
        await ana.misses(ana.page.get_by_role("heading", name="Thread"))
