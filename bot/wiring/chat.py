"""Chat: the addressee of messages to the bot, replies without a model, conversations with the chat agent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.chat.command_runs import CommandRuns
from bot.chat.conversations import ChatConversations
from bot.chat.direct_replies import DirectReplies
from bot.chat.known_names import KnownNames
from bot.chat.message_rate import MessageRate, build_message_rate
from bot.chat.past_orders import PastOrders
from bot.chat.reaction_rules import ReactionRules
from bot.chat.reply_poster import ReplyPoster
from bot.chat.silent_exit_alarm import SilentExitAlarm
from bot.chat.thread_history import ThreadHistory
from bot.chat.turn import TurnRunner
from bot.chat.turn_context import TurnContexts
from bot.chat.wording import ChatWording
from bot.commands.mine import OwnQuestionCommands
from bot.decide.addressing.unbacked_claims import claim_words
from bot.decide.addressing.words import load_addressing_words
from bot.decide.classify.settlement import settling_words
from bot.decide.orders import order_parser
from bot.intake.addressee import AddresseeRouter
from bot.tasks.task_stops import TaskStops
from bot.triage.ground_truth import GroundTruth
from bot.triage.project_words import ProjectWords
from bot.wiring.engines import build_mind

if TYPE_CHECKING:
    from bot.agents.llm_runtime import LlmRuntime
    from bot.chat.agent import ChatAgentFactory
    from bot.commands.entry import TypedCommandHandler
    from bot.config.environment import Environment
    from bot.wiring.core import Core


def build_chat(
    core: Core, environment: Environment, runtime: LlmRuntime | None, commands: TypedCommandHandler
) -> ChatConversations:
    """Build the conversations. Controls tell them of stop and mute, commands of presses; `watcher` takes questions."""
    settings, controls = core.settings, core.controls
    wording = ChatWording(naming=core.naming, clock=core.reader_clock)
    mind = build_mind(settings, environment, commands.handler, runtime, wording)
    voice = ReplyPoster(
        chat=core.chat,
        clock=core.clock,
        url=core.identity.url,
        controls=controls,
        wording=wording,
    )
    reactions = ReactionRules(controls=controls, quiet=settings.marks.quiet, names=settings.slack.reactions.names)
    rate = MessageRate(
        rate=build_message_rate(settings.floods.per_user.rate),
        poster=voice,
        reactions=core.chat,
        rules=reactions,
        clock=core.clock,
    )
    replies = DirectReplies(
        handler=commands.handler,
        orders=commands.orders,
        controls=controls,
        rate=rate,
        marks=core.chat,
        reactions=reactions,
        mind=mind,
        naming=core.naming,
    )
    conversations = ChatConversations(
        store=core.storage.conversations,
        turn_runner=_build_turns(core, replies, reactions, mind, voice),
        audit=core.audit,
        clock=core.clock,
        rate=rate,
        replies=replies,
        auto_reply_channels=lambda: core.gates.book.consents,
        draining=core.draining,
    )
    controls.observers.append(conversations)
    commands.confirmations.conversations = conversations
    commands.orders.outbox = voice.outbox
    return conversations


def _build_turns(
    core: Core, replies: DirectReplies, reactions: ReactionRules, mind: ChatAgentFactory, voice: ReplyPoster
) -> TurnRunner:
    chat, clock, bot_user_id = core.chat, core.clock, core.identity.user_id
    truth = GroundTruth(history=chat, bot_user_id=bot_user_id, clock=clock)
    return TurnRunner(
        agent_factory=mind,
        poster=voice,
        assistant_status=chat,
        marks=chat,
        reactions=reactions,
        silent_exits=SilentExitAlarm(
            truth=truth, chat=chat, operator=core.operator, audit=core.audit, clock=clock, url=core.identity.url
        ),
        thread_history=ThreadHistory(
            history=chat,
            chat=chat,
            bot_user_id=bot_user_id,
            clock=clock,
            wording=voice.wording,
            past_orders=PastOrders(audit=core.audit),
        ),
        permission=core.permission,
        contexts=TurnContexts(active=core.active, projects=core.projects, bot_user_id=bot_user_id),
        triage=core.watcher,
        command_runs=CommandRuns(core.audit),
        replies=replies,
        redactor=core.redactor,
        clock=clock,
        claims=claim_words(core.settings.classifier.languages),
    )


def build_addressee(core: Core, conversations: ChatConversations) -> AddresseeRouter:
    """Build the addressee of messages to the bot: triage, a command or the chat agent."""
    languages, replies = core.settings.classifier.languages, conversations.replies
    names = KnownNames(
        registry=core.projects, channel_names=core.channel_names, commands=replies.handler.catalogue.keys()
    )
    own_questions = OwnQuestionCommands(
        orchestrator=core.orchestrator, url=core.identity.url, clock=core.clock, redactor=core.redactor
    )
    return AddresseeRouter(
        words=load_addressing_words(languages),
        orders=order_parser(languages),
        settling=settling_words(languages),
        held_words=ProjectWords(projects=core.projects),
        own_questions=own_questions,
        names=names,
        replies=replies,
        team=core.watcher.team,
        viewed_pages=core.looking,
        threads=core.orchestrator,
        conversations=conversations,
        mutes=core.mutes,
        classified=core.classified,
        clock=core.clock,
        people=core.permission,
        notes=conversations.turn_runner.contexts,
        windows=core.watcher.debouncer,
        externals=core.externals,
        late=core.watcher.late,
        tasks=TaskStops(
            orchestrator=core.orchestrator, naming=core.naming, chat=core.chat, audit=core.audit, clock=core.clock
        ),
    )
