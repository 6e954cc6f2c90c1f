"""A home after a day of use: each file stands in the data map, none has words of channels that are not watched."""

from __future__ import annotations

import gzip
import re
from fnmatch import fnmatch
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from bot.adapters.home import Home
from bot.adapters.purge import purge
from bot.models.purge_criterion import Criterion
from tests.line.agents import QUESTION, agents
from tests.line.human import until
from tests.line.play import Play

if TYPE_CHECKING:
    from tests.line.conftest import Line

MAP = Path(__file__).resolve().parents[2] / "docs" / "security.md"
WORD = "zebrafinch"


def rows() -> dict[str, list[str]]:
    """The data map: the other cells by pattern."""
    _, _, text = MAP.read_text().partition("**Kept in the home**")
    table = [line for line in text.partition("\n## ")[0].splitlines() if line.startswith("| `")]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in table]
    return {pattern: rest for first, *rest in cells for pattern in re.findall(r"`([^`]+)`", first)}


def files(home: Path) -> list[Path]:
    """All that lies in a home."""
    return [path for path in home.rglob("*") if not path.is_dir()]


def holding(home: Path, word: str) -> list[str]:
    """The files in which a word stands, also where they are packed."""
    found = []
    for path in files(home):
        if path.is_file():
            content = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
            found += [str(path.relative_to(home))] if word.encode() in content.lower() else []
    return found


async def elsewhere(line: Line) -> str:
    """Everything that people and bots do among themselves in a channel that is not watched; the answer is its id."""
    channel = await line.ana.makes_channel("birds", "U0OPS", "U0TRIAGE", is_private=False)
    root = await line.ana.say(f"a {WORD}: how often is it fed?", channel=channel)
    reply = await line.olu.say(f"the {WORD} eats twice", channel=channel, thread_ts=root)
    section = {"type": "section", "text": {"type": "mrkdwn", "text": WORD}}
    shared = {"text": WORD, "fallback": WORD, "is_msg_unfurl": True, "author_name": WORD}
    snippet = {"id": "F0BIRD", "name": f"{WORD}.txt", "mode": "snippet", "preview": WORD, "mimetype": "text/plain"}
    await line.ana.sends(channel=channel, blocks=[section])
    await line.ana.sends(channel=channel, attachments=[shared])
    await line.ana.sends(channel=channel, files=[snippet])
    for call, said in (
        ("edit", {"ts": root, "text": f"two of {WORD}"}),
        ("react", {"ts": root, "name": WORD}),
        ("delete", {"ts": root}),
    ):
        await line.ana._call(call, channel=channel, **said)
    await line.ada._call("join", channel=channel)
    await line.olu._call("edit", channel=channel, ts=reply, text=f"{WORD} again")
    asked = await line.ana.say("<@U0TRIAGE> how often is a payment tried again?", channel=channel, thread_ts=root)
    events = line.home / "events.ndjson"
    await until(lambda: asked in events.read_text())
    return channel


async def day(line: Line) -> None:
    """Questions, presses, dialogs, commands, a note, a talk, and a restart."""
    play: Any = Play()
    more = "admins: [U0ADMIN]"
    async with agents(line, play, more=more):
        asked = await line.ana.say(QUESTION)
        await line.olu.press("approve", await line.olu.card("Three times", '"approve"'))
        (reply,) = await line.ana.replies(asked)
        await line.ana.thumb("up", reply)
        await line.ana.say("where is an order cancelled?")
        await line.olu.dismiss(await line.olu.card("where is an order cancelled?", '"approve"'))
        await line.ada.command('write_note project=shop title="Desk" content="opens at nine"')
        await line.ada.command("delete_note project=shop name=desk")
        await line.ada.command("allow 1")
        await line.ada.command("pause")
        await line.ada.command("resume")
        await line.ada.say("@Triage status", channel="D0ADMIN")
        await elsewhere(line)
    async with line.bot(more=more):
        await line.ana.say("how is an order cancelled?")
        await line.olu.card("how is an order cancelled?")


def missing(names: list[str]) -> list[str]:
    """Those of them that no row of the map is about; each of its rows says what is kept, how long, and how it goes."""
    known = rows()
    assert all(len(cells) == 3 and all(cells) for cells in known.values())
    return [name for name in names if not any(fnmatch(name, pattern) for pattern in known)]


def test_each_path_that_a_home_knows_stands_in_the_map(tmp_path: Path) -> None:
    """Files, and what lies in its folders."""
    home = Home(tmp_path / "home")
    paths = [path for path in vars(home).values() if isinstance(path, Path) and path != home.path]
    folders = {home.state, home.sessions, home.tasks, home.notes, home.conversations, home.evaluations, home.indexes}
    folders |= {home.escalations, home.runbooks, home.command_runs, home.fixes}
    assert len(paths) > 20
    assert missing([f"{path.name}/x/y.json" if path in folders else path.name for path in paths]) == []


async def test_no_word_of_a_channel_that_is_not_watched_is_kept(line: Line) -> None:
    """In no file of the home, though the bot is mentioned below it; what was said to the bot is."""
    async with line.bot():
        await elsewhere(line)
    names = [str(path.relative_to(line.home)) for path in files(line.home)]
    assert missing(names) == []
    assert holding(line.home, WORD) == []
    assert holding(line.home, "payment tried again")


@pytest.mark.long
async def test_each_file_of_a_home_stands_in_the_map_after_a_day_of_use(line: Line) -> None:
    """No word of other channels in any; a purge of a channel leaves no word that was said there."""
    await day(line)
    known = rows()
    names = [str(path.relative_to(line.home)) for path in files(line.home)]
    assert missing(names) == []
    assert len({pattern for pattern in known for name in names if fnmatch(name, pattern)}) > 12
    assert holding(line.home, WORD) == []
    assert holding(line.home, "payment tried again")
    purge(line.home, Criterion(channel="C0HELP"), really=True)
    left = [name for name in holding(line.home, "order cancelled") if name != "system.ndjson"]
    assert left == []
