"""Asked again: which answer serves again, and what speaks against it, by table."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from bot.decide.redaction.redactor import Redactor
from bot.errors import RetryLater
from bot.models.project import Project
from bot.models.repeated_question import ANSWERED_BEFORE, AskedBefore
from bot.models.route import Route
from bot.models.settlement import Denial
from bot.models.thread import Thread
from bot.models.thread_event import Bounce
from bot.triage.repeated_questions import EarlierAnswers, RepeatedQuestions
from tests.builders import T0, added, at, check, moved, reference
from tests.decide.test_workflow import investigating, pending, press
from tests.fakes import HandClock, MemoryJournal, MemoryStore, projects

QUESTION = "where is the limit of the workers set?"
FIRST = "T0SANDBOX-C0HELP-50.000001"


class Slack:
    """Knows which messages are there, and where each stands."""

    def __init__(self) -> None:
        self.gone: set[str] = set()
        self.down = False

    async def permalink(self, *, channel: str, ts: str) -> str:
        """An address, unless Slack is down."""
        if self.down:
            raise RetryLater("no answer")
        return f"https://slack.example/{channel}/{ts}"

    async def message(self, *, channel: str, ts: str) -> dict[str, Any] | None:
        """Any message that was not deleted."""
        return None if ts in self.gone else {"ts": ts}


def reply(**changes: Any) -> dict[str, Any]:
    """The record of an approved answer to the question."""
    values: dict[str, Any] = {
        "chat_id": "C0HELP",
        "thread_id": FIRST,
        "draft_id": f"{FIRST}/1",
        "posted_message_id": "51.000001",
        "posted_at": at(-3600).isoformat(),
        "question": QUESTION,
        "search_text": QUESTION,
        "reply_text": "It is set in `bot/a.py:1`.",
        "draft_language": "en",
        "evidence_refs": [reference().model_dump(mode="json")],
        "evidence": [check().model_dump(mode="json")],
        "approved_by": "U0OPS",
        "project": "triage",
        "confidence": "medium",
    }
    return values | changes


def word(vote: str, by: str = "U0ANA", draft: str = f"{FIRST}/1") -> dict[str, Any]:
    """A line of the feedback."""
    return {"draft_id": draft, "by": by, "vote": vote}


class Desk:
    """Everything around it in memory, and one file."""

    def __init__(self, root: Path, *records: dict[str, Any], words: tuple[dict[str, Any], ...] = ()) -> None:
        (root / "bot").mkdir()
        (root / "bot" / "a.py").write_text("limit = 3\n")
        self.slack, self.replies, self.words, self.store = Slack(), MemoryJournal(), MemoryJournal(), MemoryStore()
        self.replies.kept.extend(records)
        self.words.kept.extend(words)
        self.again = RepeatedQuestions(
            replies=self.replies,
            words=self.words,
            store=self.store,
            chat=self.slack,  # type: ignore[arg-type]  # what is called of it
            history=self.slack,  # type: ignore[arg-type]  # the same
            open_threads=self,  # type: ignore[arg-type]  # it has the one call,
            projects=projects(Project(name="triage", root=root)),
            redactor=Redactor(),
            clock=HandClock(),
            days=30,
        )

    def ids(self) -> list[str]:
        """All threads are open."""
        return list(self.store.saved)


def asked(text: str = QUESTION, **changes: Any) -> Thread:
    """The question as it is asked now, at the beginning of its first run."""
    return investigating(text=text).evolve(**changes)


async def test_an_answer_that_holds_is_the_report(tmp_path: Path) -> None:
    """Its words, its references as of now, no engine; and a link to its thread."""
    desk = Desk(tmp_path, reply(evidence_refs=[reference(commit="a" * 40).model_dump(mode="json")]))
    before = await desk.again.look(asked("Hi, where is the limit of the workers set?"))
    assert before.report is not None
    assert (before.report.engine, before.report.project) == (ANSWERED_BEFORE, "triage")
    assert before.report.findings.draft_reply == "It is set in `bot/a.py:1`."
    assert before.report.findings.evidence_refs == (reference(),)
    (link,) = before.links
    assert (link.answered_by, link.url, link.not_again) == ("U0OPS", "https://slack.example/C0HELP/51.000001", None)


ELSEWHERE = {"thread_id": "T0OTHER-C0HELP-50.000001"}


@pytest.mark.parametrize(
    "record",
    [
        reply(search_text="where is the limit of the queue set?"),
        reply(chat_id="C0OTHER"),
        reply(**ELSEWHERE),
        reply(posted_at=(T0 - timedelta(days=31)).isoformat()),
        reply(posted_at="long ago"),
        reply(thread_id="T0SANDBOX-C0HELP-100.000001"),
        {key: value for key, value in reply().items() if key != "search_text"},
        {key: value for key, value in reply().items() if key != "posted_message_id"},
        {},
    ],
)
async def test_another_question_channel_team_time_or_the_same_thread_is_not_looked_at(
    tmp_path: Path, record: dict[str, Any]
) -> None:
    """Nor is a record without its question or its message."""
    assert await Desk(tmp_path, record).again.look(asked()) == EarlierAnswers()


async def test_an_answer_about_another_project_is_not_looked_at(tmp_path: Path) -> None:
    """Where the rules have said which one the question is about."""
    route = Route(role="dev", role_name="Dev", project="portal", why="rule 1")
    assert await Desk(tmp_path, reply()).again.look(asked(route=route)) == EarlierAnswers()


@pytest.mark.parametrize(("about", "found"), [("shop", True), ("shop/api", True), ("shop/web", False), ("sho", False)])
async def test_an_answer_from_one_root_counts_for_its_project(tmp_path: Path, about: str, found: bool) -> None:
    """A route without a folder names the project alone, whose answers each come from one of its roots."""
    route = Route(role="dev", role_name="Dev", project=about, why="the channel")
    before = await Desk(tmp_path, reply(project="shop/api")).again.look(asked(route=route))
    assert bool(before.links) is found


@pytest.mark.parametrize(
    ("record", "words", "why"),
    [
        ({"evidence_refs": [], "evidence": []}, (), "no references that code can check"),
        ({"evidence": [check("failed").model_dump()]}, (), "no references that code can check"),
        ({"evidence_refs": [{"kind": "memory"}]}, (), "no references that code can check"),
        ({"evidence_refs": [reference(quote="limit = 4").model_dump()]}, (), "bot/a.py:1 has changed since"),
        ({"project": "gone"}, (), "the project gone is no longer configured"),
        ({}, (word("down"),), "a reader's thumb is down"),
        ({}, (word("up", "U0BEN"), word("down")), "a reader's thumb is down"),
        ({}, (word("bounced", "U0OPS"), word("up", "U0OPS")), "an operator has bounced it"),
        ({"posted_message_id": "52.000001"}, (), "it was deleted"),
    ],
)
async def test_what_speaks_against_an_answer_stands_beside_its_link(
    tmp_path: Path, record: dict[str, Any], words: tuple[dict[str, Any], ...], why: str
) -> None:
    """The engine is asked then."""
    desk = Desk(tmp_path, reply(**record), words=words)
    desk.slack.gone.add("52.000001")
    before = await desk.again.look(asked())
    assert before.report is None
    assert why in (before.links[0].not_again or "")


async def test_an_answer_that_did_not_serve_does_not_serve_again(tmp_path: Path) -> None:
    """Somebody has written so below it; a word on another reply of its thread says nothing of this one."""
    for ts, serves in (("51.000001", False), ("58.000001", True)):
        (root := tmp_path / ts).mkdir()
        desk = Desk(root, reply())
        denial = Denial(at=at(0), by="U0ANA", message_id="52.000001", question_round=1, reply=ts)
        await desk.store.save(asked(thread_id=FIRST).evolve(denied=(denial,), status="closed"))
        before = await desk.again.look(asked())
        assert (before.report is not None) is serves
        assert ("did not help" in (before.links[0].not_again or "")) is not serves


@pytest.mark.parametrize(
    "words", [(word("down"), word("up")), (word("down", draft="another/1"),), (word("up", "U0BEN"),)]
)
async def test_a_thumb_that_was_turned_speaks_for_it_again(tmp_path: Path, words: tuple[dict[str, Any], ...]) -> None:
    """Each reader's newest word counts."""
    assert (await Desk(tmp_path, reply(), words=words).again.look(asked())).report


