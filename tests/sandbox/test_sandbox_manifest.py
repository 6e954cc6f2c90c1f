"""An app's manifest, obeyed: its scopes, its events, its commands and shortcuts."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from sandbox.manifest import Manifest, UnreadableManifest
from sandbox.required_scopes import BY_CONVERSATION, SCOPES_OF_METHOD
from sandbox.seed import APP_TOKEN, BOT_TOKEN
from sandbox.server import Sandbox
from tests.sandbox.conftest import Clock, Line, People

MANIFEST = """
display_information: {name: Triage}
features:
  app_home: {home_tab_enabled: true}
  slash_commands:
  - {command: /triage, description: The queue, usage_hint: "status | help"}
  shortcuts:
  - {name: Ask about this, type: message, callback_id: ask, description: Ask}
  - {name: New question, type: global, callback_id: new, description: New}
oauth_config:
  scopes:
    bot: [chat:write, channels:history, channels:read, commands, reactions:read]
settings:
  event_subscriptions:
    bot_events: [message.channels, message.im, reaction_added]
"""


@pytest.fixture
async def workspace(clock: Clock, tmp_path: Path) -> AsyncIterator[Sandbox]:
    """A workspace that obeys a manifest."""
    file = tmp_path / "manifest.yml"
    file.write_text(MANIFEST)
    running = await Sandbox.start(clock=clock, manifest=file)
    yield running
    await running.close()


@pytest.mark.parametrize(
    ("method", "arguments", "needed"),
    [
        ("reactions.add", {"channel": "C0HELP", "timestamp": "1.0", "name": "eyes"}, "reactions:write"),
        ("users.info", {"user": "U0ANA"}, "users:read"),
        ("conversations.history", {"channel": "D0ANA"}, "im:history"),
        ("conversations.replies", {"channel": "D0ANA", "ts": "1.0"}, "im:history"),
        ("conversations.list", {"types": "public_channel,im"}, "im:read"),
        ("conversations.info", {"channel": "D0ANA"}, "im:read"),
        ("conversations.open", {"users": "U0ANA"}, "im:write"),
        ("conversations.create", {"name": "new"}, "channels:manage"),
        ("conversations.create", {"name": "new", "is_private": True}, "groups:write"),
        ("conversations.join", {"channel": "C0HELP"}, "channels:join"),
        ("team.info", {}, "team:read"),
        ("usergroups.users.list", {"usergroup": "S0ONCALL"}, "usergroups:read"),
    ],
)
async def test_a_method_without_its_scope_is_refused(
    slack: AsyncWebClient, method: str, arguments: Any, needed: str
) -> None:
    """The answer says what was needed and what the app has."""
    with pytest.raises(SlackApiError) as refused:
        await slack.api_call(method, json=arguments)
    answer = refused.value.response
    assert (answer["error"], answer["needed"]) == ("missing_scope", needed)
    assert answer["provided"] == "channels:history,channels:read,chat:write,commands,reactions:read"


@pytest.mark.parametrize(
    ("method", "arguments"),
    [
        ("auth.test", {}),
        ("chat.postMessage", {"channel": "D0ANA", "text": "a"}),
        ("conversations.list", {}),
        ("conversations.history", {"channel": "C0HELP"}),
        ("assistant.threads.setStatus", {"channel_id": "C0HELP", "thread_ts": "root", "status": ""}),
        ("views.publish", {"user_id": "U0ANA", "view": {"type": "home", "blocks": []}}),
    ],
)
async def test_a_method_with_its_scope_is_open(
    slack: AsyncWebClient, people: People, method: str, arguments: Any
) -> None:
    """And each answer names the app's scopes in a header."""
    root = (await people("say", user="U0ANA", channel="C0HELP", text="hi"))["ts"]
    arguments = {name: root if value == "root" else value for name, value in arguments.items()}
    answer = await slack.api_call(method, json=arguments)
    assert answer.headers["x-oauth-scopes"] == "channels:history,channels:read,chat:write,commands,reactions:read"


async def test_an_unknown_channel_is_told_as_such(slack: AsyncWebClient) -> None:
    """Any scope of the family is enough to learn that there is no such channel."""
    with pytest.raises(SlackApiError, match="channel_not_found"):
        await slack.conversations_history(channel="C0NOWHERE")


async def test_only_subscribed_events_are_sent(people: People, line: Line) -> None:
    """Neither mentions nor removed reactions are in this manifest, and the scope of direct messages is not."""
    ts = (await people("say", user="U0ANA", channel="C0HELP", text="hi @triage"))["ts"]
    await people("say", user="U0ANA", channel="D0ANA", text="psst")
    await people("home", user="U0ANA")
    await people("react", user="U0ANA", channel="C0HELP", ts=ts, name="eyes")
    await people("react", user="U0ANA", channel="C0HELP", ts=ts, name="eyes", remove=True)
    await people("say", user="U0ANA", channel="C0HELP", text="last")
    heard = [await line.event() for _ in range(3)]
    assert [event["type"] for event in heard] == ["message", "reaction_added", "message"]
    assert heard[-1]["text"] == "last"


