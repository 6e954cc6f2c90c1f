"""Corrections: who may teach, what is taken up, and what is learned."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from bot.approval.corrections import Corrections
from bot.approval.labels import Labels
from bot.decide.classify.classifier import compile_rules
from bot.decide.classify.training import newest_labels, read_label
from bot.errors import Refused, RetryLater
from bot.models.external import External
from bot.models.message import Message
from bot.models.person import Person
from bot.models.reaction import Reaction
from bot.models.shortcut import Shortcut, read_shortcut
from bot.triage.controls import Controls
from bot.triage.membership import Membership
from tests.builders import ASKER, CHANNEL, OPERATOR, T0, TEAM, added, fresh, message, moved
from tests.fakes import HandClock, MemoryJournal, MemoryKept, RememberingChat, operators, team
from tests.triage.test_orchestrator import Desk

MEMBER = "U0TEAM"
STANDS = {"ts": "100.000001", "user": "U0ANA", "text": "it looks odd"}


@dataclass
class Slack:
    """Who people are, and which messages stand there."""

    guests: tuple[str, ...] = ()
    stands: dict[str, Any] | None = None
    fails: Exception | None = None
    looked_up: list[tuple[str, str]] = field(default_factory=list)

    async def person(self, user: str) -> Person:
        """A full member, unless the test says otherwise."""
        if self.fails:
            raise self.fails
        return Person(user_id=user, team_id=TEAM, is_guest=user in self.guests)

    async def message(self, *, channel: str, ts: str) -> dict[str, Any] | None:
        """The one that the test has put there."""
        self.looked_up.append((channel, ts))
        if self.fails:
            raise self.fails
        return self.stands


class Heard:
    """Threads that keep what they are handed."""

    def __init__(self, *, is_new: bool = True) -> None:
        self.added: list[tuple[str, Any]] = []
        self._is_new = is_new

    def is_open(self, thread_id: str) -> bool:
        """No thread is open."""
        return False

    def is_asker(self, thread_id: str, sender_id: str) -> bool:
        """Nobody has asked."""
        return False

    def find_thread(self, channel: str, ts: str) -> str | None:
        """No message has joined any."""
        return None

    async def add(self, thread_id: str, message: Any) -> bool:
        """Keep it."""
        self.added.append((thread_id, message))
        return self._is_new

    async def revise(self, thread_id: str, revision: Any) -> bool:
        """Change nothing."""
        return False


class FromOutside:
    """A lookup by which every author is external."""

    external = External(asker=True, channel=False)

    async def find_external_in_history(self, message: Message) -> External | None:
        """Tell so of the asker."""
        return self.external if message.sender.id == ASKER else None


@dataclass
class School(Desk):
    """An orchestrator with corrections."""

    slack: Slack = field(default_factory=Slack)
    teachers: tuple[str, ...] = (OPERATOR, MEMBER)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.labels, self.audit, self.chat = MemoryJournal(), MemoryJournal(), RememberingChat()
        self.controls = Controls(file=MemoryKept(), mutes_file=MemoryKept(), modes={CHANNEL: "live"})
        self.corrections = Corrections(
            labels=Labels(journal=self.labels, clock=HandClock()),
            threads=self.orchestrator,
            store=self.store,
            audit=self.audit,
            chat=self.chat,  # type: ignore[arg-type]  # the fakes have what corrections call
            history=self.slack,  # type: ignore[arg-type]  # as above
            controls=self.controls,
            names={CHANNEL: "help-platform"},
            operators=replace(
                operators(OPERATOR), members=Membership(team_id=TEAM, people=self.slack, clock=HandClock())
            ),
            team=team(compile_rules(bot_id="U0TRIAGE", team_members=self.teachers)),
            emoji=frozenset({"sos"}),
        )

    async def missed(self, said: Message | None, *, by: str = OPERATOR, **changes: Any) -> str:
        """Take the shortcut; the answer is what that person is told."""
        values = {
            "interaction_id": fresh(),
            "team_id": TEAM,
            "user_id": by,
            "action": "missed_this",
            "channel_id": CHANNEL,
            "message": said,
        }
        await self.corrections.handle_shortcut(Shortcut(**(values | changes)))
        return self.chat.notices[-1]

    async def react(self, name: str = "sos", *, by: str = OPERATOR, added: bool = True, team_id: str = TEAM) -> None:
        """Put an emoji under the message that stands there, or take it away."""
        reacted = Reaction(
            interaction_id=fresh(),
            team_id=team_id,
            chat_id=CHANNEL,
            message_id="100.000001",
            user_id=by,
            name=name,
            added=added,
        )
        await self.corrections.handle_reaction(reacted)

    @property
    def learned(self) -> list[str]:
        """What `triage retrain` makes of the labels: what stands."""
        return [label.label for label in newest_labels(read_label(record) for record in self.labels.kept)]


@pytest.mark.parametrize("by", [OPERATOR, MEMBER])
async def test_a_missed_message_opens_its_thread_and_is_learned_from(by: str) -> None:
    """By an operator or by the team, in the mode of its channel."""
    school = School()
    school.controls.modes[CHANNEL] = "preview"
    said = message("the invoices of May look odd")
    assert "Its investigation starts" in await school.missed(said, by=by)
    thread = school.store.saved[said.home]
    assert (thread.status, thread.mode, thread.messages[0].content) == ("collecting", "preview", said.content)
    assert school.learned == ["actionable"]
    assert (school.labels.kept[0]["by"], school.labels.kept[0]["why"]) == (by, "missed_this")


async def test_a_second_word_begins_nothing_twice() -> None:
    """Each person's word stands once, and the thread as it is."""
    school = School()
    said = message("the invoices of May look odd")
    for by in (OPERATOR, OPERATOR, MEMBER):
        told = await school.missed(said, by=by)
    assert "already investigated; its thread is collecting" in told
    assert [label["by"] for label in school.labels.kept] == [OPERATOR, MEMBER]
    assert school.learned == ["actionable"]


