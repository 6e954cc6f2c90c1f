"""The Web API: encodings, tokens, and how it says no."""

import json
import re
from typing import Any

import aiohttp
import pytest
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from sandbox.arguments import Arguments
from sandbox.conversation import Conversation
from sandbox.links import Links
from sandbox.methods.chat import Chat
from sandbox.models import Refused
from sandbox.server import Sandbox
from sandbox.workspace import Workspace
from tests.sandbox.conftest import People

SECTION = {"type": "section", "block_id": "s", "text": {"type": "mrkdwn", "text": "hi"}}
METADATA = {"event_type": "triage_reply", "event_payload": {"draft_id": "d1"}}
FIRST = "1700000000.000000"


async def _as_json(session: aiohttp.ClientSession, url: Any, arguments: Any) -> aiohttp.ClientResponse:
    return await session.post(url, json=arguments)


async def _as_form(session: aiohttp.ClientSession, url: Any, arguments: Any) -> aiohttp.ClientResponse:
    return await session.post(url, data=_flat(arguments))


async def _as_multipart(session: aiohttp.ClientSession, url: Any, arguments: Any) -> aiohttp.ClientResponse:
    with aiohttp.MultipartWriter("form-data") as body:
        for name, value in _flat(arguments).items():
            body.append(value).set_content_disposition("form-data", name=name)
    return await session.post(url, data=body)


async def _as_query(session: aiohttp.ClientSession, url: Any, arguments: Any) -> aiohttp.ClientResponse:
    return await session.post(url, params=_flat(arguments), data={})


async def _as_get(session: aiohttp.ClientSession, url: Any, arguments: Any) -> aiohttp.ClientResponse:
    return await session.get(url, params=_flat(arguments))


def _flat(arguments: dict[str, Any]) -> dict[str, str]:
    def flat(value: Any) -> str:
        if isinstance(value, bool):
            return "1" if value else "0"
        return value if isinstance(value, str) else json.dumps(value)

    return {name: flat(value) for name, value in arguments.items()}


