"""Conversations whose parts are in memory: a Slack of threads, a mind that does as the test says."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from bot.chat.call_log import LoggedCall
from bot.chat.conversations import ChatConversations
from bot.chat.message_rate import MessageRate
from bot.chat.past_orders import PastOrders
from bot.chat.reply_poster import ReplyPoster
from bot.chat.silent_exit_alarm import SilentExitAlarm
from bot.chat.thread_history import ThreadHistory
from bot.chat.toolbox import Taint
from bot.chat.turn import TurnRunner
from bot.commands.command import CommandAnswer
from bot.decide.addressing.unbacked_claims import claim_words
from bot.decide.admission import Rate
from bot.decide.limits import NOTHING_SPENT, Spent
from bot.decide.redaction.redactor import Redactor
from bot.errors import Refused
from bot.models.conversation import ChatContext, ChatLine
from bot.models.conversation_record import CommandRun, ConversationRecord
from bot.models.interaction import Asker
from bot.models.message import Message, thread_id
from bot.tools.tool import Tool
from bot.triage.ground_truth import GroundTruth
from tests.builders import TEAM, message
from tests.chat.crew import OPERATOR, permission
from tests.chat.talk import wording
from tests.fakes import HandClock, MemoryJournal, settle

BOT = "U0TRIAGE"
ADMIN_DM = "D0ADMIN"
POINTER = "what the bot does here"


class MemoryTalks:
    """`Talks` that keeps what was saved as JSON, as a disk would."""

    def __init__(self) -> None:
        self.saved: dict[str, str] = {}
        self.failures: list[Exception] = []

    async def list_all(self) -> list[ConversationRecord]:
        """Each, read back."""
        return [ConversationRecord.model_validate_json(text) for text in self.saved.values()]

    async def save(self, talk: ConversationRecord) -> None:
        """Keep it, or fail as the test said."""
        if self.failures:
            raise self.failures.pop(0)
        self.saved[talk.conversation] = talk.model_dump_json()


@dataclass
class Slack:
    """Threads, as `Chat`, `History`, `Signs` and `Marks`; `failures` are what the next posts run into."""

    posts: list[dict[str, Any]] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)
    told: list[str] = field(default_factory=list)
    """Who was told them."""
    said: list[dict[str, Any]] = field(default_factory=list)
    """What people said, in Slack's shape."""
    failures: list[Exception] = field(default_factory=list)
    lands_all_the_same: bool = False
    statuses: list[str] = field(default_factory=list)
    loading: list[tuple[str, ...]] = field(default_factory=list)
    sessions: list[bool] = field(default_factory=list)
    """Whether a session was said to be at work."""
    has_no_sessions: bool = False
    marks: list[str] = field(default_factory=list)
    untold: list[Exception] = field(default_factory=list)
    """What the next lines for one person alone run into."""
    hangs: bool = False
    """True if Slack answers nothing about them."""
    unreadable: list[Exception] = field(default_factory=list)
    """What the next reads run into."""
    slow_to_find: int = 0
    """How many of the next looks for a post find nothing yet."""

    async def post(self, **arguments: Any) -> str:
        """Land, or fail as the test said."""
        ts = f"900.{len(self.posts):06}"
        if self.failures:
            failure = self.failures.pop(0)
            if self.lands_all_the_same:
                self.posts.append({**arguments, "ts": ts})
            raise failure
        self.posts.append({**arguments, "ts": ts})
        return ts

    async def post_ephemeral(self, *, text: str, user: str, **_: Any) -> None:
        """Keep what somebody was told, or fail as the test said."""
        if self.hangs:
            await asyncio.Event().wait()
        failure = self.untold.pop(0) if self.untold else None
        if failure is None or self.lands_all_the_same:
            self.notices.append(text)
            self.told.append(user)
        if failure:
            raise failure

    async def update(self, *, ts: str, **said: Any) -> None:
        """Replace a post."""
        self.posts = [{**post, **said} if post["ts"] == ts else post for post in self.posts]

    async def open_dm(self, user: str) -> str:
        """The direct message of the one who is alarmed."""
        return f"D{user[1:]}"

    async def user_name(self, user: str) -> str:
        """A name that is told from the id."""
        return f"name of {user}"

    async def find_in_thread(self, *, nonce: str, **_: Any) -> str | None:
        """The post with this nonce."""
        if self.slow_to_find:
            self.slow_to_find -= 1
            return None
        payloads = ((post["metadata"]["event_payload"], post["ts"]) for post in self.posts)
        return next((ts for payload, ts in payloads if payload.get("nonce") == nonce), None)

    async def find_in_channel(self, *, nonce: str, **_: Any) -> str | None:
        """The same."""
        return await self.find_in_thread(nonce=nonce)

    async def message(self, *, channel: str, ts: str) -> dict[str, Any] | None:
        """What somebody said."""
        return next((said for said in self.said if said["ts"] == ts), None)

    async def replies_since(self, *, channel: str, thread_ts: str, oldest: str) -> list[dict[str, Any]]:
        """What people said, and the bot."""
        if self.unreadable:
            raise self.unreadable.pop(0)
        own = [
            {"user": BOT, "bot_id": "B0", **{key: post[key] for key in ("ts", "text", "metadata")}}
            for post in self.posts
            if (post["channel"], post["thread_ts"]) == (channel, thread_ts)
        ]
        people = [said for said in self.said if said.get("thread_ts") == thread_ts]
        return [said for said in (*people, *own) if float(said["ts"]) > float(oldest)]

    async def set_status(self, *, status: str, loading: Sequence[str] = (), **_: Any) -> None:
        """Keep it."""
        self.statuses.append(status)
        self.loading.append((*loading,))

    async def set_session(self, *, is_at_work: bool, **_: Any) -> None:
        """Keep it, or refuse it as Slack does where the app is no agent."""
        if self.has_no_sessions:
            raise Refused("agents.sessions.setStatus: not_authorized", code="not_authorized")
        self.sessions.append(is_at_work)

    async def suggest_prompts(self, **_: Any) -> None:
        """Nothing is suggested here."""
        raise AssertionError

    async def add_reaction(self, *, name: str, **_: Any) -> None:
        """Stands."""
        self.marks.append(f"+{name}")

    async def remove_reaction(self, *, name: str, **_: Any) -> None:
        """Is gone."""
        self.marks.append(f"-{name}")

    @property
    def texts(self) -> list[str]:
        """What the bot has said."""
        return [str(post["text"]) for post in self.posts]