async def test_a_reply_of_somebody_else_opens_a_closed_thread_again() -> None:
    """As a mention would."""
    school = School()
    thread_id = await school.open("1.1")
    said = message("it still looks odd", ts="5.5", root="1.1", sender="U0BEN")
    assert "added to the question" in await school.missed(said)
    closed = school.store.saved[thread_id].evolve(status="closed", outcome="dismissed", due_at=None)
    school.store.saved[thread_id] = closed
    school.orchestrator.open_threads.note(closed)
    again = message("and this too", ts="6.6", root="1.1", sender="U0BEN")
    assert "Its investigation starts" in await school.missed(again)
    assert school.store.saved[thread_id].question_round == 2


@pytest.mark.parametrize(
    ("changes", "said", "words"),
    [
        pytest.param({"by": "U0ANA"}, message(), "Only operators, admins", id="who asks"),
        pytest.param({"by": "U0GUEST"}, message(), "Only operators, admins", id="a guest"),
        pytest.param({"team_id": "T0ELSE"}, message(), "Only operators, admins", id="another team"),
        pytest.param({}, None, "not written by a person", id="a join"),
        pytest.param({}, message(chat_id="C0ELSE"), "is not watched", id="another channel"),
        pytest.param({}, message(sender="B0BOT", sender_type="bot"), "A bot wrote this", id="a bot"),
        pytest.param({}, message("!triage status"), "is a command", id="a command"),
    ],
)
async def test_what_is_refused_changes_nothing(changes: dict[str, Any], said: Message | None, words: str) -> None:
    """Neither a label nor a thread; whoever asked is told why, and the audit knows."""
    school = School(slack=Slack(guests=("U0GUEST",)), teachers=(OPERATOR, "U0GUEST"))
    told = await school.missed(said, **changes)
    assert words in told
    assert (school.labels.kept, school.store.saved) == ([], {})
    assert school.audit.kept[-1]["result"] == told


@pytest.mark.parametrize("quiet", ["silent", "muted"])
async def test_where_the_bot_is_silent_it_only_learns(quiet: str) -> None:
    """The word counts; nothing is investigated."""
    school = School()
    said = message("the invoices of May look odd")
    if quiet == "silent":
        school.controls.modes[CHANNEL] = "silent"
    else:
        await school.controls.mute(said.home, T0)
    assert f"is {quiet}" in await school.missed(said)
    assert (school.learned, school.store.saved) == (["actionable"], {})


