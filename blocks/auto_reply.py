"""Automatic replies: their mark for readers, the operator's notice, and the text that replaces one taken back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from blocks.text import button, context, escape, mention, moment, name_channel, section

if TYPE_CHECKING:
    from blocks.text import Block
    from bot.models.auto_reply import AutoReply

MARK = "Sent automatically: no person has read this answer before. If it is wrong, *Not Helpful* says so."
"""Line below each automatic reply."""
PLAIN_MARK = "(Sent automatically, not read by a person before.)"
"""The same in the `text` of the message."""
CORRECTED = (
    "_An automatic answer stood here. An operator has taken it back, since it is or may be wrong: please do not rely "
    "on it._"
)

_NEXT = "Its question is open: answer in the thread, or have another draft made by `!triage restart_task` there."


def mark_automatic() -> Block:
    """Build the line that marks a reply as automatic."""
    return context(MARK)


def build_notice(reply: AutoReply, link: str) -> dict[str, Any]:
    """Build the `text` and `blocks` of the notice to the operator; `link` is the address of the reply."""
    where = name_channel(reply.chat_id)
    shown = "the reply is deleted" if reply.removal == "deleted" else f"<{escape(link)}|the reply>"
    head = f"*Answered without a press* in {where}: {shown}."
    blocks = [section(head), context(f"What allowed it: {escape(reply.figures)}")]
    if reply.judgement and reply.judged_by and reply.judged_at:
        judged = f"{_describe_judgement(reply)} by {mention(reply.judged_by)} · {moment(reply.judged_at)}."
        blocks.append(context(judged))
    if reply.judgement == "take_back":
        blocks.append(context(_NEXT))
    else:
        blocks += _build_buttons(reply)
    return {"text": f"Answered without a press in {where}.", "blocks": blocks}


def _build_buttons(reply: AutoReply) -> list[Block]:
    about = "the automatic reply"
    buttons = [button("Take Back", "take_back", reply.draft_id, about=about, style="danger")]
    if reply.judgement is None:
        buttons.append(button("It Is Right", "is_right", reply.draft_id, about=about))
    hint = "*Take Back* deletes it, or corrects it if somebody has written below it; it counts as a wrong pass."
    return [{"type": "actions", "elements": buttons}, context(hint)]


def _describe_judgement(reply: AutoReply) -> str:
    if reply.judgement == "is_right":
        return "*Confirmed as right*"
    return "*Taken back*, and a correction put in its place," if reply.removal == "corrected" else "*Taken back*"


def build_correction() -> dict[str, Any]:
    """Build the `text` and `blocks` that replace a reply that was taken back."""
    return {"text": CORRECTED, "blocks": [section(CORRECTED)]}
