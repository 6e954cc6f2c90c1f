"""What the asker has done about their question since it was asked, as a line on its card."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blocks.text import Block, clip, escape, moment, section

if TYPE_CHECKING:
    from bot.models.settled import SettledWord
    from bot.models.thread import Thread

_QUOTED = 200


def perhaps_settled(thread: Thread) -> list[Block]:
    """The sentence that makes it look settled, and whose answer it is about."""
    word = thread.settled_word
    if word is None or thread.status == "closed":
        return []
    after = f" after an answer of <@{word.answered_by}>" if word.answered_by else ""
    then = " Dismiss closes it." if thread.status == "pending-user" else ""
    return [section(f"*Perhaps settled:* <@{word.by}>, who asked, {_how(word)}{after} · {moment(word.at)}.{then}")]


def settled_line(word: SettledWord) -> str:
    """Who settled the question, and how."""
    return f"*Settled* by <@{word.by}>, who asked · {moment(word.at)}: {_how(word)}. Nothing was posted."


def taken_by(thread: Thread) -> str:
    """Which role took it, and in which project, as far as that is known: ` by Shop Dev (shop)`."""
    if thread.route:
        return f" by *{escape(thread.route.role_name)}* ({escape(thread.route.project)})"
    return f" in *{escape(thread.project)}*" if thread.project else ""


def _how(word: SettledWord) -> str:
    words = f"\u201c{escape(clip(' '.join(word.text.split()), _QUOTED))}\u201d"
    match word.how:
        case "said":
            return f"wrote {words}"
        case "edited":
            return f"edited it to {words}"
        case "struck":
            return "struck it out"
        case "marked":
            return f"marked it {word.text}"
