"""The Web API's failures, from a real server on loopback: each becomes what the caller does next."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest

from bot.adapters.clock import SystemClock
from bot.adapters.pace import Pacer
from bot.adapters.slack import SlackChat
from bot.adapters.slack.client import web_client
from bot.adapters.slack.paging import FIRST, MAX_PAGE, size_after
from bot.errors import Refused, RetryLater, Uncertain
from sandbox.seed import BOT_TOKEN
from sandbox.server import Sandbox

METADATA = {"event_type": "triage_reply", "event_payload": {"draft_id": "d", "nonce": "n1"}}
BLOCKS: list[dict[str, Any]] = [{"type": "section", "text": {"type": "mrkdwn", "text": "hello"}}]


@pytest.fixture
async def workspace() -> AsyncIterator[Sandbox]:
    """A workspace on a port of its own."""
    made = await Sandbox.start(port=0)
    yield made
    await made.close()


def chat_in(workspace: Sandbox, token: str = BOT_TOKEN) -> SlackChat:
    """A Web API that is called as fast as a test likes."""
    return SlackChat(web_client(token, workspace.api_url), Pacer(SystemClock(), scale=1_000))


@pytest.fixture
def chat(workspace: Sandbox) -> SlackChat:
    """The bot's Web API in it."""
    return chat_in(workspace)


async def fault(workspace: Sandbox, **said: Any) -> None:
    """Make the next calls fail."""
    async with aiohttp.ClientSession() as session:
        async with session.post(
            f"{workspace.url}/faults", json={"method": "chat.postMessage", "times": 1, **said}
        ) as answer:
            assert (await answer.json())["ok"]


async def post(chat: SlackChat, **changes: Any) -> str:
    """Post a reply."""
    values: dict[str, Any] = {"channel": "C0HELP", "text": "hello", "blocks": BLOCKS, "metadata": METADATA}
    return await chat.post(**(values | changes))


async def test_the_bot_learns_who_it_is(chat: SlackChat) -> None:
    """The token tells user, bot and team."""
    identity = await chat.identity()
    assert (identity.user_id, identity.team_id) == ("U0TRIAGE", "T0SANDBOX")


async def test_a_rate_limit_says_how_long_to_wait(workspace: Sandbox, chat: SlackChat) -> None:
    """429 had no effect and names its time."""
    await fault(workspace, kind="429", seconds=7)
    with pytest.raises(RetryLater) as raised:
        await post(chat)
    assert raised.value.after == 7


async def test_an_error_of_the_server_leaves_a_post_in_doubt(workspace: Sandbox, chat: SlackChat) -> None:
    """A post that met a 500 may stand there; an update that met one is simply made again."""
    ts = await post(chat)
    await fault(workspace, kind="500")
    with pytest.raises(Uncertain):
        await post(chat)
    await fault(workspace, kind="500", method="chat.update")
    with pytest.raises(RetryLater):
        await chat.update(channel="C0HELP", ts=ts, text="x", blocks=BLOCKS, metadata=METADATA)


async def test_a_line_cut_after_acceptance_leaves_a_post_in_doubt(workspace: Sandbox, chat: SlackChat) -> None:
    """And the nonce finds it, once: nothing behind this port posts a second time."""
    root = await post(chat)
    await fault(workspace, kind="timeout_after_accept", seconds=0.05)
    with pytest.raises(Uncertain):
        await post(chat, thread_ts=root)
    found = await chat.find_in_thread(channel="C0HELP", thread_ts=root, event_type="triage_reply", nonce="n1")
    assert found is not None
    assert await chat.find_in_thread(channel="C0HELP", thread_ts=root, event_type="triage_reply", nonce="n2") is None


async def test_a_nonce_is_found_past_the_first_page(chat: SlackChat) -> None:
    """A long thread is read to its end."""
    root = await post(chat)
    for number in range(205):
        await post(chat, thread_ts=root, metadata={**METADATA, "event_payload": {"nonce": f"other{number}"}})
    last = await post(chat, thread_ts=root, metadata={**METADATA, "event_payload": {"nonce": "wanted"}})
    assert (
        await chat.find_in_thread(channel="C0HELP", thread_ts=root, event_type="triage_reply", nonce="wanted") == last
    )


def test_pages_grow_while_messages_are_short() -> None:
    """A page of long ones is followed by a small one."""
    assert size_after(FIRST, [{"text": "a"}] * FIRST) == 4 * FIRST
    assert size_after(MAX_PAGE, [{"text": "a"}, {}] * 100) == MAX_PAGE
    assert size_after(MAX_PAGE, [{"text": "a" * 39_000}] * 10) == FIRST


async def test_a_refusal_keeps_slacks_own_word(chat: SlackChat) -> None:
    """The code is Slack's."""
    with pytest.raises(Refused) as raised:
        await post(chat, channel="C0NOWHERE")
    assert raised.value.code == "channel_not_found"