async def test_people_are_offered_what_the_manifest_declares(people: People, session: aiohttp.ClientSession) -> None:
    """Commands with their hints, and shortcuts; nothing else can be given."""
    commands = await (await session.get("/human/commands")).json()
    offered = {"command": "/triage", "description": "The queue", "usage_hint": "status | help", "escapes": False}
    assert commands == {"commands": [offered]}
    shortcuts = await (await session.get("/human/shortcuts")).json()
    assert [each["callback_id"] for each in shortcuts["shortcuts"]] == ["ask", "new"]
    other = {"user": "U0ANA", "channel": "C0HELP", "command": "/other"}
    assert (await people.answer("/human/command", other))[0] == 404
    assert (await people.answer("/human/shortcut", {"user": "U0ANA", "callback_id": "ask"}))[0] == 404


@pytest.mark.parametrize(
    ("shipped", "changed", "method", "arguments", "error"),
    [
        ("home_tab_enabled: true", "home_tab_enabled: false", "views.publish", {"user_id": "U0ANA"}, "not_enabled"),
        (
            "{home_tab",
            "{messages_tab_enabled: false, home_tab",
            "chat.postMessage",
            {"channel": "D0ANA"},
            "messages_ta",
        ),
        (
            "{home_tab",
            "{messages_tab_enabled: false, home_tab",
            "chat.postMessage",
            {"channel": "U0ANA"},
            "messages_ta",
        ),
    ],
)
async def test_a_tab_that_is_switched_off_is_closed_to_the_app(
    tmp_path: Path, shipped: str, changed: str, method: str, arguments: Any, error: str
) -> None:
    """The Home by default, the messages where the manifest says so."""
    file = tmp_path / "manifest.yml"
    file.write_text(MANIFEST.replace(shipped, changed))
    workspace = await Sandbox.start(manifest=file)
    slack = AsyncWebClient(token=BOT_TOKEN, base_url=workspace.api_url)
    content = {"text": "a", "view": {"type": "home", "blocks": []}}
    with pytest.raises(SlackApiError, match=error):
        await slack.api_call(method, json=content | arguments)
    await workspace.close()


def test_commands_and_shortcuts_need_their_scope(tmp_path: Path) -> None:
    """People are offered neither without it."""
    file = tmp_path / "manifest.yml"
    file.write_text(MANIFEST.replace(" commands,", ""))
    assert (Manifest.read(file).commands, Manifest.read(file).shortcuts) == ((), ())


@pytest.mark.parametrize(
    ("event", "scope"),
    [
        ("agent_session_stopped", "chat:write"),
        ("app_context_changed", "assistant:write"),
        ("app_home_opened", "users:read"),
        ("channel_shared", "channels:read"),
    ],
)
def test_an_event_needs_its_scope(event: str, scope: str) -> None:
    """The Home's needs none."""
    assert Manifest(scopes=frozenset({scope}), events=frozenset({event})).hears(event)
    without = Manifest(scopes=frozenset(), events=frozenset({event}))
    assert without.hears(event) is (event == "app_home_opened")


async def test_an_app_token_without_its_scope_opens_no_socket() -> None:
    """Its scope is no part of the manifest: whoever makes the token chooses it."""
    workspace = await Sandbox.start(app_token_scopes=frozenset({"authorizations:read"}))
    with pytest.raises(SlackApiError) as refused:
        await AsyncWebClient(base_url=workspace.api_url).apps_connections_open(app_token=APP_TOKEN)
    answer = refused.value.response
    assert [answer[key] for key in ("error", "needed", "provided")] == [
        "missing_scope",
        "connections:write",
        "authorizations:read",
    ]
    await workspace.close()


def test_each_method_says_which_scopes_it_needs(workspace: Sandbox) -> None:
    """Also where that is none, so that no new method is open by mistake."""
    assert {*workspace._methods()} == {*SCOPES_OF_METHOD, *BY_CONVERSATION}


async def test_without_a_manifest_nothing_is_limited() -> None:
    """No scopes in the headers, no commands offered, any command taken."""
    workspace = await Sandbox.start()
    answer = await AsyncWebClient(token=BOT_TOKEN, base_url=workspace.api_url).team_info()
    assert "x-oauth-scopes" not in answer.headers
    async with aiohttp.ClientSession(workspace.url) as session:
        assert await (await session.get("/human/commands")).json() == {"commands": []}
    await workspace.close()


@pytest.mark.parametrize(
    "text",
    [
        "[]",
        "name: something else",
        "display_information: {}\nfeatures: {slash_commands: [/triage]}",
        "display_information: {}\nfeatures: {shortcuts: [{name: a}]}",
        "{",
    ],
)
def test_a_file_that_is_no_manifest_is_named(tmp_path: Path, text: str) -> None:
    """With its path, before anything starts."""
    file = tmp_path / "other.yml"
    file.write_text(text)
    with pytest.raises(UnreadableManifest, match=r"other\.yml"):
        Manifest.read(file)


def test_a_missing_manifest_is_named(tmp_path: Path) -> None:
    """A mistyped path is no manifest without limits."""
    with pytest.raises(UnreadableManifest, match=r"none\.yml"):
        Manifest.read(tmp_path / "none.yml")


def test_this_projects_manifest_is_understood() -> None:
    """The manifest that the real app is created from can be given to the workspace as it is."""
    manifest = Manifest.read(Path(__file__).resolve().parents[2] / "manifest.yml")
    assert "chat:write" in manifest.scopes
    assert "message.channels" in manifest.events
