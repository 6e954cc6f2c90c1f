"""People of other companies, shared channels, an Enterprise Grid, and accounts that are gone."""

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from sandbox.server import Sandbox
from tests.sandbox.conftest import Clock, Line, People

AUTHORIZATION = {
    "enterprise_id": None,
    "team_id": "T0SANDBOX",
    "user_id": "U0TRIAGE",
    "is_bot": True,
    "is_enterprise_install": False,
}


@pytest.fixture
async def workspace(clock: Clock, request: pytest.FixtureRequest) -> AsyncIterator[Sandbox]:
    """A workspace with a partner's company beside it, or what a test's `founding` mark says."""
    wish = request.node.get_closest_marker("founding")
    running = await Sandbox.start(clock=clock, **(wish.kwargs if wish else {"shared": True}))
    yield running
    await running.close()


async def _until(line: Line, kind: str) -> dict[str, Any]:
    while (payload := await line.payload())["event"]["type"] != kind:
        pass
    return payload


async def test_a_message_of_another_company_names_both_teams(people: People, line: Line) -> None:
    """The wrapper's team is the author's, the authorization and the context are the app's."""
    await people("say", user="U0RITA", channel="C0SHARED", text="does it fail for you, too?")
    payload = await line.payload()
    assert (payload["team_id"], payload["context_team_id"], payload["context_enterprise_id"]) == (
        "T0PARTNER",
        "T0SANDBOX",
        None,
    )
    assert payload["is_ext_shared_channel"] is True
    assert payload["authorizations"] == [AUTHORIZATION]
    event = payload["event"]
    assert (event["team"], event["user_team"], event["source_team"]) == ("T0PARTNER", "T0PARTNER", "T0PARTNER")
    assert (event["user_profile"]["real_name"], event["user_profile"]["team"]) == ("Rita", "T0PARTNER")


async def test_a_mention_by_another_company_is_told_as_the_apps_own_team(people: People, line: Line) -> None:
    """In app_mention `team` is the installation's, and `user_team` the author's."""
    await people("say", user="U0RITA", channel="C0SHARED", text="@Triage why?")
    payload = await _until(line, "app_mention")
    event = payload["event"]
    assert (payload["team_id"], event["team"], event["user_team"]) == ("T0SANDBOX", "T0SANDBOX", "T0PARTNER")
    assert "context_team_id" not in payload


async def test_ones_own_people_in_a_shared_channel(people: People, slack: AsyncWebClient, line: Line) -> None:
    """Their messages have no `user_team`, yet the channel is external; its history is as its events."""
    await people("say", user="U0ANA", channel="C0SHARED", text="we look")
    payload = await line.payload()
    assert (payload["team_id"], payload["is_ext_shared_channel"]) == ("T0SANDBOX", True)
    assert "user_team" not in payload["event"]
    await people("say", user="U0RITA", channel="C0SHARED", text="thanks")
    newest, _ = (await slack.conversations_history(channel="C0SHARED"))["messages"]
    assert (newest["team"], newest["user_team"]) == ("T0PARTNER", "T0PARTNER")


async def test_a_channel_of_one_team_is_not_external(people: People, line: Line) -> None:
    """Nothing of the second company shows in a channel that is not shared."""
    await people("say", user="U0ANA", channel="C0HELP", text="hi")
    payload = await line.payload()
    assert (payload["is_ext_shared_channel"], "context_team_id" in payload) == (False, False)


async def test_a_shared_channel_says_with_whom(slack: AsyncWebClient) -> None:
    """conversations.info names host and connected teams; the list names the teams only."""
    info = (await slack.conversations_info(channel="C0SHARED"))["channel"]
    assert {key: info[key] for key in ("is_shared", "is_ext_shared", "is_org_shared")} == {
        "is_shared": True,
        "is_ext_shared": True,
        "is_org_shared": False,
    }
    assert (info["shared_team_ids"], info["connected_team_ids"]) == (["T0SANDBOX", "T0PARTNER"], ["T0PARTNER"])
    assert info["conversation_host_id"] == "T0SANDBOX"
    listed = {each["id"]: each for each in (await slack.conversations_list())["channels"]}
    assert (listed["C0SHARED"]["is_ext_shared"], listed["C0HELP"]["is_ext_shared"]) == (True, False)
    assert "connected_team_ids" not in listed["C0SHARED"]


async def test_little_is_told_of_people_of_another_company(people: People, slack: AsyncWebClient) -> None:
    """No address, no role, no locale; `is_stranger` only while no channel is shared with them."""
    rita = (await slack.users_info(user="U0RITA", include_locale=True))["user"]
    assert (rita["team_id"], rita["is_stranger"], rita["profile"]["team"]) == ("T0PARTNER", False, "T0PARTNER")
    assert not {"is_admin", "is_owner", "is_email_confirmed", "locale"} & set(rita)
    assert "email" not in rita["profile"]
    stranger = (await people("person", name="Otto", team="T0PARTNER"))["id"]
    assert (await slack.users_info(user=stranger))["user"]["is_stranger"] is True
    assert "is_stranger" not in (await slack.users_info(user="U0ANA"))["user"]
    assert "U0RITA" not in [each["id"] for each in (await slack.users_list())["members"]]
    assert "U0RITA" in (await slack.conversations_members(channel="C0SHARED"))["members"]