async def test_while_triage_is_paused_nothing_is_said_to_begin() -> None:
    """It waits for the word of an admin, as every investigation does."""
    school = School()
    await school.controls.set_state("paused", T0)
    assert "starts after `/triage resume`" in await school.missed(message("the invoices of May look odd"))


async def test_slack_that_does_not_answer_changes_nothing() -> None:
    """The person is asked to try again."""
    school = School(slack=Slack(fails=RetryLater("users.info")))
    assert "try again" in await school.missed(message())
    school.slack.fails = Refused("users.info", code="user_not_found")
    assert "Only operators, admins" in await school.missed(message())
    assert school.labels.kept == []


async def test_a_replayed_shortcut_does_the_same_and_bothers_nobody() -> None:
    """After a crash whoever asked has gone on."""
    school = School()
    shortcut = Shortcut(
        interaction_id="i",
        team_id=TEAM,
        user_id=OPERATOR,
        action="missed_this",
        channel_id=CHANNEL,
        message=message(),
    )
    await school.corrections.handle_shortcut(shortcut, replayed=True)
    assert (school.learned, len(school.store.saved), school.chat.notices) == (["actionable"], 1, [])
    assert (school.audit.kept[-1]["interaction_id"], school.audit.kept[-1]["replayed"]) == ("i", True)


async def test_an_emoji_is_taken_back_by_taking_it_away() -> None:
    """The word is void then; of a word that was said in another way nothing is taken back."""
    school = School(slack=Slack(stands={"ts": "100.000001", "user": "U0ANA", "text": "it looks odd"}))
    await school.react()
    assert (school.learned, len(school.store.saved)) == (["actionable"], 1)
    await school.react(by=MEMBER, added=False)
    assert "nothing to take back" in school.chat.notices[-1]
    await school.react(added=False)
    assert "Taken back" in school.chat.notices[-1]
    assert (school.learned, len(school.store.saved)) == ([], 1)


async def test_another_emoji_and_the_emoji_of_others_mean_nothing() -> None:
    """Anybody may use them as they like."""
    school = School(slack=Slack(stands={"ts": "100.000001", "user": "U0ANA", "text": "it looks odd"}))
    await school.react("tada")
    await school.react(by="U0ANA")
    assert (school.labels.kept, school.store.saved, school.chat.notices, school.audit.kept) == ([], {}, [], [])


@pytest.mark.parametrize(
    ("slack", "words"),
    [(Slack(), "not written by a person"), (Slack(fails=RetryLater("conversations.replies")), "does not show")],
)
async def test_a_message_that_slack_does_not_show_is_not_taken_up(slack: Slack, words: str) -> None:
    """Gone, or out of reach for now."""
    school = School(slack=slack)
    await school.react()
    assert words in school.chat.notices[-1]
    assert school.labels.kept == []


async def test_a_question_that_is_none_for_us_is_learned_as_ambient() -> None:
    """The message that it began with, in a follow-up that of the follow-up."""
    school = School()
    thread = moved(None, added("who brings the cake?"))
    await school.corrections.not_for_us(thread, by=OPERATOR, interaction_id="i")
    closed = thread.evolve(status="closed", outcome="dismissed", due_at=None)
    again = moved(closed, added("and the tea?", ts="200.000002", root="100.000001"))
    await school.corrections.not_for_us(again, by=OPERATOR, interaction_id="j")
    told = [(label["label"], label["message"]["content"], label["why"]) for label in school.labels.kept]
    assert told == [("ambient", "who brings the cake?", "not_for_us"), ("ambient", "and the tea?", "not_for_us")]
    assert [label["interaction_id"] for label in school.labels.kept] == ["i", "j"]
    follow_up = school.labels.kept[1]["message"]
    assert (follow_up["message_id"], follow_up["thread_id"]) == ("200.000002", thread.thread_id)
    assert [label.message.sender for label in newest_labels(map(read_label, school.labels.kept))] == ["U0ANA", "U0ANA"]


def threaded(text: str = "it still looks odd") -> Message:
    """A reply of the asker's in a thread."""
    return message(text, ts="100.000005", root="100.000001")


