"""What people see of each other: two windows, unread marks, reactions, edits, presence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.sandbox.browser.test_card_in_browser import violations

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from slack_sdk.web.async_client import AsyncWebClient

    from tests.sandbox.browser.window import Window

    Opening = Callable[..., Awaitable[Window]]

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.long]

HTML = "<img src=x onerror=alert(1)> <script>alert(2)</script> <b>bold</b> &amp; done"


async def test_two_windows_are_two_people(window: Opening) -> None:
    """What Ana writes, Olu sees immediately under her name; his reaction and his reply come back."""
    ana, olu = await window("U0ANA"), await window("U0OPS")
    await ana.say("Good morning @Olu")
    seen = await olu.sees(olu.message("Good morning @Olu"))
    await olu.sees(seen.get_by_text("Ana", exact=True))
    await olu.act("React with eyes", seen)
    reaction = ana.message("Good morning").get_by_role("button", name="eyes, 1: Olu")
    await ana.sees(reaction)
    await olu.act("Reply in thread", seen)
    await olu.reply.fill("Good morning to you")
    await olu.reply.press("Enter")
    await ana.sees(ana.message("Good morning").get_by_text("1 new"))
    await ana.message("Good morning").get_by_role("button", name="1 reply").click()
    await ana.sees(ana.replied("Good morning to you"))


async def test_what_is_new_elsewhere_has_a_mark_until_it_was_seen(window: Opening, slack: AsyncWebClient) -> None:
    """The mark counts, goes when the channel is opened, and a line shows where the new part begins."""
    ana = await window("U0ANA")
    await ana.go("general")
    await ana.say("I was here")
    await ana.sees(ana.message("I was here"))
    await ana.go("help-platform")
    for text in ("one", "two"):
        await slack.chat_postMessage(channel="C0GENERAL", text=text)
    await ana.sees(ana.place("general").get_by_label("2 unread"))
    assert (await ana.page.title()).startswith("(2)")
    await ana.go("general")
    await ana.sees(ana.message("two"))
    await ana.misses(ana.place("general").get_by_label("unread"))
    await ana.sees(ana.page.locator("#messages li.new"))


async def test_a_press_counts_though_its_place_changes(window: Opening, slack: AsyncWebClient) -> None:
    """Between the button's way down and up a message there changes what the entry shows."""
    ana = await window("U0ANA")
    await ana.place("general").hover()
    await ana.page.mouse.down()
    await slack.chat_postMessage(channel="C0GENERAL", text="just now")
    await ana.sees(ana.place("general").get_by_label("1 unread"))
    await ana.page.mouse.up()
    await ana.sees(ana.message("just now"))


async def test_a_person_for_whom_something_waits_has_a_mark_until_they_looked(
    window: Opening, slack: AsyncWebClient
) -> None:
    """In the list of people, with a name for screen readers; axe finds nothing."""
    ana = await window("U0ANA")
    olu = ana.page.get_by_role("button", name="Olu")
    await ana.misses(olu.get_by_label("something waits"))
    await slack.chat_postMessage(channel="U0OPS", text="please decide")
    await ana.sees(olu.get_by_label("something waits"))
    assert await violations(ana.page) == []
    await olu.click()
    await ana.go("Triage")
    await ana.sees(ana.message("please decide"))
    await ana.page.get_by_role("button", name="Ana").click()
    await ana.sees(ana.page.get_by_role("button", name="Ana", pressed=True))
    await ana.misses(olu.get_by_label("something waits"))


