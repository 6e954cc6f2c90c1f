"""Chat: the addressee of messages to the bot, replies without a model, conversations with the chat agent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.adapters.conversations import ConversationFiles
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
from bot.triage.ground_truth import GroundTruth
from bot.triage.project_words import ProjectWords
from bot.wiring.engines import build_mind
from bot.wiring.infrastructure import new_id

if TYPE_CHECKING:
    from bot.agents.llm_runtime import LlmRuntime
    from bot.chat.agent import ChatAgentFactory
    from bot.commands.entry import TypedCommandHandler
    from bot.config.environment import Environment
    from bot.intake.watcher import Watcher
    from bot.triage.orchestrator import Orchestrator
    from bot.wiring.infrastructure import Infrastructure
    from bot.wiring.intake import Intake


def build_chat(
    infra: Infrastructure,
    environment: Environment,
    runtime: LlmRuntime | None,
    commands: TypedCommandHandler,
    watcher: Watcher,
) -> ChatConversations:
    """Build the conversations. Controls tell them of stop and mute, commands of presses; `watcher` takes questions."""
    settings, controls = infra.settings, infra.controls
    wording = ChatWording(naming=infra.naming, clock=infra.reader_clock)
    mind = build_mind(settings, environment, commands.handler, runtime, redactor=infra.redactor, wording=wording)
    voice = ReplyPoster(
        chat=infra.chat,
        clock=infra.clock,
        url=infra.identity.url,
        find_silence_reason=controls.why_silent,
        wording=wording,
        may_publish_in=controls.may_publish,
    )
    reactions = ReactionRules(controls=controls, quiet=settings.marks.quiet, names=settings.slack.reactions.names)
    rate = MessageRate(
        rate=build_message_rate(settings.floods.per_user.rate),
        notify=voice.notify,
        reactions=infra.chat,
        emoji=reactions.failure,
        clock=infra.clock,
    )
    replies = _build_replies(infra, commands, rate, reactions, mind)
    conversations = ChatConversations(
        store=ConversationFiles(infra.home.conversations),
        turn_runner=_build_turns(infra, watcher, replies, reactions, mind, voice),
        audit=infra.audit,
        clock=infra.clock,
        rate=rate,
        replies=replies,
    )
    controls.changed.append(conversations.end_silenced)
    commands.confirmations.record_outcome = conversations.record_outcome
    commands.orders.outbox = voice.outbox
    return conversations


def _build_replies(
    infra: Infrastructure,
    commands: TypedCommandHandler,
    rate: MessageRate,
    reactions: ReactionRules,
    mind: ChatAgentFactory,
) -> DirectReplies:
    return DirectReplies(
        handler=commands.handler,
        orders=commands.orders,
        permission=infra.permission,
        controls=infra.controls,
        rate=rate,
        chat=infra.chat,
        marks=infra.chat,
        reactions=reactions,
        mind=mind,
        naming=infra.naming,
        url=infra.identity.url,
        audit=infra.audit,
        clock=infra.clock,
    )


def _build_turns(
    infra: Infrastructure,
    watcher: Watcher,
    replies: DirectReplies,
    reactions: ReactionRules,
    mind: ChatAgentFactory,
    voice: ReplyPoster,
) -> TurnRunner:
    chat, clock, bot_user_id = infra.chat, infra.clock, infra.identity.user_id
    truth = GroundTruth(history=chat, bot_user_id=bot_user_id, clock=clock)
    return TurnRunner(
        agent_factory=mind,
        poster=voice,
        assistant_status=chat,
        marks=chat,
        reactions=reactions,
        silent_exits=SilentExitAlarm(
            truth=truth, chat=chat, operator=infra.operator, audit=infra.audit, clock=clock, url=infra.identity.url
        ),
        truth=truth,
        thread_history=ThreadHistory(
            history=chat,
            chat=chat,
            bot_user_id=bot_user_id,
            clock=clock,
            wording=voice.wording,
            past_orders=PastOrders(audit=infra.audit),
        ),
        permission=infra.permission,
        context_of=_build_contexts(infra).of,
        triage=watcher,
        list_commands_run=CommandRuns(infra.audit).of,
        format_usage_hint=replies.guidance,
        redactor=infra.redactor,
        clock=clock,
        may_claim=claim_words(infra.settings.classifier.languages).may_claim,
    )


def _build_contexts(infra: Infrastructure) -> TurnContexts:
    return TurnContexts(active=infra.active, projects=infra.projects, bot_user_id=infra.identity.user_id)


def build_addressee(
    infra: Infrastructure, conversations: ChatConversations, intake: Intake, orchestrator: Orchestrator
) -> AddresseeRouter:
    """Build the addressee of messages to the bot: triage, a command or the chat agent."""
    languages, replies = infra.settings.classifier.languages, conversations.replies
    names = KnownNames(
        registry=infra.projects, channel_names=infra.channel_names, commands=replies.handler.catalogue.keys()
    )
    own_questions = OwnQuestionCommands(
        orchestrator=orchestrator, url=infra.identity.url, now=infra.clock.now, redactor=infra.redactor
    )
    return AddresseeRouter(
        words=load_addressing_words(languages),
        orders=order_parser(languages),
        settling=settling_words(languages),
        held_words=ProjectWords(projects=infra.projects),
        own_questions=own_questions,
        new_id=new_id,
        names=names,
        replies=replies,
        team=intake.watcher.team,
        viewed_pages=infra.looking,
        threads=orchestrator,
        conversations=conversations,
        mutes=intake.mutes,
        classified=infra.classified,
        clock=infra.clock,
        people=infra.permission,
        notes=_build_contexts(infra),
        windows=intake.watcher.debouncer,
        externals=infra.externals,
    )