@dataclass
class Box:
    """A toolbox whose commands the test answers."""

    execute: Callable[..., Awaitable[CommandAnswer]]


@dataclass
class Agent:
    """One turn's agent; `play` is what it does."""

    play: Callable[[Agent, str], Awaitable[str]]
    asker: Asker
    respond: Tool
    doing: Callable[[str], Awaitable[None]]
    taint: Taint
    box: Box
    actions: tuple[str, ...] = ()
    tool_calls: list[LoggedCall] = field(default_factory=list)
    last_text: str = ""
    stop_reason: str = ""
    spent: Spent = NOTHING_SPENT
    history: Sequence[ChatLine] = ()

    async def chat(self, text: str, user_name: str, history: Sequence[ChatLine]) -> None:
        """As the test says."""
        self.history = history
        self.last_text = ""
        self.last_text = await self.play(self, text)

    async def wait_for_commands(self) -> None:
        """Nothing is under way."""

    async def summarize(self, transcript: str) -> str | None:
        """Nothing is so long here."""
        raise AssertionError(transcript)

    async def says(self, text: str) -> str:
        """Call `respond`."""
        self.actions += ("respond",)
        said = await self.respond.run(self.respond.input(text=text))
        self.tool_calls.append(LoggedCall("respond", "done"))
        return said

    async def gives(self, command: str, given: Mapping[str, Any]) -> CommandAnswer:
        """Call a command."""
        self.actions += (command,)
        self.tool_calls.append(LoggedCall(command, may_change=True))
        answer = await self.box.execute(command, given, self.asker, tainted=self.taint.must_wait)
        self.tool_calls[-1].outcome, self.tool_calls[-1].line = answer.outcome, answer.line
        return answer


@dataclass
class Head:
    """A `Mind`; `play` is what its agents do, turn by turn."""

    play: Callable[[Agent, str], Awaitable[str]]
    toolbox: Box
    is_ready: bool = True
    is_small: bool = False
    asked: list[str] = field(default_factory=list)
    agents: list[Agent] = field(default_factory=list)

    async def reload_credentials(self) -> bool:
        """Nothing changes by it."""
        return self.is_ready

    def create_agent(self, *, asker: Asker, context: ChatContext, respond: Tool, indicator: Any, taint: Taint) -> Agent:
        """One for each turn."""

        async def play(agent: Agent, text: str) -> str:
            self.asked.append(text)
            return await self.play(agent, text)

        made = Agent(
            play=play, asker=asker, respond=respond, doing=indicator.show_activity, taint=taint, box=self.toolbox
        )
        self.agents.append(made)
        return made


async def echo(agent: Agent, text: str) -> str:
    """Answers with what it was asked."""
    await agent.says(f"You said {text}")
    return "Done."


async def nothing(*_: Any, **__: Any) -> CommandAnswer:
    """No command is expected."""
    raise AssertionError


class Everywhere:
    """Reactions that may stand in every channel."""

    names: ClassVar = {"working": "hammer", "success": "ok", "failure": "x"}

    def allows(self, channel: str) -> bool:
        """Allow them."""
        return True

    def failure(self, channel: str) -> str:
        """The one of a message over the limit."""
        return "over"


@dataclass
class Done:
    """Commands that a turn executed."""

    room: Room

    async def runs_of(self, _: object) -> tuple[CommandRun, ...]:
        """As the test says."""
        return tuple(CommandRun(line=line, at=self.room.clock.now(), has_changed=True) for line in self.room.done)


class NoProjects:
    """Contexts of turns without a project."""

    async def context_of(self, turn: object) -> ChatContext:
        """Return nothing known."""
        return ChatContext()