async def test_a_thumb_on_one_posting_of_a_text_counts_for_all_of_them(tmp_path: Path) -> None:
    """The same words, posted again in a later thread, are no better than the first time."""
    later = reply(thread_id="T0SANDBOX-C0HELP-60.000001", draft_id="T0SANDBOX-C0HELP-60.000001/1")
    before = await Desk(tmp_path, reply(), later, words=(word("down"),)).again.look(asked())
    assert (before.report, before.links[0].thread_id) == (None, "T0SANDBOX-C0HELP-60.000001")


async def test_the_newest_answer_alone_counts(tmp_path: Path) -> None:
    """What it put right is not brought back when something speaks against it."""
    later = reply(thread_id="T0SANDBOX-C0HELP-60.000001", draft_id="L/1", reply_text="In another place.")
    assert (await Desk(tmp_path, reply(), later, words=(word("down", draft="L/1"),)).again.look(asked())).report is None


async def test_how_things_are_now_is_always_looked_into(tmp_path: Path) -> None:
    """A status check has an answer of its own each time."""
    before = await Desk(tmp_path, reply()).again.look(asked(question_type="status_check"))
    assert (before.report, before.links[0].not_again) == (
        None,
        "a question about the current state is always investigated again",
    )


async def test_a_question_with_a_secret_is_not_compared(tmp_path: Path) -> None:
    """What stood in its place may differ."""
    token = f"ghp_{'a1B2' * 9}"
    desk = Desk(tmp_path, reply(search_text="where is the limit of the workers set for [redacted]?"))
    assert await desk.again.look(asked(f"where is the limit of the workers set for {token}?")) == EarlierAnswers()


