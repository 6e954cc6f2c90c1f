"""Purging: what is taken out leaves no byte in any file, and the rest stays."""

from __future__ import annotations

import asyncio
import gzip
import json
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from bot.adapters.purge import purge_parts
from bot.adapters.sessions import SessionFiles
from bot.adapters.tasks import TaskFolders
from bot.decide.auto_reply.maturity import Maturity, begin_of_week, judge_maturity
from bot.models.judged_draft import JudgedDraft, Pool
from tests.agents.test_ledger import session
from tests.forks import triage
from tests.line.human import Human

if TYPE_CHECKING:
    from tests.line.conftest import Line


WORDS = "is a payment tried again?"


def grep(home: Path, *needles: str) -> list[str]:
    """The files of a home that hold any of these, packed parts included."""
    found = []
    for path in sorted(p for p in home.rglob("*") if p.is_file()):
        content = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        if any(needle.encode() in content or needle in path.name for needle in needles):
            found.append(path.name)
    return found


async def purged(home: Path, *options: str) -> str:
    """Run `triage purge` on a home."""
    done = await asyncio.to_thread(triage, "purge", "--home", str(home), *options)
    assert done.returncode == 0, done.stderr
    return done.stdout


async def story(line: Line) -> tuple[str, str]:
    """Two questions of two people in two channels, answered; a packed part of the journal holds some of it."""
    async with line.bot():
        first = await line.ana.say("how often is a payment tried again?")
        await line.olu.press("approve", await line.olu.card("tried again", '"approve"'))
        await line.olu.card("tried again", "The reply is posted.")
        ada = Human(line.workspace.url, "U0ADMIN")
        await line.olu.shortcut("missed_this", first)
        (reply,) = await line.ana.replies(first)
        for reader in (line.ana, ada):
            await reader.thumb("down", reply)
            await reader.submit(await reader.dialog(), text="how often is a payment tried again?")
        second = await ada.say("how is an order cancelled?", channel="C0GENERAL")
        await line.olu.press("approve", await line.olu.card("cancelled?", '"approve"'))
        await line.olu.card("cancelled?", "The reply is posted.")
    assert {"labels.ndjson", "feedback.ndjson"} <= {path.name for path in line.home.iterdir()}
    events = line.home / "events.ndjson"
    (line.home / "events.20260101T000000000000.ndjson.gz").write_bytes(gzip.compress(events.read_bytes()))
    sessions = SessionFiles(line.home / "sessions")
    for number, thread_id in enumerate((f"T0SANDBOX-C0HELP-{first}", f"T0SANDBOX-C0GENERAL-{second}")):
        await sessions.save(session(number, thread_id=thread_id))
        words = WORDS if number == 0 else "cancelled"
        await TaskFolders(line.home / "tasks").save(thread_id, "investigation.json", {"question": f"how often {words}"})
        run = line.home / "escalations" / thread_id / "earlier" / "20260105T090000-run0"
        run.mkdir(parents=True)
        (run / "transcript.log").write_text(f"question: how often {words}")
        (run / "socket").symlink_to("/nowhere")
    return first, second


@pytest.mark.parametrize("by", ["thread", "channel", "user"])
async def test_what_is_purged_leaves_no_byte(line: Line, by: str) -> None:
    """Neither ids nor words of the first question stand anywhere; the second is whole."""
    first, second = await story(line)
    option = {"thread": f"T0SANDBOX-C0HELP-{first}", "channel": "C0HELP", "user": "U0ANA"}[by]
    counted = await purged(line.home, f"--{by}", option)
    assert counted.startswith("Would purge")
    assert grep(line.home, WORDS) != []
    await purged(line.home, f"--{by}", option, "--yes")
    assert grep(line.home, WORDS, first, *([] if by == "thread" else [option])) == []
    assert f"T0SANDBOX-C0GENERAL-{second}.json" in grep(line.home, second)
    left = sorted(path.name for path in (line.home / "tasks").iterdir())
    assert left[0] == f"T0SANDBOX-C0GENERAL-{second}"  # as tasks were named before they had slugs
    assert [name.startswith("order-cancelled-") for name in left[1:]] == [True]
    assert [path.name for path in (line.home / "escalations").iterdir()] == [f"T0SANDBOX-C0GENERAL-{second}"]
    assert "replies.ndjson" in grep(line.home, "C0GENERAL")
    assert [path.name for path in (line.home / "sessions").iterdir()] == ["20260105T090000-run1.json"]


async def test_age_takes_what_is_old_and_closed(line: Line) -> None:
    """Only two sessions are older than a day; everything is older than no time at all, but for what is still open."""
    await story(line)
    async with line.bot():
        still_open = await line.ana.say("and how often is a refund tried?")
        await line.olu.card("refund tried?", '"dismiss"')
    assert "2 records and 0 threads" in await purged(line.home, "--older-than", "1")  # the sessions, of January
    await purged(line.home, "--older-than", "0", "--yes")
    assert grep(line.home, WORDS, "is an order cancelled?") == []
    left = [f"T0SANDBOX-C0HELP-{still_open}.json", "investigator.md", "task.json", "watched.json"]
    assert sorted(grep(line.home, still_open)) == left