@dataclass
class Room:
    """Everything around one bot's conversations, which outlives it."""

    play: Callable[[Agent, str], Awaitable[str]] = echo
    execute: Callable[..., Awaitable[CommandAnswer]] = nothing
    ready: bool = True
    talks: MemoryTalks = field(default_factory=MemoryTalks)
    slack: Slack = field(default_factory=Slack)
    audit: MemoryJournal = field(default_factory=MemoryJournal)
    clock: HandClock = field(default_factory=HandClock)
    silenced: set[str] = field(default_factory=set)
    preview: set[str] = field(default_factory=set)
    questions: list[Message] = field(default_factory=list)
    done: tuple[str, ...] = ()
    heads: list[Head] = field(default_factory=list)
    is_stopped: bool = False
    cut_off: list[str] = field(default_factory=list)
    contexts: Any = field(default_factory=NoProjects)
    rate: Rate = field(default_factory=lambda: Rate(per_minute=60, burst=60))

    @property
    def asked(self) -> list[str]:
        """What agents were asked, by every bot that was here."""
        return [text for head in self.heads for text in head.asked]

    @property
    def results(self) -> list[str]:
        """What came of the turns, from the audit."""
        return [record["result"] for record in self.audit.kept if record["kind"] == "conversation"]

    async def bot(self) -> ChatConversations:
        """A process that starts."""
        slack: Any = self.slack
        head: Any = Head(play=self.play, toolbox=Box(self.execute), is_ready=self.ready)
        self.heads.append(head)
        truth = GroundTruth(history=slack, bot_user_id=BOT, clock=self.clock)
        silent = SilentExitAlarm(
            truth=truth, chat=slack, operator=OPERATOR, audit=self.audit, clock=self.clock, url="https://x.slack.com/"
        )
        words = wording()
        talking = TurnRunner(
            agent_factory=head,
            poster=ReplyPoster(
                chat=slack,
                clock=self.clock,
                url="https://x.slack.com/",
                controls=self,  # type: ignore[arg-type]  # it has what a poster calls
                wording=words,
            ),
            assistant_status=slack,
            marks=slack,
            reactions=Everywhere(),  # type: ignore[arg-type]  # it has what a turn calls
            silent_exits=silent,
            thread_history=ThreadHistory(
                history=slack,
                chat=slack,
                bot_user_id=BOT,
                clock=self.clock,
                wording=words,
                past_orders=PastOrders(audit=self.audit),
            ),
            permission=permission(),
            contexts=self.contexts,
            triage=self,
            command_runs=Done(self),  # type: ignore[arg-type]  # as above
            replies=self,  # type: ignore[arg-type]  # as above
            redactor=Redactor(),
            clock=self.clock,
            claims=claim_words(),
        )
        rate = MessageRate(
            rate=self.rate,
            poster=talking.poster,
            reactions=slack,
            rules=Everywhere(),  # type: ignore[arg-type]  # as above
            clock=self.clock,
        )
        replies: Any = self
        made = ChatConversations(
            store=self.talks, turn_runner=talking, audit=self.audit, clock=self.clock, rate=rate, replies=replies
        )
        await made.load()
        made.begin()
        return made

    async def report_stopped(self, message: Message, *, is_question: bool) -> None:
        """Keep whom a stop cuts off (`DirectReplies`)."""
        assert not is_question
        self.cut_off.append(message.content)

    async def ask(self, asked: Message) -> bool:
        self.questions.append(asked)
        return asked.chat_id != "C0ELSE"

    def guidance(self, _: Message) -> str:
        """The line on what the bot does (`DirectReplies`)."""
        return POINTER

    def why_silent(self, home: str) -> str | None:
        """Why a thread is silent (`Controls`)."""
        return "silence" if home in self.silenced else None

    def may_publish(self, channel: str) -> bool:
        """Whether all may read of it in a channel (`Controls`)."""
        return channel not in self.preview


def said(
    text: str, ts: str = "100.000001", *, sender: str = "U0ADMIN", channel: str = ADMIN_DM, root: str | None = None
) -> Message:
    """A message to the bot, by the admin in their direct message."""
    home = thread_id(TEAM, channel, root) if root else None
    return message(text, ts=ts, sender=sender, chat_id=channel, chat_name=channel, thread_id=home)


async def rest(clock: HandClock, seconds: float = 0) -> None:
    """Let everything that is ready run."""
    await settle(200)
    for _ in range(int(seconds)):
        await clock.move(1)
        await settle(100)


class Gate:
    """An agent that waits until the test lets it go on."""

    def __init__(self) -> None:
        self.now: list[str] = []
        self._open: dict[str, asyncio.Event] = {}

    async def __call__(self, agent: Agent, text: str) -> str:
        """Wait, then answer."""
        self.now.append(text)
        try:
            await self._open.setdefault(text, asyncio.Event()).wait()
        finally:
            self.now.remove(text)
        return await echo(agent, text)

    def let(self, text: str) -> None:
        """Let this one go on."""
        self._open.setdefault(text, asyncio.Event()).set()
