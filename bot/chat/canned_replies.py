"""Fixed replies of Triage, sent where the chat agent cannot answer: a sentence or two each."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from blocks.queue import message_link
from blocks.text import clip, escape, name_channel
from bot.errors import NoKey, OverCap, Unreachable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.decide.addressing.addressee import Role
    from bot.decide.limits import Spent
    from bot.models.named_question import OwnQuestion
    from bot.models.order import Place
    from bot.models.session import Outcome

TOO_OLD = "This waited for more than ten minutes, which is too old to act on. Send it again if you still need it."
CANCELLED = "Called off before it began, as you asked; nothing was done."
NOTHING_RUNS = "Nothing was stopped: no answer is being written here any more."
NOT_THEIRS_TO_STOP = (
    "The answer being written here is somebody else's: only they, operators and admins can stop it. Nothing was "
    "stopped."
)
NOT_THEIR_ANSWER = (
    "The answer being written here is somebody else's, and only they can stop it. Nothing was stopped; "
    "`/triage stop` is for admins, and stops Triage itself."
)
SILENT = "This ended without an answer. An operator was told; please ask again, or use a command: `/triage help`."
NOTHING_CHANGED = "Nothing was changed."
"""Notice below an answer of the model that no command backs."""
MESSAGE_DELETED = "Your message was deleted, so the answer is here."
READ_IN_PART = "Of your message the first {characters:,} characters were read."
TO_TRIAGE = "The answer rests on code or notes, so it begins as a draft, which is checked before it is posted."
FOR_TRIAGE = "Taken as a question about the code: a draft goes to an operator first."
FOR_TRIAGE_ALONE = "Taken as a question about the code: an answer is on its way, perhaps without an operator before it."
"""The same in a channel with automatic replies."""
JOINED = "Added to the question of this thread; it is read before anything is posted."
NO_ORDER = (
    "Your question is closed, since it no longer asks anything. I take no orders from an edit: send a new message."
)
PRACTICE = "I practise in this channel: an operator sees my draft, and nothing is posted here."
TOO_MANY_MESSAGES = (
    "You send more messages than I accept at once, so this one was not handled, nor are the next ones. Send it again "
    "in a minute."
)

_PURPOSE = (
    "I look up answers to questions about the team's code, and an operator approves each that is not marked automatic."
)
_MAX_CHANNELS = 3
_LONGEST_PART = 80
_MAX_LISTED = 10
"""Number of a person's questions listed in a reply."""

ORDERS_OF: dict[Role, tuple[str, ...]] = {
    "member": ("how is my question?",),
    "operator": ("what is waiting for me?", "what did you cost this week?"),
    "admin": ("what is waiting?", "pause everything"),
}
"""Orders in plain words that need no model."""

_TRY_LATER = " Please try again later."
_COMMANDS = "Commands work without a model: `/triage help` lists them."
_STOPPED: dict[Outcome, str] = {
    "refused": "The model would not answer this.",
    "loop": "I repeated myself and stopped.",
    "stalled": "A call did not return, and I stopped.",
    "unusable": "My answer became too long, so I stopped.",
}
_TOO_MUCH = "This took more than I may use for one answer."


def describe_stop(outcome: Outcome) -> str:
    """Return the reason why code ended a run, in a sentence; empty for a run that ended by itself."""
    return "" if outcome == "answered" else _STOPPED.get(outcome, _TOO_MUCH)


def format_usage_hint(place: Place, *, role: Role, channels: Sequence[str], can_talk: bool) -> str:
    """Explain in one line what the bot does in a place, and how somebody of this role uses it.

    `channels` are the ids of watched channels. Without a model the line names the orders that work in plain words.
    """
    named = ", ".join(f"<#{channel}>" for channel in channels[:_MAX_CHANNELS])
    ask = f"ask in {named}, or in a direct message to me" if named else "ask in a direct message to me"
    match place:
        case "watched":
            here = "Ask me here, with a mention, or in a direct message."
        case "silent":
            here = f"In this channel I am set to silent: I record what is said and take no questions, so {ask}."
        case "unwatched":
            here = f"This channel is not watched, so I take no questions here: {ask}."
        case "direct":
            here = "Ask me here, as you would ask a colleague."
    if can_talk:
        return f"{_PURPOSE} {here} `/triage help` lists what else you can ask me."
    orders = " or ".join(f"\u201c{order}\u201d" for order in ORDERS_OF[role])
    return f"{_PURPOSE} {here} You can also say {orders}; `/triage help` lists all that you can ask me."


def format_not_understood(parts: Sequence[str]) -> str:
    """Name the parts of a request that were not understood."""
    named = ", ".join(f"\u201c{escape(clip(part, _LONGEST_PART))}\u201d" for part in parts)
    return f"Nothing was done: I do not understand {named}. Send each request in a separate message."


def format_code_question(*, is_direct: bool, is_below: bool) -> str:
    """Ask whether a message is about the code, when no model can decide it."""
    if is_below:
        return (
            "I take this as a message to me, but know no such order: nothing was done, and it was not added to the "
            "question above. To add it, write it here without mentioning me."
        )
    say = "*yes*" if is_direct else "*yes* with a mention of me"
    return (
        f"I cannot tell whether this is about the code. If it is, say {say}, and it is looked up. "
        "`/triage help` lists what else you can ask me."
    )


def format_nothing_running(role: Role) -> str:
    """Say that nothing of the asker's is running."""
    pause_hint = " To pause all of Triage, say *pause everything*." if role == "admin" else ""
    return f"Nothing of yours is running here, so there was nothing to stop.{pause_hint}"


