"""Slack exports and events files as they lie on disk, whole and broken."""

from __future__ import annotations

import gzip
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from bot.adapters import event_lines, slack_export
from bot.adapters.event_lines import EventLines
from bot.adapters.slack_export import SlackExport
from bot.errors import Unreadable

CHANNELS = [{"id": "C0HELP", "name": "help"}, {"id": "C0OPS", "name": "ops"}]
USERS = [{"id": "U1"}, {"id": "U9", "is_bot": True}]


def says(text: str, ts: str = "1767603600.000001", **more: Any) -> dict[str, Any]:
    """A message as an export holds it: without its channel."""
    return {"type": "message", "user": "U1", "text": text, "ts": ts, **more}


def contents(**days: list[Any]) -> dict[str, str]:
    """The files of an export; `help=[…]` is one day of #help."""
    files: dict[str, Any] = {"channels.json": CHANNELS, "users.json": USERS}
    files |= {f"{channel}/2026-01-05.json": messages for channel, messages in days.items()}
    return {name: json.dumps(content) for name, content in files.items()}


def zipped(path: Path, files: dict[str, str], top: str = "") -> Path:
    """A zip of these files."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(top + name, content)
    return path


def folder(path: Path, files: dict[str, str]) -> Path:
    """A folder of these files."""
    for name, content in files.items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_text(content)
    return path


DAY = contents(
    help=[
        says("later", "1767603700.000001"),
        says("why &amp; how?"),
        says("at once", "1767603800.000001", thread_ts="1767603600.000001", user="U2"),
        says("joined", "1767603900.000001", subtype="channel_join"),
        says("built", "1767604000.000001", user="U9"),
        says("hooked", "1767604100.000001", subtype="bot_message", bot_id="B1", user=None),
    ],
    ops=[says("up")],
)


@pytest.mark.parametrize("top", ["", "acme export/"])
def test_a_zip_and_its_folder_hold_the_same(tmp_path: Path, top: str) -> None:
    """Channels in turn, messages in time; also where the export was packed with a folder around it."""
    found = list(SlackExport(zipped(tmp_path / "e.zip", DAY, top)))
    assert found == list(SlackExport(folder(tmp_path / "e", DAY)))
    texts = [message.text if message else None for message in found]
    assert texts == ["why & how?", "later", "at once", None, "built", "hooked", "up"]
    first, later, reply = (message for message in found[:3] if message)
    assert (first.channel, first.channel_name, first.sender) == ("C0HELP", "help", "U1")
    assert reply.home == first.home != later.home
    assert [message.by_bot for message in found if message] == [False, False, False, True, True, False]


def test_direct_messages_are_left_alone(tmp_path: Path) -> None:
    """Their folders are no channel's."""
    files = contents(help=[says("why?")], D0PRIVATE=[says("a secret")])
    assert [message.text for message in SlackExport(folder(tmp_path, files)) if message] == ["why?"]


def test_a_broken_day_is_named_and_the_rest_is_read(tmp_path: Path) -> None:
    """Whatever is wrong with it."""
    files = contents(help=[says("why?"), {"text": 5, "ts": "1.1"}, 7, says("ok", "1767603700.1")])
    files |= {"ops/2026-01-05.json": "{", "ops/2026-01-06.json": '{"a": 1}', "ops/2026-01-07.json": "[" * 100_000}
    export = SlackExport(folder(tmp_path, files))
    assert [message.text for message in export if message] == ["why?", "ok"]
    assert len(export.unread) == 4
    assert export.unread[1].startswith("ops/2026-01-05.json: ")


def test_a_bomb_is_not_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that is far too large is passed over, an archive that is ends it; both while reading."""
    files = contents(help=[says("why?")]) | {"ops/2026-01-05.json": "[" + " " * 2_000_000 + "]"}
    path = zipped(tmp_path / "e.zip", files)
    assert path.stat().st_size < 10_000
    monkeypatch.setattr(slack_export, "MAX_FILE", 1_000_000)
    export = SlackExport(path)
    assert [message.text for message in export if message] == ["why?"]
    assert "expected at most 1,000,000 bytes" in export.unread[0]
    monkeypatch.setattr(slack_export, "MAX_TOTAL", 500_000)
    with pytest.raises(Unreadable, match="unpacked"):
        list(SlackExport(path))


def test_a_link_in_a_folder_is_not_followed(tmp_path: Path) -> None:
    """It may lead anywhere."""
    (tmp_path / "elsewhere.json").write_text(json.dumps([says("elsewhere")]))
    path = folder(tmp_path / "e", contents(help=[says("why?")]))
    (path / "help" / "2026-01-06.json").symlink_to(tmp_path / "elsewhere.json")
    assert [message.text for message in SlackExport(path) if message] == ["why?"]


@pytest.mark.parametrize("content", [b"PK\x03\x04 no zip", b"", b"PK\x05\x06" + b"\x00" * 18])
def test_what_is_no_export_is_said(tmp_path: Path, content: bytes) -> None:
    """A broken archive, an empty file, an archive without a day in it."""
    path = tmp_path / "e.zip"
    path.write_bytes(content)
    with pytest.raises(Unreadable, match="expected a Slack export"):
        SlackExport(path)


@pytest.mark.parametrize("packed", [False, True])
def test_an_events_file_is_read_line_by_line(tmp_path: Path, packed: bool) -> None:
    """Packed or not; edits say again what was said, a line that is none is named."""
    lines = [
        '\ufeff{"text": "why?"}',
        "",
        "not json",
        '{"kind": "press"}',
        '{"kind": "edit", "content": "why so?"}',
        '{"content": "ok"}\r',
        "[]",
    ]
    content = "\n".join(lines).encode()
    path = tmp_path / "events"
    path.write_bytes(gzip.compress(content) if packed else content)
    source = EventLines(path)
    assert [message.text if message else None for message in source] == ["why?", None, "ok"]
    assert [problem.split(":")[0] for problem in source.unread] == ["line 3", "line 7"]
    assert source.done == source.size


def test_an_events_file_that_breaks_off_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Half an archive, and one that unpacks to far too much."""
    path = tmp_path / "events.gz"
    whole = gzip.compress(b'{"text": "why?"}\n' * 10_000)
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(Unreadable, match="after line"):
        list(EventLines(path))
    path.write_bytes(whole)
    monkeypatch.setattr(event_lines, "MAX_TOTAL", 50_000)
    with pytest.raises(Unreadable, match="at most 50,000 bytes"):
        list(EventLines(path))