async def test_html_stays_text(window: Opening, slack: AsyncWebClient) -> None:
    """Whoever writes a tag reads a tag, and a link that is no web address is none."""
    ana = await window("U0ANA")
    link = {"type": "link", "url": "javascript:alert(3)", "text": "press"}
    rich = {"type": "rich_text_section", "elements": [{"type": "text", "text": HTML}, link]}
    blocks: list[dict[str, Any]] = [
        {"type": "section", "text": {"type": "mrkdwn", "text": f"{HTML} <javascript:alert(3)|press>"}},
        {"type": "markdown", "text": f"{HTML} [press](javascript:alert(3))"},
        {"type": "rich_text", "elements": [rich]},
        {"type": "context", "elements": [{"type": "plain_text", "text": HTML}]},
    ]
    await ana.say(HTML)
    await slack.chat_postMessage(channel="C0HELP", text=HTML)
    await slack.chat_postMessage(channel="C0HELP", text="x", blocks=blocks)
    shown = ana.page.locator("#messages .block").filter(
        has_text="<img src=x onerror=alert(1)> <script>alert(2)</script>"
    )
    await ana.counts(shown, 6)
    await ana.counts(ana.page.locator("#messages").locator("img, script, .body b, a[href^=javascript]"), 0)


async def test_a_reply_also_goes_to_the_channel(window: Opening, slack: AsyncWebClient) -> None:
    """It stands in both places, and from the channel it leads to its thread."""
    await slack.chat_postMessage(channel="C0HELP", text="the question")
    ana, olu = await window("U0ANA"), await window("U0OPS")
    await ana.act("Reply in thread", ana.message("the question"))
    await ana.page.get_by_role("checkbox", name="Also send to the channel").check()
    await ana.reply.fill("everybody should know")
    await ana.reply.press("Enter")
    await ana.sees(ana.replied("everybody should know"))
    await olu.sees(olu.message("everybody should know").get_by_text("Replied to a thread"))
    await olu.act("Reply in thread", olu.message("everybody should know"))
    await olu.sees(olu.replied("the question"))


async def test_a_message_is_edited_and_deleted(window: Opening) -> None:
    """By the menu of the message, or its last one by the arrow key; others see both."""
    ana, olu = await window("U0ANA"), await window("U0OPS")
    await ana.say("frist")
    await olu.sees(olu.message("frist"))
    await ana.composer.press("ArrowUp")
    field = ana.page.get_by_role("textbox", name="Edit the message")
    await field.fill("first")
    await field.press("Enter")
    await olu.sees(olu.message("first").get_by_text("(edited)"))
    await ana.act("Delete message…", ana.message("first"))
    await ana.press("Delete", ana.page.locator("#confirm"))
    await olu.misses(olu.message("first"))


async def test_who_is_away_is_shown_so(window: Opening) -> None:
    """The dot at one's own name tells, and the button turns it."""
    ana = await window("U0ANA")
    mine = ana.page.get_by_role("button", name="Ana", pressed=True)
    await ana.sees(mine.get_by_label("active"))
    await ana.page.get_by_role("button", name="Set yourself as away").click()
    await ana.sees(mine.get_by_label("away"))
    await ana.page.get_by_role("button", name="Set yourself as active").click()
    await ana.sees(mine.get_by_label("active"))


async def test_an_ephemeral_is_gone_after_a_reload(window: Opening, slack: AsyncWebClient) -> None:
    """It says that only one person sees it, nobody else does, and the next look at Slack is without it."""
    ana, olu = await window("U0ANA"), await window("U0OPS")
    await slack.chat_postEphemeral(channel="C0HELP", user="U0ANA", text="just for Ana")
    await slack.chat_postMessage(channel="C0HELP", text="for everybody")
    await ana.sees(ana.message("just for Ana").get_by_text("Only visible to you"))
    await olu.sees(olu.message("for everybody"))
    await olu.misses(olu.message("just for Ana"))
    await ana.page.reload()
    await ana.sees(ana.message("for everybody"))
    await ana.misses(ana.message("just for Ana"))


async def test_a_permalink_leads_to_its_message(window: Opening, slack: AsyncWebClient) -> None:
    """Also into a thread: the reply is shown there."""
    asked = await slack.chat_postMessage(channel="C0HELP", text="the question")
    replied = await slack.chat_postMessage(channel="C0HELP", text="the reply", thread_ts=asked["ts"])
    link = (await slack.chat_getPermalink(channel="C0HELP", message_ts=replied["ts"]))["permalink"]
    ana = await window("U0ANA")
    await ana.page.goto(f"{link}&as=U0ANA")
    await ana.sees(ana.replied("the reply"))
