"""Dialogs: from the press that opens one to its submission, and the triggers that allow it."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from tests.sandbox.conftest import Bot, Clock, Line, People

VIEW_TITLE = {"type": "plain_text", "text": "T"}


async def test_from_button_to_dialog_to_submission(
    people: People, slack: AsyncWebClient, bot: Bot, buttons: Callable[..., list[dict[str, Any]]], modal: dict[str, Any]
) -> None:
    """A press opens a dialog; errors keep it open; success closes it, and untouched inputs keep their value."""
    bot.dialog = modal
    await slack.chat_postMessage(channel="C0HELP", text="card", blocks=buttons(edit="d1"))
    await people("press", user="U0ANA", action_id="edit")
    (view,) = (await people.view())["views"]
    assert view["private_metadata"] == '{"draft": "d1"}'
    assert (await people.view("U0OPS"))["views"] == []

    bot.submission = {"response_action": "errors", "errors": {"reply": "Too short"}}
    values = {"reply": {"text": "no"}}
    refused = await people("submit", user="U0ANA", view_id=view["id"], values=values)
    assert refused == {"ok": False, "error": "validation_errors", "errors": {"reply": "Too short"}}
    assert (await people.view())["views"]

    bot.submission = {}
    assert await people("submit", user="U0ANA", view_id=view["id"], values={"why": {"pick": "tone"}}) == {"ok": True}
    assert (await people.view())["views"] == []
    first, second = (body["view"]["state"]["values"] for body in bot.bodies if body["type"] == "view_submission")
    assert first["reply"] == {"text": {"type": "plain_text_input", "value": "no"}}
    assert first["why"] == {"pick": {"type": "static_select", "selected_option": None}}
    assert second["reply"]["text"]["value"] == "as it was"
    assert second["why"]["pick"]["selected_option"]["value"] == "tone"


async def test_slack_itself_asks_for_what_is_required(
    people: People, slack: AsyncWebClient, bot: Bot, buttons: Callable[..., list[dict[str, Any]]], modal: dict[str, Any]
) -> None:
    """An emptied required input never reaches the app; an unknown input is a mistake of the caller."""
    bot.dialog = modal
    await slack.chat_postMessage(channel="C0HELP", text="card", blocks=buttons(edit="d1"))
    await people("press", user="U0ANA", action_id="edit")
    (view,) = (await people.view())["views"]
    empty = await people("submit", user="U0ANA", view_id=view["id"], values={"reply": {"text": ""}})
    assert empty["errors"] == {"reply": "Please complete this required field."}
    body = {"user": "U0ANA", "view_id": view["id"], "values": {"typo": {}}}
    assert (await people.answer("/human/submit", body))[1]["error"] == "no_such_input"
    assert not [body for body in bot.bodies if body["type"] == "view_submission"]


async def test_a_submission_can_change_or_clear_the_dialogs(
    people: People, slack: AsyncWebClient, bot: Bot, buttons: Callable[..., list[dict[str, Any]]], modal: dict[str, Any]
) -> None:
    """update replaces the view, push lays one above it, clear closes them all."""
    bot.dialog = modal
    await slack.chat_postMessage(channel="C0HELP", text="card", blocks=buttons(edit="d1"))
    await people("press", user="U0ANA", action_id="edit")
    (first,) = (await people.view())["views"]
    bot.submission = {"response_action": "update", "view": {**modal, "title": VIEW_TITLE}}
    await people("submit", user="U0ANA", view_id=first["id"], values={})
    (updated,) = (await people.view())["views"]
    assert (updated["id"], updated["title"]["text"]) == (first["id"], "T")
    assert updated["hash"] != first["hash"]
    bot.submission = {"response_action": "push", "view": modal}
    await people("submit", user="U0ANA", view_id=first["id"], values={})
    above = (await people.view())["views"][-1]
    assert (above["previous_view_id"], above["root_view_id"]) == (first["id"], first["id"])
    bot.submission = {"response_action": "clear"}
    await people("submit", user="U0ANA", view_id=above["id"], values={})
    assert (await people.view())["views"] == []


@pytest.mark.hasty
async def test_a_submission_nobody_acknowledges_keeps_the_dialog(
    people: People,
    slack: AsyncWebClient,
    line: Line,
    buttons: Callable[..., list[dict[str, Any]]],
    modal: dict[str, Any],
) -> None:
    """The person is told that the app did not answer, and can try again."""
    await slack.chat_postMessage(channel="C0HELP", text="card", blocks=buttons(edit="d1"))
    pressing = asyncio.create_task(people("press", user="U0ANA", action_id="edit"))
    payloads = [await line.payload(), await line.payload()]
    await pressing
    trigger = next(each["trigger_id"] for each in payloads if "trigger_id" in each)
    view = (await slack.views_open(trigger_id=trigger, view=modal))["view"]
    answer = await people("submit", user="U0ANA", view_id=view["id"], values={})
    assert answer == {"ok": False, "error": "operation_timeout"}
    assert (await people.view())["views"]


async def test_closing_a_dialog_is_told_when_the_app_asked_for_it(
    people: People, slack: AsyncWebClient, bot: Bot, buttons: Callable[..., list[dict[str, Any]]], modal: dict[str, Any]
) -> None:
    """view_closed is only sent with notify_on_close."""
    await slack.chat_postMessage(channel="C0HELP", text="card", blocks=buttons(edit="d1"))
    for notify in (False, True):
        bot.dialog = {**modal, "notify_on_close": notify}
        await people("press", user="U0ANA", action_id="edit")
        (view,) = (await people.view())["views"]
        closing = asyncio.create_task(people("close", user="U0ANA", view_id=view["id"]))
        if notify:
            await bot.until(lambda body: body["type"] == "view_closed")
        assert await closing == {"ok": True}
        assert (await people.view())["views"] == []
    assert len([body for body in bot.bodies if body["type"] == "view_closed"]) == 1


async def _trigger(people: People, line: Line) -> str:
    asking = asyncio.create_task(people("command", user="U0ANA", channel="C0HELP", command="/triage"))
    payload = await line.payload()
    await asking
    trigger_id: str = payload["trigger_id"]
    return trigger_id


async def test_a_trigger_opens_one_dialog(
    people: People, slack: AsyncWebClient, line: Line, modal: dict[str, Any]
) -> None:
    """The second use of a trigger_id is refused."""
    trigger = await _trigger(people, line)
    await slack.views_open(trigger_id=trigger, view=modal)
    with pytest.raises(SlackApiError, match="exchanged_trigger_id"):
        await slack.views_open(trigger_id=trigger, view=modal)


async def test_a_trigger_lives_three_seconds(
    people: People, slack: AsyncWebClient, line: Line, clock: Clock, modal: dict[str, Any]
) -> None:
    """A dialog comes in time or not at all."""
    in_time, late = await _trigger(people, line), await _trigger(people, line)
    clock.now += 3
    await slack.views_open(trigger_id=in_time, view=modal)
    clock.now += 0.1
    with pytest.raises(SlackApiError, match="expired_trigger_id"):
        await slack.views_open(trigger_id=late, view=modal)


async def test_a_faulty_dialog_does_not_use_its_trigger_up(
    people: People, slack: AsyncWebClient, line: Line, modal: dict[str, Any]
) -> None:
    """An app that mends its view immediately can still open it."""
    trigger = await _trigger(people, line)
    with pytest.raises(SlackApiError, match="invalid_arguments"):
        await slack.views_open(trigger_id=trigger, view={**modal, "submit": None})
    assert (await slack.views_open(trigger_id=trigger, view=modal))["view"]["callback_id"] == "edit"


async def test_an_outdated_update_of_a_view_conflicts(
    people: People, slack: AsyncWebClient, line: Line, modal: dict[str, Any]
) -> None:
    """views.update with the hash of an older version is refused."""
    view = (await slack.views_open(trigger_id=await _trigger(people, line), view=modal))["view"]
    await slack.views_update(view_id=view["id"], hash=view["hash"], view={**modal, "title": VIEW_TITLE})
    with pytest.raises(SlackApiError, match="hash_conflict"):
        await slack.views_update(view_id=view["id"], hash=view["hash"], view=modal)


async def test_three_dialogs_lie_on_each_other(
    people: People, slack: AsyncWebClient, line: Line, modal: dict[str, Any]
) -> None:
    """A fourth is refused, by views.push and by an answer alike."""
    views = [(await slack.views_open(trigger_id=await _trigger(people, line), view=modal))["view"]]
    for _ in range(2):
        views.append((await slack.views_push(trigger_id=await _trigger(people, line), view=modal))["view"])
    assert [view["previous_view_id"] for view in views] == [None, views[0]["id"], views[1]["id"]]
    assert {view["root_view_id"] for view in views} == {views[0]["id"]}
    with pytest.raises(SlackApiError, match="push_limit_reached"):
        await slack.views_push(trigger_id=await _trigger(people, line), view=modal)
    submitting = asyncio.create_task(people("submit", user="U0ANA", view_id=views[2]["id"], values={}))
    await line.ack(await line.frame(), {"response_action": "push", "view": modal})
    assert (await submitting)["messages"] == ["push_limit_reached"]
    await people("close", user="U0ANA", view_id=views[2]["id"])
    assert [view["id"] for view in (await people.view())["views"]] == [view["id"] for view in views[:2]]


async def test_nothing_to_push_on(slack: AsyncWebClient, people: People, line: Line, modal: dict[str, Any]) -> None:
    """views.push needs a dialog to lie on."""
    with pytest.raises(SlackApiError, match="not_found"):
        await slack.views_push(trigger_id=await _trigger(people, line), view=modal)


async def test_closing_all_is_told_to_each(
    people: People, slack: AsyncWebClient, line: Line, modal: dict[str, Any]
) -> None:
    """view_closed with is_cleared for each that asked for it, the topmost first."""
    told = {**modal, "notify_on_close": True}
    first = (await slack.views_open(trigger_id=await _trigger(people, line), view=told))["view"]
    second = (await slack.views_push(trigger_id=await _trigger(people, line), view=told))["view"]
    closing = asyncio.create_task(people("close", user="U0ANA", view_id=second["id"], clear=True))
    heard = [await line.payload(), await line.payload()]
    assert await closing == {"ok": True}
    assert [each["view"]["id"] for each in heard] == [second["id"], first["id"]]
    assert all(each["is_cleared"] for each in heard)


async def test_a_dialog_is_found_by_the_apps_own_name(
    people: People, slack: AsyncWebClient, line: Line, modal: dict[str, Any]
) -> None:
    """external_id is unique, and good for views.update."""
    named = {**modal, "external_id": "draft-1"}
    await slack.views_open(trigger_id=await _trigger(people, line), view=named)
    updated = await slack.views_update(external_id="draft-1", view={**named, "title": VIEW_TITLE})
    assert updated["view"]["title"]["text"] == "T"
    with pytest.raises(SlackApiError, match="duplicate_external_id"):
        await slack.views_open(trigger_id=await _trigger(people, line), view=named)


async def test_a_faulty_answer_to_a_submission_is_explained(
    people: People, slack: AsyncWebClient, line: Line, modal: dict[str, Any]
) -> None:
    """The dialog stays, and the app's developer reads what was wrong."""
    view = (await slack.views_open(trigger_id=await _trigger(people, line), view=modal))["view"]
    submitting = asyncio.create_task(people("submit", user="U0ANA", view_id=view["id"], values={}))
    await line.ack(await line.frame(), {"response_action": "update", "view": {"type": "modal"}})
    answer = await submitting
    assert (answer["ok"], answer["error"]) == (False, "invalid_response")
    assert "invalid_arguments" in answer["messages"]
    assert (await people.view())["views"]


