"""What Triage itself says where the chat agent cannot: each a plain sentence or two."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from blocks.queue import message_link
from blocks.text import clip, escape, place
from bot.errors import NoKey, OverCap, Unreachable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.decide.addressing.addressee import Role
    from bot.decide.limits import Spent
    from bot.models.named_question import OwnQuestion
    from bot.models.order import Place

LATE = (
    "This has waited for more than ten minutes, and I do not act on what is that old. Say it again if it still counts."
)
CALLED_OFF = "Called off before it began, as you asked; nothing was done."
NOTHING_RUNS = "Nothing was stopped: no talk is under way here any more."
NOT_THEIRS_TO_STOP = (
    "The answer that is under way here is somebody else's: they can stop it, and so can operators and admins. Nothing "
    "was stopped."
)
NOT_THEIR_ANSWER = (
    "The answer that is under way here is somebody else's, and they alone can call it off. Nothing was stopped; "
    "`/triage stop` is for admins, and stops Triage itself."
)
SILENT = "This ended without an answer. An operator was told; please say it again, or use a command: `/triage help`."
NOTHING_CHANGED = "Nothing was changed."
"""Below an answer of the model's that no command backs."""
GONE = "Your message was deleted, so this is said here."
READ_IN_PART = "Of your message the first {characters:,} characters were read."
TO_TRIAGE = "The answer rests on code or notes, so a draft of it goes to an operator first."
FOR_TRIAGE = "Taken as a question about the code: a draft goes to an operator first."
JOINED = "Added to the question of this thread; its operator reads it before anything is posted."
NO_ORDER = "Your question is closed, since it asks nothing now. An edit gives me no order: say it in a new message."
PRACTICE = "In this channel I practise: an operator sees what I would answer, and nothing is posted here."
OVER = (
    "You say more to me than I take at once, so this was not taken, nor is what follows in the next moments. Say it "
    "again in a minute."
)

_WHAT = "I look up answers to questions about the team's code, and an operator approves each before it is posted."
_MOST_CHANNELS = 3
_LONGEST_PART = 80
_LISTED = 10
"""Questions of somebody's own that a sentence lists."""

ORDERS_OF: dict[Role, tuple[str, ...]] = {
    "member": ("how is my question?",),
    "operator": ("what is waiting for me?", "what did you cost this week?"),
    "admin": ("what is waiting?", "pause everything"),
}
"""Orders in plain words that the bot does without a model."""

_AGAIN = " Please say it again later."
_COMMANDS = "Commands work without a model: `/triage help` lists them."


def pointer(place: Place, *, role: Role, channels: Sequence[str], can_talk: bool) -> str:
    """What the bot does in a place, and how somebody of this role reaches it; in one line.

    `channels` are the ids of those that are watched. Without a model somebody reads
    which orders it does in plain words; nothing is said of settings.
    """
    named = ", ".join(f"<#{channel}>" for channel in channels[:_MOST_CHANNELS])
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
        return f"{_WHAT} {here} `/triage help` lists what else you can ask of me."
    orders = " or ".join(f"\u201c{order}\u201d" for order in ORDERS_OF[role])
    return f"{_WHAT} {here} You can also say {orders}; `/triage help` lists all that you can ask of me."


def not_done(parts: Sequence[str]) -> str:
    """What somebody is told who has asked for several things of which not all were understood."""
    named = ", ".join(f"\u201c{escape(clip(part, _LONGEST_PART))}\u201d" for part in parts)
    return (
        f"Nothing was done: of what you asked for I do not understand {named}. Say each thing in a message of its own."
    )


def is_it_about_code(*, is_direct: bool, is_below: bool) -> str:
    """What somebody is told whose words may be about the code or not, where no model can tell."""
    if is_below:
        return (
            "I take this for a word to me and know no such order, so nothing was done, and it was not added to the "
            "question above. To add it, write it here without mentioning me."
        )
    say = "*yes*" if is_direct else "*yes* with a mention of me"
    return (
        f"I cannot tell whether this is about the code. If it is, say {say}, and it is looked up. "
        "`/triage help` lists what else you can ask of me."
    )


def nothing_runs(role: Role) -> str:
    """What somebody is told who calls off what has ended already."""
    more = " To pause all of Triage, say *pause everything*." if role == "admin" else ""
    return f"Nothing of yours is under way here, so there was nothing to stop.{more}"