@pytest.mark.parametrize(
    ("method", "arguments"),
    [
        ("auth.test", {}),
        ("chat.postMessage", {"channel": "C0HELP", "text": "a & <b>", "blocks": [SECTION], "metadata": METADATA}),
        ("chat.update", {"channel": "C0HELP", "ts": FIRST, "text": "new", "blocks": [SECTION]}),
        ("chat.delete", {"channel": "C0HELP", "ts": FIRST}),
        ("chat.postEphemeral", {"channel": "C0HELP", "user": "U0ANA", "text": "psst", "blocks": [SECTION]}),
        ("chat.getPermalink", {"channel": "C0HELP", "message_ts": FIRST}),
        ("conversations.list", {"types": "public_channel,im", "limit": 3}),
        ("conversations.info", {"channel": "C0HELP", "include_num_members": True}),
        ("conversations.members", {"channel": "C0HELP"}),
        ("conversations.open", {"users": "U0ANA", "return_im": True}),
        ("conversations.history", {"channel": "C0HELP", "include_all_metadata": True, "inclusive": False}),
        ("conversations.replies", {"channel": "C0HELP", "ts": FIRST}),
        ("users.info", {"user": "U0ANA", "include_locale": False}),
        ("users.list", {"limit": 2}),
        ("reactions.add", {"channel": "C0HELP", "timestamp": FIRST, "name": "eyes"}),
        ("reactions.get", {"channel": "C0HELP", "timestamp": FIRST, "full": True}),
        ("bots.info", {"bot": "B0TRIAGE"}),
        ("team.info", {}),
        ("chat.postMessage", {"channel": "C0HELP", "text": "b", "thread_ts": FIRST, "reply_broadcast": True}),
        ("chat.postMessage", {"channel": "C0HELP", "markdown_text": "# hi"}),
        ("conversations.join", {"channel": "C0HELP"}),
        ("conversations.archive", {"channel": "C0HELP"}),
        ("conversations.create", {"name": "general"}),
        ("users.getPresence", {"user": "U0ANA"}),
        ("usergroups.users.list", {"usergroup": "S0ONCALL", "include_disabled": True}),
        ("reactions.remove", {"channel": "C0HELP", "timestamp": FIRST, "name": "eyes"}),
        ("views.open", {"trigger_id": "1.2.3", "view": {"type": "modal"}}),
        ("views.push", {"trigger_id": "1.2.3", "view": {"type": "modal"}}),
        ("views.publish", {"user_id": "U0ANA", "view": {"type": "home"}}),
        (
            "assistant.threads.setStatus",
            {"channel_id": "C0HELP", "thread_ts": FIRST, "status": "reads", "loading_messages": ["a"]},
        ),
        ("assistant.threads.setTitle", {"channel_id": "C0HELP", "thread_ts": FIRST, "title": "T"}),
        (
            "assistant.threads.setSuggestedPrompts",
            {"channel_id": "D0ANA", "prompts": [{"title": "a", "message": "b"}]},
        ),
        ("chat.postMessage", {"channel": "C0NOWHERE", "text": "a"}),
        ("views.update", {"view_id": "V0", "view": {"type": "modal"}}),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
async def test_each_encoding_gives_the_same_answer(method: str, arguments: dict[str, Any]) -> None:
    """JSON, form, multipart, query string with an empty body, and GET are one and the same to each method."""
    answers = []
    for send in (_as_json, _as_form, _as_multipart, _as_query, _as_get):
        workspace = await Sandbox.start(clock=lambda: 1_700_000_000.0)
        headers = {"Authorization": "Bearer xoxb-sandbox"}
        async with aiohttp.ClientSession(workspace.url, headers=headers) as session:
            posted = await _as_json(
                session,
                "/api/chat.postMessage",
                {"channel": "C0HELP", "text": "first", "blocks": [SECTION], "metadata": METADATA},
            )
            assert (await posted.json())["ts"] == FIRST
            answer = await send(session, f"/api/{method}", arguments)
            # A block without an id of the app's gets one by chance.
            text = re.sub(r'"block_id": "[^"]{5}"', "", await answer.text())
            answers.append(text.replace(f":{workspace.port}", ":PORT"))  # alone, its digits may stand in a time
        await workspace.close()
    assert len(set(answers)) == 1, answers


@pytest.mark.parametrize(
    ("header", "parameter", "method", "error"),
    [
        (None, None, "auth.test", "not_authed"),
        ("xoxb-other", None, "auth.test", "invalid_auth"),
        (None, "xoxb-other", "auth.test", "invalid_auth"),
        ("xoxb-sandbox", None, "auth.test", None),
        (None, "xoxb-sandbox", "auth.test", None),
        ("xapp-sandbox", None, "auth.test", "not_allowed_token_type"),
        ("xapp-sandbox", None, "apps.connections.open", None),
        (None, "xapp-sandbox", "apps.connections.open", "invalid_auth"),
        ("xoxb-sandbox", None, "apps.connections.open", "not_allowed_token_type"),
        (None, None, "apps.connections.open", "not_authed"),
        (None, None, "no.such", "unknown_method"),
    ],
)
async def test_tokens(session: aiohttp.ClientSession, header: Any, parameter: Any, method: str, error: Any) -> None:
    """A token comes in the header or as a parameter, and each kind opens its own methods."""
    headers = {"Authorization": f"Bearer {header}"} if header else {}
    answer = await session.post(f"/api/{method}", data={"token": parameter} if parameter else {}, headers=headers)
    assert answer.status == 200
    body = await answer.json()
    assert body["ok"] is (error is None)
    assert body.get("error") == error


@pytest.mark.parametrize(
    ("body", "error"), [("{", "invalid_json"), ("[]", "json_not_object"), ("", "invalid_arguments")]
)
async def test_a_body_that_is_no_object_is_refused(session: aiohttp.ClientSession, body: str, error: str) -> None:
    """What is not a JSON object never reaches a method."""
    headers = {"Authorization": "Bearer xoxb-sandbox", "Content-Type": "application/json"}
    answer = await session.post("/api/chat.postMessage", data=body, headers=headers)
    assert (await answer.json())["error"] == error


@pytest.mark.parametrize(
    ("method", "arguments", "error"),
    [
        ("chat.postMessage", {"text": "a"}, "invalid_arguments"),
        ("chat.postMessage", {"channel": "C0NOWHERE", "text": "a"}, "channel_not_found"),
        ("chat.postMessage", {"channel": "C0HELP"}, "no_text"),
        ("chat.postMessage", {"channel": "C0HELP", "text": "a", "thread_ts": "1.0"}, "thread_not_found"),
        ("chat.postMessage", {"channel": "C0HELP", "text": "a", "blocks": {}}, "invalid_blocks_format"),
        ("chat.postMessage", {"channel": "C0HELP", "text": "a", "metadata": {}}, "invalid_metadata_format"),
        ("chat.update", {"channel": "C0HELP", "ts": "1.0", "text": "a"}, "message_not_found"),
        ("chat.update", {"channel": "C0HELP", "ts": "theirs", "text": "a"}, "cant_update_message"),
        ("chat.update", {"channel": "C0HELP", "ts": "theirs"}, "no_text"),
        ("chat.update", {"channel": "C0HELP", "ts": "theirs", "text": "a" * 4_001}, "msg_too_long"),
        ("chat.delete", {"channel": "C0HELP", "ts": "1.0"}, "message_not_found"),
        ("chat.delete", {"channel": "C0HELP", "ts": "theirs"}, "cant_delete_message"),
        ("chat.postEphemeral", {"channel": "C0HELP", "user": "U0NOBODY", "text": "a"}, "user_not_in_channel"),
        ("chat.getPermalink", {"channel": "C0HELP", "message_ts": "1.0"}, "message_not_found"),
        ("conversations.info", {"channel": "C0NOWHERE"}, "channel_not_found"),
        ("conversations.open", {"users": "U0NOBODY"}, "user_not_found"),
        ("conversations.open", {"users": "U0ANA,U0OPS"}, "invalid_arguments"),
        ("conversations.history", {"channel": "C0HELP", "cursor": "nonsense"}, "invalid_cursor"),
        ("conversations.history", {"channel": "C0HELP", "limit": "many"}, "invalid_limit"),
        ("conversations.history", {"channel": "C0HELP", "oldest": "yesterday"}, "invalid_ts_oldest"),
        ("conversations.history", {"channel": "C0HELP", "latest": "today"}, "invalid_ts_latest"),
        ("conversations.replies", {"channel": "C0HELP", "ts": "1.0"}, "thread_not_found"),
        ("users.info", {"user": "U0NOBODY"}, "user_not_found"),
        ("bots.info", {"bot": "B0OTHER"}, "bot_not_found"),
        ("chat.postMessage", {"channel": "C0HELP", "text": "a", "markdown_text": "b"}, "markdown_text_conflict"),
        (
            "chat.postMessage",
            {
                "channel": "C0HELP",
                "text": "a",
                "metadata": {"event_type": "a", "event_payload": {"b": "c" * 9000}},
            },
            "metadata_too_large",
        ),
        ("chat.postMessage", {"channel": "C0HELP", "text": "a", "blocks": [{"type": "knob"}]}, "invalid_blocks"),
        (
            "chat.postMessage",
            {"channel": "C0HELP", "text": "a", "blocks": [{"type": "markdown", "text": "a" * 12_001}]},
            "invalid_blocks",
        ),
        ("views.publish", {"user_id": "U0NOBODY", "view": {}}, "user_not_found"),
        ("views.publish", {"user_id": "U0ANA", "view": {"type": "modal"}}, "invalid_arguments"),
        ("views.publish", {"user_id": "U0ANA", "hash": "1.a", "view": {"type": "home", "blocks": []}}, "hash_conflict"),
        ("views.push", {"trigger_id": "1.2.3", "view": {}}, "invalid_trigger_id"),
        (
            "assistant.threads.setStatus",
            {"channel_id": "C0HELP", "thread_ts": "1.0", "status": "a"},
            "invalid_thread_ts",
        ),
        ("assistant.threads.setStatus", {"channel_id": "C0HELP", "thread_ts": "theirs"}, "invalid_arguments"),
        (
            "assistant.threads.setStatus",
            {"channel_id": "C0HELP", "thread_ts": "theirs", "status": "a", "loading_messages": ["a"] * 11},
            "invalid_arguments",
        ),
        ("assistant.threads.setSuggestedPrompts", {"channel_id": "D0ANA", "prompts": ["a"]}, "invalid_arguments"),
        ("assistant.threads.setSuggestedPrompts", {"channel_id": "D0ANA", "prompts": {}}, "invalid_arguments"),
        (
            "assistant.threads.setSuggestedPrompts",
            {"channel_id": "D0ANA", "prompts": [{"title": "a", "message": "b"}] * 5},
            "invalid_arguments",
        ),
        ("team.info", {"team": "T0OTHER"}, "team_not_found"),
        ("reactions.add", {"channel": "C0HELP", "name": "eyes"}, "no_item_specified"),
        ("reactions.add", {"channel": "C0HELP", "timestamp": "1.0", "name": "eyes"}, "message_not_found"),
        ("reactions.add", {"channel": "C0HELP", "timestamp": "theirs", "name": "<b>"}, "invalid_name"),
        ("reactions.remove", {"channel": "C0HELP", "timestamp": "theirs", "name": "eyes"}, "no_reaction"),
        ("views.open", {"trigger_id": "1.2.3", "view": {}}, "invalid_trigger_id"),
        ("views.update", {"view": {}}, "invalid_arguments"),
        (
            "views.publish",
            {"user_id": "U0ANA", "view": {"type": "home", "blocks": [], "x": "a" * 250_000}},
            "view_too_large",
        ),
        ("views.update", {"view_id": "V0", "view": {}}, "not_found"),
    ],
)
async def test_refusals(
    slack: AsyncWebClient, people: People, method: str, arguments: dict[str, Any], error: str
) -> None:
    """Each refusal carries Slack's own error code."""
    theirs = (await people("say", user="U0ANA", channel="C0HELP", text="hello"))["ts"]
    arguments = {name: theirs if value == "theirs" else value for name, value in arguments.items()}
    with pytest.raises(SlackApiError) as refused:
        await slack.api_call(method, json=arguments)
    assert refused.value.response["error"] == error


async def test_faulty_blocks_are_pointed_at_twice(slack: AsyncWebClient) -> None:
    """chat.postMessage names them in `errors` and in response_metadata, as Slack does."""
    with pytest.raises(SlackApiError) as refused:
        await slack.chat_postMessage(channel="C0HELP", text="a", blocks=[{"type": "header", "text": {}}])
    answer = refused.value.response
    assert answer["errors"] == ["must be a valid enum value [json-pointer:/blocks/0/text/type]"]
    assert answer["response_metadata"]["messages"] == [f"[ERROR] {answer['errors'][0]}"]


async def test_the_missing_field_is_named(slack: AsyncWebClient) -> None:
    """An incomplete call says in response_metadata what it lacks."""
    with pytest.raises(SlackApiError) as refused:
        await slack.api_call("chat.postMessage", json={"text": "a"})
    assert refused.value.response["response_metadata"]["messages"] == ["[ERROR] missing required field: channel"]


async def test_the_bot_has_no_say_where_it_is_no_member() -> None:
    """A conversation without the bot is not its own to read or write."""
    workspace = Workspace(clock=lambda: 0.0)
    workspace.conversations["C0OPS"] = Conversation("C0OPS", "ops", ("U0OPS",))
    chat = Chat(workspace=workspace, links=Links(1), manifest=None).methods()
    with pytest.raises(Refused, match="not_in_channel"):
        chat["chat.postMessage"](Arguments({"channel": "C0OPS", "text": "hi"}))