async def test_direct_messages_need_a_common_channel(people: People, slack: AsyncWebClient) -> None:
    """The app can write to external people of its channels, and to no stranger."""
    assert (await slack.conversations_open(users="U0RITA"))["channel"]["id"] == "D0RITA"
    stranger = (await people("person", name="Otto", team="T0PARTNER"))["id"]
    with pytest.raises(SlackApiError, match="user_not_visible"):
        await slack.conversations_open(users=stranger)
    with pytest.raises(SlackApiError, match="channel_not_found"):
        await slack.chat_postMessage(channel=stranger, text="hello")
    assert (await people.view(stranger))["dms"] == []


async def test_external_people_see_the_shared_channel_alone(people: People) -> None:
    """Public channels of the app's company are not theirs to see or to join."""
    assert [each["name"] for each in (await people.view("U0RITA"))["channels"]] == ["shared-partner"]
    assert await people.answer("/human/join", {"user": "U0RITA", "channel": "C0HELP"}) == (
        404,
        {"ok": False, "error": "channel_not_found"},
    )
    status, answer = await people.answer("/human/invite", {"user": "U0ANA", "channel": "C0HELP", "who": "U0RITA"})
    assert (status, answer["error"]) == (404, "user_team_not_in_channel")


async def test_a_press_carries_the_team_of_who_pressed(
    people: People, slack: AsyncWebClient, line: Line, buttons: Callable[..., list[dict[str, Any]]]
) -> None:
    """Anybody who sees a button may press it; the app learns of which team they are."""
    await slack.chat_postMessage(channel="C0SHARED", text="a", blocks=buttons(approve="d1"))
    await line.payload()
    pressing = asyncio.create_task(people("press", user="U0RITA", action_id="approve"))
    payload = await line.payload()
    await pressing
    assert payload["team"] == {"id": "T0PARTNER", "domain": "partner"}
    assert payload["user"]["team_id"] == "T0PARTNER"


async def test_commands_and_shortcuts_are_not_shared(people: People) -> None:
    """Slack offers an app's commands and shortcuts to the company that installed it, and to no other."""
    ts = (await people("say", user="U0ANA", channel="C0SHARED", text="hi"))["ts"]
    command = {"user": "U0RITA", "channel": "C0SHARED", "command": "/triage"}
    assert (await people.answer("/human/command", command))[1]["error"] == "command_not_found"
    shortcut = {"user": "U0RITA", "channel": "C0SHARED", "ts": ts, "callback_id": "ask"}
    assert (await people.answer("/human/shortcut", shortcut))[1]["error"] == "shortcut_not_found"


@pytest.mark.founding
async def test_a_second_company_made_by_program(people: People, slack: AsyncWebClient, line: Line) -> None:
    """A team, a person of it, a channel shared with it, and an invitation into that channel."""
    team = (await people("team", name="Acme"))["id"]
    rosa = (await people("person", name="Rosa", role="guest", team=team))["id"]
    await people("share", channel="C0HELP", team=team)
    assert (await line.event())["connected_team_id"] == team
    await people("invite", user="U0ANA", channel="C0HELP", who=rosa)
    assert (await line.event())["team"] == team
    await people("say", user=rosa, channel="C0HELP", text="hello")
    assert (await _until(line, "message"))["event"]["subtype"] == "channel_join"
    payload = await line.payload()
    assert (payload["team_id"], payload["event"]["user_profile"]["is_restricted"]) == (team, True)
    async with people.session.get("/human/people") as answer:
        directory = await answer.json()
    assert {"id": team, "name": "Acme", "enterprise_id": None} in directory["teams"]
    (told,) = [each for each in directory["people"] if each["id"] == rosa]
    assert (told["team"], told["is_external"], told["is_guest"]) == (team, True, True)


@pytest.mark.founding(grid=True)
async def test_a_sister_workspace_is_the_same_company(people: People, slack: AsyncWebClient, line: Line) -> None:
    """Its people name the Enterprise Grid, and a channel of both is no external one."""
    assert (await slack.auth_test())["enterprise_id"] == "E0SANDBOX"
    sia = (await slack.users_info(user="U0SIA"))["user"]
    assert (sia["team_id"], sia["enterprise_user"]["enterprise_id"]) == ("T0SISTER", "E0SANDBOX")
    assert "is_stranger" not in sia
    info = (await slack.conversations_info(channel="C0ORG"))["channel"]
    assert (info["is_shared"], info["is_org_shared"], info["is_ext_shared"]) == (True, True, False)
    await people("say", user="U0SIA", channel="C0ORG", text="hi")
    payload = await line.payload()
    assert (payload["team_id"], payload["enterprise_id"], payload["is_ext_shared_channel"]) == (
        "T0SISTER",
        "E0SANDBOX",
        False,
    )
    assert (payload["event"]["team"], payload["event"]["user_team"]) == ("T0SISTER", "E0SANDBOX")
    assert payload["authorizations"][0]["enterprise_id"] == "E0SANDBOX"
    asking = asyncio.create_task(people("command", user="U0SIA", channel="C0ORG", command="/triage"))
    command = await line.payload()
    await asking
    assert (command["team_id"], command["enterprise_id"]) == ("T0SISTER", "E0SANDBOX")


