"""Files: uploaded by the app and by people, shared, read and shown."""

import aiohttp
import pytest
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from sandbox.seed import BOT_TOKEN
from sandbox.server import Sandbox
from tests.sandbox.conftest import Line, People

TEXT = "\n".join(f"line {number}" for number in range(8))
TOKEN = {"Authorization": f"Bearer {BOT_TOKEN}"}


async def test_the_app_uploads_a_file(people: People, slack: AsyncWebClient, line: Line) -> None:
    """As the SDK does it in three steps: the message carries the file, the app hears of both."""
    answer = await slack.files_upload_v2(
        channel="C0HELP", filename="trace.txt", content=TEXT, title="The trace", initial_comment="look"
    )
    shape = answer["file"]
    assert (shape["name"], shape["title"], shape["size"], shape["mode"]) == (
        "trace.txt",
        "The trace",
        len(TEXT),
        "hosted",
    )
    message, shared = await line.event(), await line.event()
    assert (message["subtype"], message["text"], message["files"][0]["id"]) == ("file_share", "look", shape["id"])
    assert (shared["type"], shared["file_id"], shared["channel_id"]) == ("file_shared", shape["id"], "C0HELP")
    (shown,) = await people.channel()
    assert shown["files"][0]["preview"] == "\n".join(TEXT.splitlines()[:5])
    assert (shown["files"][0]["lines_more"], shown["files"][0]["preview_is_truncated"]) == (3, True)


async def test_a_snippet(slack: AsyncWebClient) -> None:
    """With a type of its own it can be edited in Slack."""
    answer = await slack.files_upload_v2(channel="C0HELP", filename="a.py", content="x = 1", snippet_type="python")
    assert (answer["file"]["mode"], answer["file"]["filetype"], answer["file"]["editable"]) == (
        "snippet",
        "python",
        True,
    )


async def test_a_person_shares_a_file_and_the_app_reads_it(people: People, slack: AsyncWebClient, line: Line) -> None:
    """files.info tells its address, which opens with the token and without it leads to the page."""
    file = (await people("upload", user="U0ANA", channel="C0HELP", name="app.log", content=TEXT, text="why?"))["file"]
    event = await line.event()
    assert (event["user"], event["files"][0]["url_private"].endswith("/app.log")) == ("U0ANA", True)
    shape = (await slack.files_info(file=file))["file"]
    assert shape["channels"] == ["C0HELP"]
    async with people.session.get(shape["url_private_download"], headers=TOKEN) as answer:
        assert (answer.status, await answer.text()) == (200, TEXT)
    async with people.session.get(shape["url_private"], allow_redirects=False) as answer:
        assert answer.status == 302
    async with people.session.get(shape["url_private"], params={"user": "U0OPS"}) as answer:
        assert await answer.text() == TEXT
    assert [each["id"] for each in (await slack.files_list(channel="C0HELP"))["files"]] == [file]


async def test_a_file_of_a_channel_without_the_bot(people: People, slack: AsyncWebClient) -> None:
    """It is no file of the app's."""
    channel = (await people("channel", user="U0ANA", name="quiet"))["channel"]
    file = (await people("upload", user="U0ANA", channel=channel, name="a.txt", content="a"))["file"]
    with pytest.raises(SlackApiError, match="file_not_found"):
        await slack.files_info(file=file)


async def test_only_what_was_announced_is_taken(people: People, slack: AsyncWebClient) -> None:
    """The address serves once, and for as many bytes as were announced."""
    announced = await slack.files_getUploadURLExternal(filename="a.txt", length=3)
    for body, status in ((b"four", 400), (b"abc", 404)):
        async with people.session.post(announced["upload_url"], data=body) as answer:
            assert answer.status == status
    with pytest.raises(SlackApiError, match="file_not_found"):
        await slack.files_completeUploadExternal(files=[{"id": announced["file_id"]}], channel_id="C0HELP")


async def test_the_app_takes_its_file_back(people: People, slack: AsyncWebClient) -> None:
    """Its own, and nobody else's."""
    own = (await slack.files_upload_v2(channel="C0HELP", filename="a.txt", content="abc"))["file"]["id"]
    await slack.files_delete(file=own)
    with pytest.raises(SlackApiError, match="file_not_found"):
        await slack.files_info(file=own)
    anas = (await people("upload", user="U0ANA", channel="C0HELP", name="b.txt", content="b"))["file"]
    with pytest.raises(SlackApiError, match="cant_delete_file"):
        await slack.files_delete(file=anas)


async def test_a_file_in_a_channel_shared_with_another_company(people_of: type[People]) -> None:
    """The event names it and no more: the app must ask files.info."""
    workspace = await Sandbox.start(shared=True)
    slack = AsyncWebClient(token=BOT_TOKEN, base_url=workspace.api_url)
    async with aiohttp.ClientSession(workspace.url) as http:
        people = people_of(http)
        opened = await slack.apps_connections_open(app_token="xapp-sandbox")  # noqa: S106  # the public token
        async with http.ws_connect(opened["url"]) as socket:
            await socket.receive_json()
            file = (await people("upload", user="U0RITA", channel="C0SHARED", name="a.txt", content="a"))["file"]
            event = (await socket.receive_json())["payload"]["event"]
        assert event["files"] == [
            {
                "id": file,
                "mode": "file_access",
                "file_access": "check_file_info",
                "created": 0,
                "timestamp": 0,
                "user": "",
            }
        ]
        assert (await slack.files_info(file=file))["file"]["user_team"] == "T0PARTNER"
    await workspace.close()