async def test_a_home_in_use_is_not_purged(line: Line) -> None:
    """A running bot would write on."""
    async with line.bot():
        done = await asyncio.to_thread(triage, "purge", "--home", str(line.home), "--user", "U0ANA", "--yes")
        assert done.returncode == 2
        assert "runs on this home" in done.stderr


def test_what_a_kill_left_half_written_is_purged_too(tmp_path: Path) -> None:
    """A document that was never renamed to its place holds words as any other does; so does what waits for a press."""
    names = ("state/T0SANDBOX-C0HELP-100.000001.json.tmp", "events.20260105T000000000000.tmp", "confirmations.json")
    left = [tmp_path / name for name in names]
    (tmp_path / "state").mkdir()
    for path in left:
        path.write_text(WORDS)
    for option, stays in (([], True), (["--yes"], False)):
        assert triage("purge", "--home", str(tmp_path), "--user", "U0ANA", *option).returncode == 0
        assert [path.exists() for path in left] == [stays] * 3


def test_a_part_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    """Nobody can tell what is in it, so a person has to say that it may go."""
    part = tmp_path / "events.20260105T000000000000.ndjson.gz"
    part.write_bytes(gzip.compress(WORDS.encode())[:-4])
    done = triage("purge", "--home", str(tmp_path), "--user", "U0ANA", "--yes")
    assert done.returncode == 1
    assert done.stderr.startswith(f"{part}: it is damaged")
    assert len(done.stderr.splitlines()) == 1


def test_an_age_that_is_none_is_named(tmp_path: Path) -> None:
    """In words of the command."""
    done = triage("purge", "--home", str(tmp_path), "--older-than", "soon")
    assert done.returncode == 2
    assert "expected a number of days" in done.stderr


@pytest.mark.parametrize(
    ("option", "left"),
    [
        (("--user", "U0ANA"), {"shop/limits.md": "two", "shop/.limits.md.previous": "two", "shop/theirs.md": "three"}),
        (("--channel", "C0DEV"), {"shop/limits.md": "one", "shop/.limits.md.previous": "one"}),
        (
            ("--thread", "T0SANDBOX-C0HELP-100.000001"),
            {"shop/limits.md": "two", "shop/.limits.md.previous": "two", "shop/theirs.md": "three"},
        ),
        (
            ("--older-than", "0"),
            {"shop/limits.md": "one two", "shop/.limits.md.previous": "one two", "shop/theirs.md": "three"},
        ),
    ],
)
def test_what_a_person_wrote_in_notes_goes_alone(tmp_path: Path, option: tuple[str, str], left: dict[str, str]) -> None:
    """Their passages, those of a channel or thread; a note of which nothing is left goes whole. Age takes none."""
    ana = "<!-- 2026-01-05 09:00 UTC, U0ANA in T0SANDBOX-C0HELP-100.000001 -->\none\n\n"
    olu = "<!-- 2026-01-05 09:00 UTC, U0OPS in C0DEV -->\n"
    folder = tmp_path / "notes" / "shop"
    folder.mkdir(parents=True)
    both = {"limits.md": f"{ana}{olu}two\n", ".limits.md.previous": f"{ana}{olu}two\n", "theirs.md": f"{olu}three\n"}
    for name, content in both.items():
        (folder / name).write_text(content)
    (folder / ".limits.md.tmp").write_text(ana)
    assert "Would purge" in triage("purge", "--home", str(tmp_path), *option).stdout
    assert (folder / "limits.md").read_text() == both["limits.md"]
    assert triage("purge", "--home", str(tmp_path), *option, "--yes").returncode == 0
    found = {path.relative_to(tmp_path / "notes").as_posix(): path.read_text() for path in folder.iterdir()}
    kept = {name: " ".join(word for word in ("one", "two", "three") if word in said) for name, said in found.items()}
    assert {name: words for name, words in kept.items() if not name.endswith(".tmp")} == left
    if option[0] != "--older-than":
        assert "shop/.limits.md.tmp" not in found


THREAD = "T0SANDBOX-C0HELP-100.000001"


