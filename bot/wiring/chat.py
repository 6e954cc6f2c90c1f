"""Talking with the bot, put together: whom it is meant for, the conversations, the replies that need no model.

The agent's mind is `wiring/chat_agent`'s.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from bot.adapters.conversations import TalkFiles
from bot.chat.conversations import ChatConversations
from bot.chat.direct_replies import DirectReplies
from bot.chat.fallback_reply import deed
from bot.chat.message_rate import MessageRate, words_rate
from bot.chat.past_orders import PastOrders
from bot.chat.reply_poster import Voice
from bot.chat.silent_exit_alarm import SilentEnds
from bot.chat.suggested_prompts import SuggestedPrompts
from bot.chat.thread_history import Remembering
from bot.chat.turn import Talking
from bot.chat.wording import ChatWording
from bot.commands.catalogue import CATALOGUE
from bot.commands.mine import OwnQuestions
from bot.commands.permission import NOT_OF_US
from bot.decide.addressing.notes_thread import notes_asked_for
from bot.decide.addressing.unbacked_claims import claim_words
from bot.decide.addressing.words import door_words
from bot.decide.classify.settlement import settling_words
from bot.decide.orders import Known, order_parser
from bot.intake.addressee import Doors
from bot.models.conversation import ChatContext
from bot.models.interaction import said_in
from bot.models.message import without_mention
from bot.models.order import place_of
from bot.models.talk import CommandRun, TalkTurn, is_direct
from bot.triage.ground_truth import GroundTruth
from bot.triage.project_words import HeldWords
from bot.wiring.chat_agent import mind
from bot.wiring.commands import new_id
from bot.wiring.workflow import naming_of

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from bot.chat.agent import Mind
    from bot.commands.entry import CommandDesk
    from bot.config.environment import Environment
    from bot.decide.addressing.addressee import Role
    from bot.decide.classify.classifier import Classifier
    from bot.models.message import Message
    from bot.models.order import Place
    from bot.ports.inbound import Mutes
    from bot.triage.controls import Controls
    from bot.triage.operators import Operators
    from bot.triage.orchestrator import Orchestrator
    from bot.wiring.infrastructure import Infrastructure
    from bot.wiring.llm_runtime import Thinking


def conversations(
    ground: Infrastructure,
    environment: Environment,
    thinking: Thinking | None,
    commands: CommandDesk,
    controls: Controls,
    operators: Operators,
    ask_triage: Callable[[Message], Awaitable[bool]],
) -> ChatConversations:
    """The conversations; `controls` tells them of stop and mute from now on, `commands` what came of a press."""
    wording = ChatWording(naming=naming_of(ground), clock=ground.reader_clock)
    agent = mind(
        ground.settings,
        environment,
        commands.handler,
        thinking,
        redactor=ground.redactor,
        new_id=new_id,
        wording=wording,
    )
    voice = Voice(
        chat=ground.chat,
        clock=ground.clock,
        url=ground.identity.url,
        silenced=_silenced(controls),
        wording=wording,
        publishes=lambda channel: controls.modes.get(channel) in (None, "live"),
    )
    rate = _rate(ground, controls, voice)
    replies = _replies(ground, commands, controls, operators, rate, wording, can_talk=lambda: agent.is_ready)
    made = ChatConversations(
        talks=TalkFiles(ground.home.conversations),
        talking=_talking(ground, replies, operators, agent, voice, ask_triage),
        audit=ground.audit,
        clock=ground.clock,
        rate=rate,
        replies=replies,
    )
    controls.changed.append(made.reconsider)
    commands.confirming.settled = made.settled
    commands.orders.outbox = voice.outbox
    return made


def _rate(ground: Infrastructure, controls: Controls, voice: Voice) -> MessageRate:
    """How many messages of a person are answered."""
    marked, names = _marked(ground, controls), ground.settings.slack.reactions.names
    return MessageRate(
        rate=words_rate(ground.settings.floods.per_user.rate),
        tell=voice.tell,
        marks=ground.chat,
        emoji=lambda channel: names.get("failure") if marked(channel) else None,
        clock=ground.clock,
    )


def _replies(
    ground: Infrastructure,
    commands: CommandDesk,
    controls: Controls,
    operators: Operators,
    rate: MessageRate,
    wording: ChatWording,
    *,
    can_talk: Callable[[], bool],
) -> DirectReplies:
    """The replies that need no model."""
    return DirectReplies(
        handler=commands.handler,
        orders=commands.orders,
        permission=commands.handler.permission,
        controls=controls,
        rate=rate,
        chat=ground.chat,
        marks=ground.chat,
        marked=_marked(ground, controls),
        role_of=lambda user: role_of(ground, operators, user),
        modes=lambda: {channel: mode for channel, mode in controls.modes.items() if channel not in ground.away},
        names=wording.naming.names,
        can_talk=can_talk,
        url=ground.identity.url,
        audit=ground.audit,
        clock=ground.clock,
    )


def _talking(
    ground: Infrastructure,
    replies: DirectReplies,
    operators: Operators,
    agent: Mind,
    voice: Voice,
    ask_triage: Callable[[Message], Awaitable[bool]],
) -> Talking:
    """The turns of the chat agent."""
    chat, clock, bot_user_id = ground.chat, ground.clock, ground.identity.user_id
    truth = GroundTruth(history=chat, bot_user_id=bot_user_id, clock=clock)
    return Talking(
        mind=agent,
        voice=voice,
        signs=chat,
        marks=chat,
        names=ground.settings.slack.reactions.names,
        marked=replies.marked,
        silent=SilentEnds(
            truth=truth, chat=chat, operator=ground.operator, audit=ground.audit, clock=clock, url=ground.identity.url
        ),
        truth=truth,
        remembering=Remembering(
            history=chat,
            chat=chat,
            bot_user_id=bot_user_id,
            clock=clock,
            wording=voice.wording,
            past_orders=PastOrders(audit=ground.audit),
        ),
        permission=replies.permission,
        works_here=lambda user: role_of(ground, operators, user) != "member",
        context_of=_context_of(ground),
        ask_triage=ask_triage,
        done_in=_done_in(ground),
        line=lambda message: replies.line(message, _place(replies.controls, message)),
        redactor=ground.redactor,
        clock=clock,
        may_claim=claim_words(ground.settings.classifier.languages).may_claim,
    )


def _marked(ground: Infrastructure, controls: Controls) -> Callable[[str], bool]:
    """Whether an emoji may stand under messages of a channel."""
    quiet = ground.settings.marks.quiet
    return lambda channel: is_direct(channel) or (controls.modes.get(channel) == "live" and channel not in quiet)


def _place(controls: Controls, message: Message) -> Place:
    return "direct" if is_direct(message.chat_id) else place_of(controls.modes.get(message.chat_id))


def doors(
    ground: Infrastructure,
    talks: ChatConversations,
    classifier: Callable[[], Classifier],
    threads: Orchestrator,
    mutes: Mutes,
    operators: Operators,
) -> Doors:
    """Who is told apart from whom."""

    async def is_member(message: Message) -> bool:
        return await talks.talking.permission.refusal(TalkTurn(message=message, door="").asker, "member") != NOT_OF_US

    return Doors(
        words=door_words(ground.settings.classifier.languages),
        orders=order_parser(ground.settings.classifier.languages),
        settling=settling_words(ground.settings.classifier.languages),
        are_known=HeldWords(projects=ground.projects).are_known,
        own_questions=OwnQuestions(
            orchestrator=threads, url=ground.identity.url, now=ground.clock.now, redactor=ground.redactor
        ).open_of,
        new_id=new_id,
        known=lambda: Known(
            projects=(*ground.projects.names, *(part.name for part in ground.projects.known())),
            channels=(*ground.channel_names, *ground.channel_names.values()),
            commands=talks.replies.handler.catalogue.keys(),
        ),
        replies=talks.replies,
        classifier=classifier,
        eyes=ground.looking,
        threads=threads,
        conversations=talks,
        mutes=mutes,
        classified=ground.classified,
        clock=ground.clock,
        role_of=lambda user: role_of(ground, operators, user),
        is_member=is_member,
        takes_notes=lambda message: (
            _opens_notes(ground, message) is not None or ground.active.notes_of(message.home) is not None
        ),
    )


def prompter(ground: Infrastructure, operators: Operators) -> SuggestedPrompts:
    """Who suggests what one may say."""
    return SuggestedPrompts(signs=ground.chat, works_here=lambda user: role_of(ground, operators, user) != "member")


def role_of(ground: Infrastructure, operators: Operators, user: str) -> Role:
    """What the settings, and the user groups that they name, say of a person."""
    if user in ground.settings.admins:
        return "admin"
    return "operator" if user in operators.everyone() else "member"


def _silenced(controls: Controls) -> Callable[[str], str | None]:
    def why(thread_id: str) -> str | None:
        if controls.state == "stopped":
            return "Triage is stopped"
        return "this thread is muted" if thread_id in controls.muted else None

    return why


def _context_of(ground: Infrastructure) -> Callable[[TalkTurn], Awaitable[ChatContext]]:
    async def context_of(turn: TalkTurn) -> ChatContext:
        here = turn.message.home
        if project := _opens_notes(ground, turn.message):
            await ground.active.take_notes(here, project)
        return ChatContext(
            project=ground.active.of(here),
            channel_project=ground.projects.channels.get(turn.message.chat_id),
            page=turn.message.page,
            notes_thread_of=ground.active.notes_of(here),
        )

    return context_of


def _opens_notes(ground: Infrastructure, message: Message) -> str | None:
    """The project whose notes the thread below this message takes: only the first one of a thread says so."""
    said = without_mention(message.own_content, ground.identity.user_id)
    return None if message.thread_id is not None else notes_asked_for(said, ground.projects.names)


def _done_in(ground: Infrastructure) -> Callable[[TalkTurn], Awaitable[tuple[CommandRun, ...]]]:
    async def done_in(turn: TalkTurn) -> tuple[CommandRun, ...]:
        records, own = ground.audit.records(since=turn.began_at), ("command", said_in(turn.message))
        return tuple([_ran(one) async for one in records if (one.get("kind"), one.get("interaction_id")) == own])

    return done_in


def _ran(record: dict[str, Any]) -> CommandRun:
    """A command's line of the audit; a channel reads of no name that the model may have chosen."""
    name, outcome, tier, line = (str(record.get(key) or "") for key in ("action", "outcome", "tier", "result"))
    is_done, spec, waits = outcome == "done" and tier != "read", CATALOGUE.get(name), outcome == "asked"
    has_changed = is_done and not record.get("unchanged")
    said = line if is_done and line else f"`{name}`" if waits else f"`{name}`: {outcome}"
    row = deed(spec.deed, str((record.get("input") or {}).get("project") or "")) if has_changed and spec else ""
    return CommandRun(line=said, row=row, at=datetime.fromisoformat(record["at"]), has_changed=has_changed, waits=waits)