async def test_an_open_thread_with_the_same_question_is_linked(tmp_path: Path) -> None:
    """The newest of this channel; not the thread itself, and no other question."""
    desk = Desk(tmp_path)
    for ts, text, channel in (
        ("60.1", QUESTION, "C0HELP"),
        ("70.1", QUESTION, "C0OTHER"),
        ("80.1", "why so?", "C0HELP"),
    ):
        await desk.store.save(moved(None, added(text, ts=ts, chat_id=channel)))
    await desk.store.save(asked())
    before = await desk.again.look(asked())
    assert [(link.thread_id, link.answered_at) for link in before.links] == [("T0SANDBOX-C0HELP-60.1", None)]


async def test_without_slack_it_is_an_investigation_like_any(tmp_path: Path) -> None:
    """What cannot be looked up links nothing and keeps nobody waiting."""
    desk = Desk(tmp_path, reply())
    desk.slack.down = True
    assert await desk.again.look(asked()) == EarlierAnswers()


def served(**changes: Any) -> Thread:
    """A card whose draft is an answer of before."""
    link = AskedBefore(
        thread_id=FIRST, url="https://a.example", draft_id=f"{FIRST}/1", reply_ts="51.1", answered_at=at(0)
    )
    return pending(text=QUESTION).evolve(engine=ANSWERED_BEFORE, asked_before=(link,), **changes)


async def test_another_draft_is_a_fresh_one_and_keeps_the_links(tmp_path: Path) -> None:
    """Redraft, Answer or a new message: the engine is asked."""
    thread = served(investigator_round=2)
    desk = Desk(tmp_path, reply())
    assert await desk.again.look(thread) == EarlierAnswers(links=thread.asked_before)
    assert desk.words.kept == []


async def test_a_bounce_is_kept_against_the_answer(tmp_path: Path) -> None:
    """In the feedback, by its draft: so the next one who asks gets a fresh draft. Nothing is kept of other bounces."""
    thread = served()
    bounced = moved(thread, press(Bounce, thread, feedback="it is five by now"))
    desk = Desk(tmp_path, reply())
    assert await desk.again.look(bounced.evolve(engine="keyword")) == EarlierAnswers(links=thread.asked_before)
    assert desk.words.kept == []
    assert await desk.again.look(bounced) == EarlierAnswers(links=thread.asked_before)
    (kept,) = desk.words.kept
    assert (kept["draft_id"], kept["vote"], kept["by"]) == (f"{FIRST}/1", "bounced", "U0OPS")
    assert (await desk.again.look(asked(thread_id="T0SANDBOX-C0HELP-200.000001"))).report is None
