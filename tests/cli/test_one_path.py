"""One history through the bot, `triage classify` and `triage replay`: each message is judged alike by all three."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from bot.adapters.event_lines import EventLines
from bot.adapters.slack_export import SlackExport
from bot.cli.classify import LineClassifier
from bot.decide.classify.channel_purpose import purpose_of
from bot.decide.classify.classifier import Classifier, compile_rules
from bot.decide.classify.stream_classifier import StreamClassifier
from bot.intake.watched import Watched
from bot.intake.watcher import Watcher
from bot.models.thread_event import MessageAdded, Overheard
from tests.adapters.test_slack_export import folder
from tests.builders import at
from tests.fakes import HandClock, MemoryJournal, NobodyCommands, NothingMuted, OneOperator, team
from tests.intake.test_watcher import OpenThread, intake

NAMES = {"C0HELP": "help", "C0DEV": "dev", "C0OPS": "ops-alerts"}
LOG = "\n".join(f"2026-01-05 09:00:{n:02} ERROR worker {n} lost its connection to the broker" for n in range(50))
START = 1_767_603_600


def says(ts: float, text: str, user: str | None = "U0ANA", root: float | None = None, **more: Any) -> dict[str, Any]:
    """A message as an export holds it, so many seconds after the start; `root` is when its thread began."""
    place = {"thread_ts": f"{START + root:.6f}"} if root is not None else {}
    author = {"user": user} if user else {}
    return {"type": "message", "text": text, "ts": f"{START + ts:.6f}", **author, **place, **more}


def rich(*elements: dict[str, Any]) -> list[dict[str, Any]]:
    """Rich text of one section."""
    return [{"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": list(elements)}]}]


def texts(*words: str) -> list[dict[str, Any]]:
    """Sections of plain text, as programs and workflows send them."""
    return [{"type": "section", "text": {"type": "mrkdwn", "text": each}} for each in words]


HISTORY: dict[str, list[dict[str, Any]]] = {
    "C0HELP": [
        says(0, "where is the retry limit set?", thread_ts=f"{START:.6f}", reply_count=4),
        says(5, "which version are you on?", "U0BO", 0),
        says(9, "3.2 on Linux", root=0),
        says(12, "`RETRY_LIMIT` in <https://example.com/a?b=c&amp;d|orders.py>", "U0BO", 0),
        says(20, "perfect, that is what I was looking for, works for me now :tada:", root=0),
        says(40, "hm, still the same error", root=0, subtype="thread_broadcast"),
        says(60, "<@U0BO> can you check this?", "U0CY"),
        says(70, "<!here> is anyone else seeing slow queries", "U0CY"),
        says(200, "<@U0TRIAGE> how do I restart it", "U0DEE"),
        says(210, "<@U0TRIAGE> thanks", "U0DEE"),
        says(
            400, "", "U0EVE", files=[{"name": "trace.txt", "preview": "Traceback (most recent call last):\nKeyError"}]
        ),
        says(410, "does anybody know what this means?", "U0EVE", files=[{"name": "screen.png", "filetype": "png"}]),
        says(600, "cache &amp; queue: a &lt; b, why?", "U0FAY"),
        says(700, LOG + "\nwhy is that?", "U0FAY"),
        says(900, "", "U0GUS", blocks=rich({"type": "user", "user_id": "U0TRIAGE"}, {"type": "text", "text": " why?"})),
        says(950, "see <#C0DEV|dev> (cc <!subteam^S0OPS|@ops>), does it help?", "U0GUS"),
        says(960, "forget it, it was the wrong branch", "U0GUS", edited={"user": "U0GUS", "ts": f"{START + 970:.6f}"}),
        says(980, "<@U0HAL> joined", "U0HAL", subtype="channel_join"),
        says(990, "ｗｈｅｒｅ ｉｓ ｉｔ ｓｅｔ？", "U0HAL"),
        says(1000, "> where is it?\nin orders.py", "U0BO"),
        says(1010, "ありがとうございます、解決しました", "U0HAL"),
    ],
    "C0DEV": [
        says(3, "deployed 3.3, please restart your shells", "U0BO"),
        says(6, "what happens when a worker crashes?", "U0ANA"),
        says(8, "it restarts", "U0BO"),
        says(15, "and the job?", "U0ANA"),
        says(300, "lunch?", "U0CY"),
        says(305, "how long does that take", "U0TEAM", 6),
        says(
            500,
            "look",
            "U0ANA",
            attachments=[{"is_share": True, "author_name": "Bo", "text": "how do I roll back a release?"}],
        ),
        says(505, "preview", "U0ANA", attachments=[{"from_url": "https://a.example", "text": "why is it down?"}]),
        says(510, "hidden", "U0ANA", hidden=True),
        says(520, "shrugs", "U0ANA", subtype="me_message"),
    ],
    "C0OPS": [
        says(1, "build 7 failed with error 500", None, subtype="bot_message", bot_id="B0CI", app_id="A0CI"),
        says(2, "is that ours?", "U0ANA", 1),
        says(4, "", "U0PAGER", bot_id="B0PAGER", attachments=[{"title": "DiskFull", "text": "disk 97 % on db-1"}]),
        says(7, "Reminder: why not write docs?", "USLACKBOT"),
        says(11, "Your draft is ready, what now?", "U0TRIAGE", bot_id="B0TRIAGE", bot_profile={"name": "Triage"}),
        says(13, "Ticket opened", None, subtype="bot_message", bot_id="B0FORM", blocks=texts("who owns db-1?")),
        says(30, "db-1 is down since 9, can somebody look?", "U0BO"),
        says(33, "<@U0CY> any idea?", "U0BO"),
    ],
}


PURPOSES = {channel: purpose_of(name) for channel, name in NAMES.items()}
"""What the settings tell of channels whose events do not hold a name."""


def rules() -> Classifier:
    """The rules of a team with people who answer and a bot that may ask."""
    return compile_rules(bot_id="U0TRIAGE", team_members=["U0TEAM"], alert_bots=["A0CI"], purposes=PURPOSES)


@dataclass
class Asked(OpenThread):
    """Threads that open with the first question that is put in them, and stay open."""

    askers: dict[str, str] = field(default_factory=dict)

    def is_open(self, thread_id: str) -> bool:
        """Return whether a question was asked there."""
        return thread_id in self.askers

    def is_asker(self, thread_id: str, sender_id: str) -> bool:
        """Return whether they asked it."""
        return self.askers.get(thread_id) == sender_id

    async def add(self, thread_id: str, message: MessageAdded | Overheard) -> bool:
        """Open it."""
        if isinstance(message, MessageAdded) and message.asks:
            self.askers.setdefault(thread_id, message.message.sender.id)
        return True


Seen = dict[tuple[str, str], tuple[str, float, tuple[tuple[str, float], ...]]]
"""Class, confidence and reasons of each message, by its channel and ts."""


def events() -> list[dict[str, Any]]:
    """The messages as Slack delivers them, in the order of their writing."""
    found = [{**message, "channel": channel} for channel, said in HISTORY.items() for message in said]
    return sorted(found, key=lambda event: float(event["ts"]))


async def by_bot() -> tuple[Seen, MemoryJournal]:
    """The judgements of a running bot, and its journal of events."""
    journal, classified = MemoryJournal(), MemoryJournal()
    watcher = Watcher(
        events=journal,
        classified=classified,
        team=team(rules()),
        threads=Asked(),
        commands=NobodyCommands(),
        mutes=NothingMuted(),
        clock=HandClock(),
        watched={channel: Watched(name=name, mode="live") for channel, name in NAMES.items()},
        operators=OneOperator(),
    )
    dispatcher = intake(watcher)
    for number, event in enumerate(events()):
        body = {"type": "event_callback", "team_id": "T0TEAM", "event_id": f"Ev{number}", "event": event}
        await dispatcher.handle(await dispatcher.record(body))
        if "<@U0TRIAGE>" in event["text"]:  # Slack sends those twice
            again = {**body, "event_id": f"Ev{number}A", "event": {**event, "type": "app_mention"}}
            await dispatcher.handle(await dispatcher.record(again))
        if "edited" in event:
            before, place = {**event, "text": "oop"}, {"channel": event["channel"], "ts": event["edited"]["ts"]}
            changed = {"type": "message", "subtype": "message_changed", **place, "message": event}
            again = {**body, "event_id": f"Ev{number}E", "event": {**changed, "previous_message": before}}
            await dispatcher.handle(await dispatcher.record(again))
    return {_place(record): _judged(record) for record in classified.kept}, journal


def _place(record: dict[str, Any]) -> tuple[str, str]:
    return record.get("chat_id") or record["channel"], record.get("message_id") or record["ts"]


def _judged(record: dict[str, Any]) -> tuple[str, float, tuple[tuple[str, float], ...]]:
    reasons = tuple((each["feature"], each["weight"]) for each in record["reasons"])
    return record["classification"], record["classifier_confidence"], reasons


def by_classify(records: list[dict[str, Any]]) -> Seen:
    """The judgements of `triage classify`."""
    block = [json.dumps(record).encode() for record in records]
    answers, complaints = LineClassifier(StreamClassifier(rules()), explain=True).take(block, at=at())
    assert complaints == b""
    found = [json.loads(line) for line in answers.splitlines()]
    return {_place(record): _judged(record) for record in found if "classification" in record}


def by_replay(source: SlackExport | EventLines) -> Seen:
    """The judgements of `triage replay`."""
    judging = StreamClassifier(rules())
    found = {(said.channel, said.ts): judging.judge(said) for said in source if said}
    return {
        place: (one.classification, one.classifier_confidence, one.judgement.features) for place, one in found.items()
    }


@pytest.mark.parametrize("who", ["classify", "replay", "classify a journal", "replay a journal"])
async def test_all_judge_alike(tmp_path: Path, who: str) -> None:
    """Threads, edits, bots, mentions, attachments, files and channels, as an export and as the bot's journal."""
    expected, journal = await by_bot()
    path = tmp_path / "events.ndjson"
    path.write_text("".join(json.dumps(record) + "\n" for record in journal.kept))
    tables = {
        "channels.json": json.dumps([{"id": channel, "name": name} for channel, name in NAMES.items()]),
        "users.json": json.dumps([{"id": "U0PAGER", "is_bot": True}, {"id": "U0TRIAGE", "is_bot": True}]),
    }
    days = {f"{NAMES[channel]}/2026-01-05.json": json.dumps(said) for channel, said in HISTORY.items()}
    found = {
        "classify": lambda: by_classify(events()),
        "replay": lambda: by_replay(SlackExport(folder(tmp_path / "export", tables | days))),
        "classify a journal": lambda: by_classify(journal.kept),
        "replay a journal": lambda: by_replay(EventLines(path)),
    }[who]()
    assert found == expected
    assert {judged[0] for judged in expected.values()} == {"actionable", "ambient", "ack"}
    assert len(expected) == len(events()) - 2