@pytest.fixture
def elsewhere(tmp_path: Path) -> Path:
    """A folder of runs outside of the home, with a run, a run of an open thread, and folders of other programs."""
    runs, home = tmp_path / "runs", tmp_path / "home"
    for name in (THREAD, "T0SANDBOX-C0HELP-200.000001", "photos"):
        (runs / name / "earlier").mkdir(parents=True)
        (runs / name / "earlier" / "transcript.log").write_text(f"U0ANA: {WORDS}")
        os.utime(runs / name, (0, 0))
    (runs / "T0SANDBOX-C0HELP-300.000001").symlink_to(runs / "photos")
    (home / "state").mkdir(parents=True)
    (home / "state" / "T0SANDBOX-C0HELP-200.000001.json").write_text("{}")
    (tmp_path / "triage.yml").write_text(f"escalation: {{transcript_dir: {runs}}}\n")
    return runs


def left_in(folder: Path) -> list[str]:
    """The last part of each name in a folder."""
    return sorted(path.name.rpartition("-")[2] for path in folder.iterdir())


@pytest.mark.parametrize(
    ("option", "left"),
    [
        (("--thread", THREAD), ["200.000001", "300.000001", "photos"]),
        (("--user", "U0ANA"), ["300.000001", "photos"]),
    ],
)
def test_runs_elsewhere_are_purged_with_their_thread(elsewhere: Path, option: tuple[str, str], left: list[str]) -> None:
    """Nothing else in that folder is touched, whatever it holds."""
    home, config = elsewhere.parent / "home", elsewhere.parent / "triage.yml"
    words = ("purge", "--home", str(home), "--config", str(config), *option)
    assert f"from {home} and {elsewhere}; --yes does it" in triage(*words).stdout
    assert len(left_in(elsewhere)) == 4
    done = triage(*words, "--yes")
    assert done.returncode == 0, done.stderr
    assert left_in(elsewhere) == left


def test_runs_elsewhere_are_purged_by_age_while_the_bot_runs(elsewhere: Path) -> None:
    """Those whose thread is gone."""
    purge_parts(elsewhere.parent / "home", datetime.now(UTC), elsewhere)
    assert left_in(elsewhere) == ["200.000001", "300.000001", "photos"]


def test_settings_that_are_named_and_missing_are_told(elsewhere: Path) -> None:
    """They may name a folder of runs, which would be left out in silence."""
    done = triage("purge", "--home", str(elsewhere.parent / "home"), "--config", "/nowhere.yml", "--user", "U0ANA")
    assert done.returncode == 2
    assert "/nowhere.yml" in done.stderr


GUEST = "U0GUEST"
POOL = Pool(project="shop", kind="technical_qa", validator="v")
WRONG = "T0A-C0HELP-1700000000.000000"


def judged_home(home: Path, *, wrong: str) -> None:
    """160 right cases of four weeks, and one of them wrong by a reader's word, or by an operator."""
    home.mkdir()
    monday, lines = begin_of_week(datetime.now(UTC)), []
    for n in range(160):
        name, is_wrong = f"T0A-C0HELP-1700000000.{n:06}/1", n == 0
        case = JudgedDraft(
            question_id=name,
            draft_id=name,
            pool=POOL,
            at=monday - timedelta(days=1 + n % 27),
            verdict="pass",
            judgement="edited" if is_wrong and wrong == "operator" else "approved",
        )
        lines.append(json.dumps(case.model_dump(mode="json") | {"by": GUEST if is_wrong else "U0OPS"}))
    (home / "judgements.ndjson").write_text("".join(f"{line}\n" for line in lines))
    word = {"at": (monday - timedelta(days=20)).isoformat(), "by": GUEST, "draft_id": f"{WRONG}/1", "vote": "down"}
    if wrong == "reader":
        (home / "feedback.ndjson").write_text(json.dumps(word | {"reason": "wrong_answer", "text": ""}) + "\n")


def gate_of(home: Path) -> Maturity:
    """The gate by the judgements that the home has."""
    lines = (home / "judgements.ndjson").read_text().splitlines()
    return judge_maturity(map(JudgedDraft.model_validate, map(without_person, lines)), POOL, now=datetime.now(UTC))


def without_person(line: str) -> dict[str, Any]:
    """The judgement of a line."""
    return {key: value for key, value in json.loads(line).items() if key != "by"}


@pytest.mark.parametrize("wrong", ["reader", "operator"])
@pytest.mark.parametrize(
    ("option", "gone"),
    [
        (("--user", GUEST), [GUEST]),
        (("--thread", WRONG), [WRONG, GUEST]),
        (("--channel", "C0HELP"), ["C0HELP", GUEST]),
        (("--older-than", "1"), []),
    ],
)
async def test_no_purge_opens_a_gate(tmp_path: Path, wrong: str, option: tuple[str, str], gone: list[str]) -> None:
    """The wrong case outlives its person, thread, channel and age, without an id, however often it is purged."""
    home = tmp_path / "home"
    judged_home(home, wrong=wrong)
    for _ in range(2):
        await purged(home, *option, "--yes")
        gate = gate_of(home)
        assert (gate.is_open, gate.false_passes) == (False, 1)
    assert grep(home, *gone) == []