async def test_a_server_that_is_not_there_had_no_effect(workspace: Sandbox) -> None:
    """A refused connection is no doubt."""
    await workspace.close()
    with pytest.raises(RetryLater, match="cannot be reached"):
        await post(chat_in(workspace))


async def test_a_wrong_token_is_refused(workspace: Sandbox) -> None:
    """Slack says why."""
    with pytest.raises(Refused) as raised:
        await chat_in(workspace, "xoxb" + "-wrong").identity()
    assert raised.value.code == "invalid_auth"


async def test_names_and_direct_messages_are_asked_once(workspace: Sandbox, chat: SlackChat) -> None:
    """What does not change is remembered."""
    for _ in range(3):
        assert await chat.user_name("U0OPS") == "Olu"
        assert (await chat.open_dm("U0OPS")).startswith("D")
    async with aiohttp.ClientSession() as session, session.get(f"{workspace.url}/calls") as answer:
        methods = [call["method"] for call in (await answer.json())["calls"]]
    assert sorted(methods) == ["conversations.open", "users.info"]


@pytest.mark.parametrize(
    "url",
    [
        "https://hooks.slack.com.evil.example/actions/1",
        "http://hooks.slack.com/actions/1",
        "https://user@hooks.slack.com/actions/1",
        "http://127.0.0.1:1/response/1",
        "file:///etc/passwd",
        "",
    ],
)
async def test_only_slack_is_answered_at_a_response_url(chat: SlackChat, url: str) -> None:
    """An address comes with what people press; one that is not Slack's is not called."""
    with pytest.raises(Refused, match="not an address of Slack's"):
        await chat.respond(url=url, text="x", blocks=BLOCKS)


async def test_an_address_that_slack_does_not_know_is_refused(chat: SlackChat, workspace: Sandbox) -> None:
    """It is used up or too old; nobody tries again."""
    with pytest.raises(Refused) as refused:
        await chat.respond(url=f"{workspace.url}/response/none", text="x", blocks=BLOCKS)
    assert refused.value.code == "http_404"


async def test_a_home_that_breaks_a_limit_is_refused(chat: SlackChat) -> None:
    """With Slack's own word for it."""
    with pytest.raises(Refused) as refused:
        await chat.publish_home(user="U0OPS", view={"type": "home", "blocks": BLOCKS * 101})
    assert refused.value.code == "invalid_arguments"


async def test_one_message_is_read_wherever_it_stands(workspace: Sandbox, chat: SlackChat) -> None:
    """A reply names its thread; one that is not there is nothing."""
    root = await chat.post(channel="C0HELP", text="hello", blocks=BLOCKS, metadata=METADATA)
    reply = await chat.post(channel="C0HELP", text="hello", blocks=BLOCKS, metadata=METADATA, thread_ts=root)
    found = [await chat.message(channel="C0HELP", ts=ts) for ts in (root, reply, "1.000001")]
    assert [message and (message["ts"], message.get("thread_ts")) for message in found] == [
        (root, root),
        (reply, root),
        None,
    ]
    with pytest.raises(Refused):
        await chat.message(channel="C0NOPE", ts=root)


async def test_what_the_bot_is_doing_and_what_one_may_say_are_shown(workspace: Sandbox, chat: SlackChat) -> None:
    """A status stands until it is taken down; prompts stand at the top of the direct message."""
    channel = await chat.open_dm("U0ANA")
    ts = await post(chat, channel=channel)
    await chat.set_status(channel=channel, thread_ts=ts, status="is reading", loading=("Thinking",))
    await chat.set_session(channel=channel, thread_ts=ts, is_at_work=True)
    await chat.suggest_prompts(channel=channel, title="You might ask", prompts=[("Help", "help")])
    shown = await beside(workspace)
    assert (shown[ts]["status"], shown[ts]["loading_messages"]) == ("is reading", ["Reading", "Thinking"])
    assert shown[ts]["can_be_stopped"]
    assert shown[None]["prompts"] == [{"title": "Help", "message": "help"}]
    await chat.set_status(channel=channel, thread_ts=ts, status="is looking this up as Dev")
    assert (await beside(workspace))[ts]["loading_messages"] == ["Looking this up as Dev"]
    await chat.set_status(channel=channel, thread_ts=ts, status="")
    await chat.set_session(channel=channel, thread_ts=ts, is_at_work=False)
    assert [*await beside(workspace)] == [None]


async def beside(workspace: Sandbox) -> dict[str | None, Any]:
    """What Ana sees beside the messages of her direct message with the bot, by thread."""
    async with aiohttp.ClientSession() as session:
        async with session.get(f"{workspace.url}/human/view", params={"user": "U0ANA"}) as answer:
            (dm,) = (await answer.json())["dms"]
            return {each["thread_ts"]: each for each in dm["threads"]}