@pytest.mark.parametrize("replayed", [False, True])
async def test_a_shortcut_is_audited_without_the_message(replayed: bool) -> None:
    """The audit says by whom, on which thread, when and with which result; it holds none of the text."""
    school = School()
    values = {
        "interaction_id": "i",
        "team_id": TEAM,
        "user_id": OPERATOR,
        "action": "missed_this",
        "channel_id": CHANNEL,
    }
    await school.corrections.handle_shortcut(Shortcut(**values, message=threaded()), replayed=replayed)
    (record,) = school.audit.kept
    now = HandClock().now().isoformat()
    assert record == values | {
        "thread_id": f"{TEAM}-{CHANNEL}-100.000001",
        "at": now,
        "result": record["result"],
        "replayed": replayed,
    }
    assert school.labels.kept[0]["interaction_id"] == "i"


async def test_a_reaction_is_audited_as_the_shortcut_is() -> None:
    """With its own kind; a label that is taken back names the reaction that took it back."""
    school = School(slack=Slack(stands=STANDS))
    await school.react()
    await school.react(added=False)
    for record, label in zip(school.audit.kept, school.labels.kept, strict=True):
        assert (record["kind"], record["action"], record["user_id"]) == ("reaction", "missed_this", OPERATOR)
        assert (record["chat_id"], record["message_id"]) == (CHANNEL, "100.000001")
        assert record["thread_id"] == f"{TEAM}-{CHANNEL}-100.000001"
        assert (record["at"], record["replayed"]) == (HandClock().now().isoformat(), False)
        assert (label["interaction_id"], label["why"]) == (record["interaction_id"], "missed_this")
    assert [record["result"] for record in school.audit.kept] == school.chat.notices


@pytest.mark.parametrize(("reported", "root"), [(threaded(), "100.000001"), (message(), None), (None, None)])
async def test_the_answer_goes_to_whoever_reported_in_the_thread_of_the_message(
    reported: Message | None, root: str | None
) -> None:
    """Nobody else sees it; a message of the channel itself is answered there."""
    school = School()
    await school.missed(reported)
    assert school.chat.ephemerals == [{"channel": CHANNEL, "user": OPERATOR, "thread_ts": root}]


async def test_a_reaction_is_answered_where_it_stands() -> None:
    """The message is the one under which the emoji was put."""
    school = School(slack=Slack(stands=STANDS | {"ts": "100.000005", "thread_ts": "100.000001"}))
    await school.react()
    assert school.slack.looked_up == [(CHANNEL, "100.000001")]
    assert school.chat.ephemerals == [{"channel": CHANNEL, "user": OPERATOR, "thread_ts": "100.000001"}]


class Broken(MemoryJournal):
    """A journal that cannot be written."""

    async def append(self, record: dict[str, Any], *, may_be_lost: bool = False) -> None:
        """Break."""
        raise OSError("no space left")


async def test_a_correction_that_breaks_is_answered_and_audited() -> None:
    """A restart does not act on it later, and the person knows that nothing was started."""
    school = School(slack=Slack(stands=STANDS))
    school.labels = Broken()
    school.corrections = replace(school.corrections, labels=Labels(journal=school.labels, clock=HandClock()))
    await school.missed(message())
    await school.react()
    assert [("did not work" in record["result"], record["user_id"]) for record in school.audit.kept] == [
        (True, OPERATOR),
        (True, OPERATOR),
    ]
    assert [record["result"] for record in school.audit.kept] == school.chat.notices
    assert school.store.saved == {}


async def test_a_correction_counts_though_its_author_cannot_be_told() -> None:
    """As when they have left the channel."""
    school = School(slack=Slack(stands=STANDS))
    school.chat.refuses = Refused("chat.postEphemeral", code="user_not_in_channel")
    await school.react()
    assert (school.learned, len(school.store.saved), len(school.audit.kept)) == (["actionable"], 1, 1)


@pytest.mark.parametrize(
    "changes", [{"subtype": "channel_join"}, {"subtype": "message_deleted", "deleted_ts": "100.000001"}]
)
async def test_a_join_under_which_somebody_puts_the_emoji_is_no_message(changes: dict[str, str]) -> None:
    """Nor is a deletion; nothing is learned from either, and the audit names no thread."""
    school = School(slack=Slack(stands=STANDS | changes))
    await school.react()
    assert "not written by a person" in school.chat.notices[-1]
    assert (school.labels.kept, school.store.saved, "thread_id" in school.audit.kept[0]) == ([], {}, False)