def format_settlement(questions: Sequence[str], *, is_meant: bool, is_closed: bool, may_mean_all: bool = False) -> str:
    """Report that the asker's questions were closed, or ask which one is meant.

    `may_mean_all`: the message could also ask to pause all of Triage.
    """
    many, rows = len(questions) > 1, "\n".join(f"• {row}" for row in questions[:_MAX_LISTED])
    if not is_meant:
        are = f"{len(questions)} questions of yours are" if many else "1 question of yours is"
        how = "Name the one you mean by a word of it (*close my question about …*), or write so in its thread."
        return f"{are} open, and none was closed:\n{rows}\n{how}"
    subject = "These questions of yours are" if many else "Your question is"
    threads = "their threads" if many else "its thread"
    if is_closed:
        reopen_hint = f"What you write in {threads} opens {'them' if many else 'it'} again."
        reopen_hint = (
            f"{reopen_hint} The bot continues: *pause everything* pauses all of it." if may_mean_all else reopen_hint
        )
        return f"{subject} closed, and nobody works on {'them' if many else 'it'} any more:\n{rows}\n{reopen_hint}"
    return f"{subject} settled, as you say; an operator is told and decides:\n{rows}\n`/triage mine` shows the state."


def format_own_question(question: OwnQuestion, url: str) -> str:
    """Format a question as its text with a link to its thread."""
    _, channel, ts = question.home.split("-", 2)
    words = escape(clip(question.text, 80)).replace("|", "/") or "your question"
    return f"<{message_link(url, channel, ts)}|{words}> in {name_channel(channel)}"


def format_stopped(*, role: Role, is_question: bool) -> str:
    """Say that Triage is stopped."""
    what = "Your question is saved and waits" if is_question else "Your message is not acted on"
    if role == "admin":
        return f"Triage is stopped. {what} until it has resumed: `/triage resume`."
    return f"An admin has stopped Triage. {what} until it has resumed; the admin is then told that you wrote."


def format_failure(problem: Exception | None, *, detailed: bool) -> str:
    """Explain why a turn failed, as mrkdwn.

    `detailed` is for operators and admins in their direct messages: others can do nothing about a server, a key or a
    sum, and should not read about them.
    """
    why = f": {escape(str(problem))}" if detailed else ""
    match problem:
        case OverCap(limit="day"):
            if detailed:
                return (
                    f"Today's budget of the agents is used up. An admin can raise it with `/triage allow`. {_COMMANDS}"
                )
            return f"The model's budget for today is used up; it continues at midnight UTC. {_COMMANDS}"
        case OverCap(limit="run"):
            return f"This would cost more than one answer may{why}. Ask for it in smaller steps. {_COMMANDS}"
        case Unreachable():
            return f"The model cannot be reached at the moment{why}.{_TRY_LATER} {_COMMANDS}"
        case OverCap() | NoKey():
            return f"The model's server does not serve me at the moment{why}. {_COMMANDS}"
        case None:
            return f"This failed{': the log says why' if detailed else ''}. {_COMMANDS}"
        case _:
            return f"This did not work{why}. {_COMMANDS}"


def append_done(message: str, done: str, *, changed: bool = False) -> str:
    """Join a sentence about the end of a turn and the outcomes of its commands.

    If commands have `changed` something, nobody is asked to repeat the whole request.
    """
    if changed:
        return f"{message.replace(_TRY_LATER, '')}\n{done}\nAsk again only for what is missing."
    return f"{message}\n{done}" if done else f"{message} Nothing was done."


def format_stopped_turn(done: str, *, by: str = "", cost: str = "") -> str:
    """Report a turn stopped by its asker, or by the user `by`; `cost` is a sentence."""
    message = append_done(f"Stopped by <@{by}>." if by else "Stopped, as you asked.", done)
    return (f"{message}\n{cost}" if done else f"{message} {cost}").rstrip()


def format_cancelled(by: str) -> str:
    """Report a waiting turn cancelled by its asker, or by the user `by`."""
    return CANCELLED.replace("as you asked", f"by <@{by}>") if by else CANCELLED


def format_stopped_for(askers: Sequence[str]) -> str:
    """Confirm to a user that they stopped the answers of others."""
    named = " and ".join(f"<@{asker}>" for asker in askers)
    return f"Stopped. {named}, who asked, will see how far it got."


def format_cost(spent: Spent) -> str:
    """Describe the cost of a cancelled turn in a sentence; empty if the model was not asked."""
    if spent.usd is None:
        return f"It took {spent.tokens:,} tokens of a model whose price is not known."
    return f"It cost ${math.ceil(spent.usd * 10_000) / 10_000:.4f} at most." if spent.usd else ""


def format_silent_exit(done: str) -> str:
    """Report that a turn ended without an answer, with the commands done, which need not be repeated."""
    return f"This ended without an answer, and an operator was told.\n{done}" if done else SILENT


def format_restart(done: Sequence[str], *, waiting: Sequence[str] = ()) -> str:
    """Report a turn that a restart cut off; `done` has a line of mrkdwn for each executed command.

    `waiting` names the commands that still needed a confirmation.
    """
    rows = "\n".join(f"• {line}" for line in done)
    begin = "I was restarted in the middle of this, and do not continue by myself."
    if not (rows or waiting):
        return f"{begin} No command had run. Ask again if you still need it."
    begin = f"{begin} Done until then:\n{rows}" if rows else f"{begin} Nothing was done until then."
    waits = f"\nWaits for you to confirm: {', '.join(dict.fromkeys(waiting))}." if waiting else ""
    return f"{begin}{waits}\nAsk again only for what is missing."