async def test_a_guest_is_told_by_kind(people: People, slack: AsyncWebClient) -> None:
    """A guest of several channels is restricted, one of a single channel ultra restricted, too."""
    for role, expected in (
        ("guest", (True, False)),
        ("single_channel_guest", (True, True)),
        ("member", (False, False)),
    ):
        who = (await people("person", name=role, role=role))["id"]
        user = (await slack.users_info(user=who))["user"]
        assert (user["is_restricted"], user["is_ultra_restricted"]) == expected


async def test_a_deactivated_person_cannot_be_written_to(people: People, slack: AsyncWebClient, line: Line) -> None:
    """users.info says deleted, user_change tells the app, and direct messages are refused."""
    await people("deactivate", who="U0OPS")
    event = await line.event()
    assert (event["type"], event["user"]["id"], event["user"]["deleted"]) == ("user_change", "U0OPS", True)
    user = (await slack.users_info(user="U0OPS"))["user"]
    assert (user["deleted"], "is_restricted" in user) == (True, False)
    assert "U0OPS" not in (await slack.conversations_members(channel="C0HELP"))["members"]
    for channel in ("U0OPS", "D0OPS"):
        with pytest.raises(SlackApiError, match="user_disabled"):
            await slack.chat_postMessage(channel=channel, text="a card")
    with pytest.raises(SlackApiError, match="user_disabled"):
        await slack.conversations_open(users="U0OPS")
    with pytest.raises(SlackApiError, match="user_not_in_channel"):
        await slack.chat_postEphemeral(channel="C0HELP", user="U0OPS", text="psst")
    status, answer = await people.answer("/human/say", {"user": "U0OPS", "channel": "C0HELP", "text": "a"})
    assert (status, answer["error"]) == (400, "account_inactive")
    await people("reactivate", who="U0OPS")
    await slack.chat_postMessage(channel="U0OPS", text="a card")


async def test_a_bot_takes_no_direct_messages(slack: AsyncWebClient) -> None:
    """Neither by its name as a channel nor by conversations.open."""
    with pytest.raises(SlackApiError, match="cannot_dm_bot"):
        await slack.chat_postMessage(channel="U0ALERTS", text="a")
    with pytest.raises(SlackApiError, match="cannot_dm_bot"):
        await slack.conversations_open(users="U0ALERTS")


async def test_people_teams_and_shared_channels_outlive_a_restart(tmp_path: Path, people_of: type[People]) -> None:
    """With a data file the second company is still there."""
    file = tmp_path / "workspace.ndjson"
    first = await Sandbox.start(data=file)
    async with aiohttp.ClientSession(first.url) as http:
        people = people_of(http)
        team = (await people("team", name="Acme"))["id"]
        rosa = (await people("person", name="Rosa", team=team))["id"]
        await people("share", channel="C0HELP", team=team)
        await people("invite", user="U0ANA", channel="C0HELP", who=rosa)
        await people("deactivate", who="U0OPS")
    await first.close()
    second = await Sandbox.start(data=file)
    async with aiohttp.ClientSession(second.url) as http:
        people = people_of(http)
        assert (await people("say", user=rosa, channel="C0HELP", text="still here"))["ok"]
        assert (await people.answer("/human/say", {"user": "U0OPS", "channel": "C0HELP", "text": "a"}))[0] == 400
    await second.close()


@pytest.mark.parametrize(
    ("act", "body", "error"),
    [
        ("person", {"name": "Ana"}, "name_taken"),
        ("person", {"name": "Max", "role": "king"}, "invalid_role"),
        ("person", {"name": "Max", "team": "T0NOWHERE"}, "team_not_found"),
        ("person", {"name": 7}, "not_a_text: name"),
        ("team", {"name": "Sis", "sister": True}, "no_enterprise_grid"),
        ("share", {"channel": "C0SHARED", "team": "T0PARTNER"}, "already_shared"),
        ("deactivate", {"who": "U0TRIAGE"}, "user_is_a_bot"),
    ],
)
async def test_what_cannot_be_administered(people: People, act: str, body: Any, error: str) -> None:
    """Each refusal names its reason."""
    status, answer = await people.answer(f"/human/{act}", body)
    assert (status >= 400, answer["error"]) == (True, error)