async def test_a_reaction_of_another_workspace_is_refused() -> None:
    """Though its user id is that of an operator; a guest in the team is refused too."""
    school = School(slack=Slack(stands=STANDS, guests=(MEMBER,)))
    await school.react(team_id="T0ELSE")
    await school.react(by=MEMBER)
    assert [text.startswith("Only operators") for text in school.chat.notices] == [True, True]
    assert (school.labels.kept, school.store.saved) == ([], {})


async def test_a_message_that_joined_another_question_opens_none_of_its_own() -> None:
    """It is labelled all the same; one that is in its own thread is no other question."""
    school = School()
    thread_id = await school.open("1.1")
    follow_up = message("and on staging?", ts="1.2")
    await school.orchestrator.submit(thread_id, replace(added("and on staging?", ts="1.2"), joins=True))
    assert "part of another question" in await school.missed(follow_up)
    assert (list(school.store.saved), school.learned) == ([thread_id], ["actionable"])
    assert "already investigated" in await school.missed(message("question 1.1?", ts="1.1"))
    await school.orchestrator.stop()


async def test_a_thread_without_a_document_is_told_as_not_known() -> None:
    """As after its retention: the message is labelled, and nothing was changed otherwise."""
    school = School()
    school.corrections = replace(school.corrections, threads=Heard(is_new=False))
    assert "already investigated; its thread is not known." in await school.missed(message())
    assert school.learned == ["actionable"]


async def test_a_missed_message_asks_its_channels_operator_as_a_mention_would() -> None:
    """Not one who asks it and may not approve the answer; whoever is external is known as such."""
    school = School()
    people = operators(OPERATOR, chats={CHANNEL: (ASKER, "U0LOCAL")}, asker_may=False)
    threads = Heard()
    externals: Any = FromOutside()
    school.corrections = replace(school.corrections, operators=people, threads=threads, externals=externals)
    school.controls.modes[CHANNEL] = "preview"
    assert "Its investigation starts." in await school.missed(message())
    ((home, event),) = threads.added
    assert (home, event.message, event.mode) == (message().home, message(), "preview")
    assert (event.operator, event.mentioned, event.external) == ("U0LOCAL", True, FromOutside.external)
    assert event.fresh.startswith("id")
    assert event.at == HandClock().now()


BODY: dict[str, Any] = {
    "type": "message_action",
    "callback_id": "missed_this",
    "action_ts": "300.000003",
    "team": {"id": TEAM},
    "user": {"id": OPERATOR},
    "channel": {"id": CHANNEL, "name": "help"},
    "message": {"type": "message", "ts": "5.5", "thread_ts": "1.1", "user": "U0ANA", "text": "is <@U0BEN> there?"},
}


def test_a_shortcut_is_read() -> None:
    """With the message as every other room knows it."""
    read = read_shortcut(BODY, chat_names={CHANNEL: "help-platform"})
    assert read
    assert read.message
    assert (read.user_id, read.action, read.message.content) == (OPERATOR, "missed_this", "is @U0BEN there?")
    assert (read.message.home, read.message.chat_name) == (f"{TEAM}-{CHANNEL}-1.1", "help-platform")
    assert read == read_shortcut(BODY, chat_names={CHANNEL: "help-platform"})


@pytest.mark.parametrize(
    "broken", [{"user": None}, {"message": None}, {"channel": {}}, {"team": {"id": 5}}, {"callback_id": 5}]
)
def test_a_shortcut_that_breaks_slacks_shape_is_none(broken: dict[str, Any]) -> None:
    """It is in the journal, and nowhere else."""
    assert read_shortcut(BODY | broken, chat_names={}) is None


def test_a_shortcut_on_a_join_holds_no_message() -> None:
    """Nobody has said anything there."""
    joined = BODY["message"] | {"subtype": "channel_join"}
    read = read_shortcut(BODY | {"message": joined}, chat_names={})
    assert read
    assert read.message is None
