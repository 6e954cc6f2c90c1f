"""What outlives the end of a workspace that keeps a file."""

from pathlib import Path
from typing import Any

import aiohttp
import pytest
from slack_sdk.web.async_client import AsyncWebClient

from sandbox.record import UnreadableRecord
from sandbox.seed import APP_TOKEN, BOT_TOKEN
from sandbox.server import Sandbox


async def _say(workspace: Sandbox, **body: str) -> str:
    async with aiohttp.ClientSession(workspace.url) as session:
        answer = await session.post("/human/say", json={"user": "U0ANA", "channel": "C0HELP", **body})
        ts: str = (await answer.json())["ts"]
        return ts


async def _seen(workspace: Sandbox) -> dict[str, Any]:
    async with aiohttp.ClientSession(workspace.url) as session:
        view: dict[str, Any] = await (await session.get("/human/view", params={"user": "U0ANA"})).json()
        return view


async def test_everything_said_outlives_a_restart(tmp_path: Path) -> None:
    """Messages, threads, edits, reactions and deletions are as they were; new ts go on rising."""
    kept = tmp_path / "workspace.ndjson"
    first = await Sandbox.start(data=kept, clock=lambda: 2_000_000_000.0)
    slack = AsyncWebClient(token=BOT_TOKEN, base_url=first.api_url)
    root = await _say(first, text="question")
    gone = await _say(first, text="oops")
    metadata = {"event_type": "a", "event_payload": {"b": 1}}
    reply = await slack.chat_postMessage(channel="C0HELP", text="answr", thread_ts=root, metadata=metadata)
    await slack.chat_update(channel="C0HELP", ts=reply["ts"], text="answer")
    await slack.reactions_add(channel="C0HELP", timestamp=root, name="eyes")
    async with aiohttp.ClientSession(first.url) as session:
        await session.post("/human/delete", json={"user": "U0ANA", "channel": "C0HELP", "ts": gone})
    before = await _seen(first)
    await first.close()

    second = await Sandbox.start(data=kept, clock=lambda: 1_000_000_000.0)
    assert await _seen(second) == before
    assert await _say(second, text="later") > reply["ts"]
    await second.close()


async def test_a_torn_last_line_is_cut_off(tmp_path: Path) -> None:
    """A workspace killed while it wrote starts again with all the whole lines."""
    kept = tmp_path / "workspace.ndjson"
    first = await Sandbox.start(data=kept)
    await _say(first, text="whole")
    await first.close()
    with kept.open("ab") as file:
        file.write(b'{"put":{"channel":"C0H')
    second = await Sandbox.start(data=kept)
    await _say(second, text="after")
    await second.close()
    third = await Sandbox.start(data=kept)
    messages = (await _seen(third))["channels"][0]["messages"]
    assert [message["text"] for message in messages] == ["whole", "after"]
    await third.close()


@pytest.mark.parametrize("text", ["dear diary\n", "dear diary", '{"name": "app"}\n', '{"name": "app"}', "[]\n", "\n"])
async def test_a_foreign_file_is_refused(tmp_path: Path, text: str) -> None:
    """A file of something else is named, and left as it is."""
    kept = tmp_path / "notes.txt"
    kept.write_text(text)
    with pytest.raises(UnreadableRecord, match=r"notes\.txt"):
        await Sandbox.start(data=kept)
    assert kept.read_text() == text


@pytest.mark.parametrize("torn", ["{", '{"pu', '{"put":{"channel":"C0H', '{"settled":"ab'])
async def test_a_torn_beginning_is_cut_off(tmp_path: Path, torn: str) -> None:
    """However little of the last line was written, the rest of the file is good."""
    kept = tmp_path / "workspace.ndjson"
    kept.write_text(torn)
    workspace = await Sandbox.start(data=kept)
    assert kept.read_text() == ""
    await workspace.close()


async def test_undelivered_events_survive_a_restart(tmp_path: Path) -> None:
    """What was said while the app was away is delivered by the workspace's next run."""
    kept = tmp_path / "workspace.ndjson"
    first = await Sandbox.start(data=kept)
    async with aiohttp.ClientSession(first.url) as session:
        await session.post("/human/say", json={"user": "U0ANA", "channel": "C0HELP", "text": "hi"})
    await first.close()
    second = await Sandbox.start(data=kept)
    url = (await AsyncWebClient(base_url=second.api_url).apps_connections_open(app_token=APP_TOKEN))["url"]
    async with aiohttp.ClientSession() as session, session.ws_connect(url) as socket:
        await socket.receive_json()
        frame = await socket.receive_json()
        assert frame["payload"]["event"]["text"] == "hi"
        await socket.send_json({"envelope_id": frame["envelope_id"]})
        await socket.close()
    await second.close()
    assert kept.read_text().splitlines()[-1] == f'{{"settled":"{frame["envelope_id"]}"}}'


async def test_channels_and_homes_outlive_a_restart(tmp_path: Path) -> None:
    """Who is in which channel, what is archived, and what stands on a Home."""
    kept = tmp_path / "workspace.ndjson"
    first = await Sandbox.start(data=kept)
    slack = AsyncWebClient(token=BOT_TOKEN, base_url=first.api_url)
    room = (await slack.conversations_create(name="room"))["channel"]["id"]
    old = (await slack.conversations_create(name="old"))["channel"]["id"]
    await slack.conversations_archive(channel=old)
    await slack.views_publish(user_id="U0ANA", view={"type": "home", "blocks": [{"type": "divider"}]})
    async with aiohttp.ClientSession(first.url) as session:
        await session.post("/human/join", json={"user": "U0ANA", "channel": room})
    before = await _seen(first)
    await first.close()

    second = await Sandbox.start(data=kept)
    slack = AsyncWebClient(token=BOT_TOKEN, base_url=second.api_url)
    assert await _seen(second) == before
    assert (await slack.conversations_members(channel=room))["members"] == ["U0TRIAGE", "U0ANA"]
    assert (await slack.conversations_info(channel=old))["channel"]["is_archived"] is True
    await second.close()