def settled(questions: Sequence[str], *, is_meant: bool, is_closed: bool, may_mean_all: bool = False) -> str:
    """What somebody is told who has settled these questions of their own, or one of them that nobody can tell.

    `may_mean_all` says that their word is also that for all of the bot's work.
    """
    many, rows = len(questions) > 1, "\n".join(f"• {row}" for row in questions[:_LISTED])
    if not is_meant:
        are = f"{len(questions)} questions of yours are" if many else "1 question of yours is"
        how = "Name the one that you mean by a word of it (*close my question about …*), or say so in its thread."
        return f"{are} open, and none was closed:\n{rows}\n{how}"
    said = "These questions of yours are" if many else "Your question is"
    threads = "their threads" if many else "its thread"
    if is_closed:
        again = f"What you write in {threads} opens {'them' if many else 'it'} again."
        again = f"{again} The bot goes on: *pause everything* pauses all of it." if may_mean_all else again
        return f"{said} closed, and nobody works on {'them' if many else 'it'} any more:\n{rows}\n{again}"
    return (
        f"{said} settled as you say, which an operator reads, and decides:\n{rows}\n`/triage mine` says how it stands."
    )


def own_row(question: OwnQuestion, url: str) -> str:
    """A question in the lists above: its words, with a link to its thread."""
    _, channel, ts = question.home.split("-", 2)
    words = escape(clip(question.text, 80)).replace("|", "/") or "your question"
    return f"<{message_link(url, channel, ts)}|{words}> in {place(channel)}"


def stopped(*, role: Role, is_question: bool) -> str:
    """What somebody is told who speaks to the bot while it is stopped."""
    what = "Your question is kept, and waits" if is_question else "What you said is not acted on"
    if role == "admin":
        return f"Triage is stopped. {what} until it goes on: `/triage resume`."
    return f"An admin has stopped Triage. {what} until it goes on; the admin reads then that you wrote."


def failed(problem: Exception | None, *, detailed: bool) -> str:
    """Why a turn could not go on, as mrkdwn.

    `detailed` is for operators and admins in their direct messages: nobody else can do anything about a server, a key
    or a sum, or is to read of them.
    """
    why = f": {escape(str(problem))}" if detailed else ""
    match problem:
        case OverCap(limit="day"):
            if detailed:
                return f"The agents' money for today is used up. An admin's `/triage allow` allows more. {_COMMANDS}"
            return f"The model has no more money for today; it goes on at midnight UTC. {_COMMANDS}"
        case OverCap(limit="run"):
            return f"This would cost more than one answer may{why}. Say it in smaller steps. {_COMMANDS}"
        case Unreachable():
            return f"The model cannot be reached at the moment{why}.{_AGAIN} {_COMMANDS}"
        case OverCap() | NoKey():
            return f"The model's server does not serve me at the moment{why}. {_COMMANDS}"
        case None:
            return f"This broke{', and the log says why' if detailed else ''}. {_COMMANDS}"
        case _:
            return f"This did not work{why}. {_COMMANDS}"


def with_done(said: str, done: str, *, changed: bool = False) -> str:
    """A sentence about an end, and what the commands had come to until then.

    Where they have `changed` something, nobody is asked to say all of it again.
    """
    if changed:
        return f"{said.replace(_AGAIN, '')}\n{done}\nSay again only what is missing."
    return f"{said}\n{done}" if done else f"{said} Nothing was done."


def ended_on_request(done: str, *, by: str = "", cost: str = "") -> str:
    """What is said of a turn that its asker has called off, or the user `by`; `cost` is a sentence."""
    said = with_done(f"Stopped by <@{by}>." if by else "Stopped, as you asked.", done)
    return (f"{said}\n{cost}" if done else f"{said} {cost}").rstrip()


def called_off(by: str) -> str:
    """What is said of a turn that waited, and that its asker has called off, or the user `by`."""
    return CALLED_OFF.replace("as you asked", f"by <@{by}>") if by else CALLED_OFF


def stopped_for(askers: Sequence[str]) -> str:
    """What is said to somebody who has stopped the answers of others."""
    named = " and ".join(f"<@{asker}>" for asker in askers)
    return f"Stopped. How far it came is told to {named}, who asked."


def cost_of(spent: Spent) -> str:
    """What a turn that was called off has cost, as a sentence; empty where the model was not asked."""
    if spent.usd is None:
        return f"It took {spent.tokens:,} tokens of a model whose price is not known."
    return f"It cost ${math.ceil(spent.usd * 10_000) / 10_000:.4f} at most." if spent.usd else ""


def silent(done: str) -> str:
    """What is told to somebody whose turn ended without an answer; what was done is not to be said again."""
    return f"This ended without an answer, and an operator was told.\n{done}" if done else SILENT


def restarted(done: Sequence[str], *, waiting: Sequence[str] = ()) -> str:
    """What is said of a turn that a restart cut off; `done` has a line of mrkdwn for each command that ran.

    `waiting` are the names of those whose button was to be put before its asker, who presses it or says it anew.
    """
    rows = "\n".join(f"• {line}" for line in done)
    begin = "I was restarted in the middle of this, and do not go on by myself."
    if not (rows or waiting):
        return f"{begin} No command of it had run. Say it again if it still counts."
    begin = f"{begin} Done until then:\n{rows}" if rows else f"{begin} Nothing was done until then."
    waits = f"\nWaits for your press: {', '.join(dict.fromkeys(waiting))}." if waiting else ""
    return f"{begin}{waits}\nSay again only what is missing."
