"""Automatic replies: the gates, which commands show, and what approves, announces and takes back."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from bot.approval.auto_reply_presses import AutoReplyPresses
from bot.commands.auto_replies import AutoReplyCommands
from bot.runtime.scheduler import Job
from bot.triage.auto_replies import AutoReplies
from bot.triage.auto_reply_book import AutoReplyBook
from bot.triage.auto_reply_notices import AutoReplyNotices
from bot.triage.judged_drafts import JudgedDrafts
from bot.triage.maturity_gates import MaturityGates
from bot.wiring.approval import build_freshness

if TYPE_CHECKING:
    from bot.wiring.core import Core
    from bot.wiring.infrastructure import Infrastructure


@dataclass(frozen=True, kw_only=True)
class AutoReplyParts:
    """Follower of the threads' steps, handler of presses, and the periodic look at the gates."""

    follower: AutoReplies
    presses: AutoReplyPresses
    jobs: tuple[Job, ...]


def build_gates(infra: Infrastructure) -> MaturityGates:
    """Build the maturity gates on the journals and the book."""
    storage, settings = infra.storage, infra.settings
    return MaturityGates(
        judged=JudgedDrafts(journal=infra.judgements, feedback=infra.feedback),
        book=AutoReplyBook(
            consents_file=storage.json_file("auto-reply-channels"),
            replies_file=storage.json_file("auto-replies"),
            gates_file=storage.json_file("auto-reply-gates"),
        ),
        chat=infra.chat,
        members=infra.members,
        people=(*(settings.operators or (infra.operator,)), *settings.admins),
        clock=infra.clock,
    )


def build_auto_replies(core: Core) -> AutoReplyParts:
    """Build the follower, and have the orchestrator tell it of each step."""
    gates = core.gates
    notices = AutoReplyNotices(
        book=gates.book,
        judged=gates.judged,
        chat=core.chat,
        history=core.chat,
        members=core.members,
        replies=core.replies,
        words=core.feedback,
        others=gates.people,
        bot_user_id=core.identity.user_id,
        url=core.identity.url,
        clock=core.clock,
    )
    follower = AutoReplies(
        orchestrator=core.orchestrator,
        judged=gates.judged,
        gates=gates,
        book=gates.book,
        notices=notices,
        freshness=build_freshness(core),
        history=core.chat,
        controls=core.controls,
        audit=core.audit,
        clock=core.clock,
        hours=core.orchestrator.limits.hours,
        bot_user_id=core.identity.user_id,
    )
    core.orchestrator.followers.each.append(follower)
    presses = AutoReplyPresses(
        notices=notices,
        gates=gates,
        operators=core.operators,
        store=core.store,
        chat=core.chat,
        audit=core.audit,
        clock=core.clock,
    )
    jobs = (Job("gates", timedelta(hours=1), gates.check),)
    return AutoReplyParts(follower=follower, presses=presses, jobs=jobs)


def build_auto_reply_commands(core: Core) -> AutoReplyCommands:
    """Build the commands that show and switch automatic replies."""
    return AutoReplyCommands(
        gates=core.gates,
        book=core.gates.book,
        projects=core.projects,
        names=core.channel_names,
        externals=core.externals,
        clock=core.clock,
    )