async def test_the_home_is_published_seen_and_pressed(
    people: People, slack: AsyncWebClient, bot: Bot, buttons: Callable[..., list[dict[str, Any]]]
) -> None:
    """One view for each person; a press on it names the view, and the hash guards it against races."""
    view = {"type": "home", "blocks": buttons(stop="d1")}
    first = (await slack.views_publish(user_id="U0ANA", view=view))["view"]
    assert (await people.view())["home"]["id"] == first["id"]
    assert (await people.view("U0OPS"))["home"] is None
    await people("press", user="U0ANA", action_id="stop", view_id=first["id"])
    body = await bot.until(lambda body: body.get("type") == "block_actions")
    assert (body["container"]["view_id"], body["view"]["type"]) == (first["id"], "home")
    second = (await slack.views_publish(user_id="U0ANA", view=view, hash=first["hash"]))["view"]
    assert (second["id"], second["hash"] != first["hash"]) == (first["id"], True)
    with pytest.raises(SlackApiError, match="hash_conflict"):
        await slack.views_publish(user_id="U0ANA", view=view, hash=first["hash"])
    await slack.views_update(view_id=first["id"], view={"type": "home", "blocks": []})
    assert (await people.view())["home"]["blocks"] == []


@pytest.mark.parametrize("given", [{"text": "ab"}, {"text": "a" * 11}])
async def test_slack_itself_minds_the_length(
    people: People,
    slack: AsyncWebClient,
    bot: Bot,
    buttons: Callable[..., list[dict[str, Any]]],
    modal: dict[str, Any],
    given: Any,
) -> None:
    """min_length and max_length are checked before the app hears of it."""
    modal["blocks"][0]["element"] |= {"min_length": 3, "max_length": 10}
    bot.dialog = modal
    await slack.chat_postMessage(channel="C0HELP", text="card", blocks=buttons(edit="d1"))
    await people("press", user="U0ANA", action_id="edit")
    (view,) = (await people.view())["views"]
    answer = await people("submit", user="U0ANA", view_id=view["id"], values={"reply": given})
    assert "reply" in answer["errors"]
