"""Text of a merge request: title and body of people and models, from which nothing acts at the forge. Pure.

GitLab executes lines such as `/merge` in a body with the rights of the token, forges notify whom a body mentions, and
an image or another tag of HTML is loaded by each reader's browser; none of this is what a person approved. Words that
close an issue stay, as a person may mean them: they act when a person merges. An agent's lose them before
(`drafted_changes.clean_words`).
"""

from __future__ import annotations

import re

from bot.models.merge_request import MAX_BODY, MAX_TITLE, MergeRequestText
from bot.models.visible import clean

_QUICK_ACTION = re.compile(r"(?m)^([^\S\n]*+)(?=/\w)")
MENTION, WIDE_AT = re.compile(r"@(?=[\w-])"), "\uff20"
"""What notifies somebody at a forge, and the sign that takes the place of the first one."""
_IMAGE = re.compile(r"!(?=\[)")
_TAG = re.compile(r"<(?=[\w/!?])")
_PLAIN = re.compile(r"[^\w .'-]+")
_LONGEST_NAME = 80


def word_merge_request(title: str, body: str, *, person: str, user_id: str, task: str = "") -> MergeRequestText:
    """Return title and body with the person who asked and the task, if there is one.

    `title` becomes one line; what is too long is cut. Secrets are the caller's to remove. Raises `ValueError` for a
    title without a letter or digit.
    """
    line = MENTION.sub(WIDE_AT, " ".join(clean(title).split()))
    if not any(map(str.isalnum, line)):
        raise ValueError("expected a title of words, such as Close the flyout on blur")
    name = " ".join(_PLAIN.sub(" ", clean(person)).split())[:_LONGEST_NAME]
    who = f"{name} (`{user_id}`)" if name and name != user_id else f"`{user_id}`"
    footer = (
        f"---\nRequested in Slack by {who}{f' for the task `{task}`' if task else ''}; opened by Triage as a draft."
    )
    text = _disarm(clean(body).replace("\r\n", "\n").replace("\r", "\n")).strip()
    room = MAX_BODY - len(footer) - 2
    text = f"{text[: room - 1]}…" if len(text) > room else text
    return MergeRequestText(title=line[:MAX_TITLE].rstrip(), body=f"{text}\n\n{footer}" if text else footer)


def _disarm(text: str) -> str:
    """Return the text without commands, mentions, images and HTML; each stays legible."""
    return _TAG.sub(r"\<", _IMAGE.sub(r"\!", MENTION.sub(WIDE_AT, _QUICK_ACTION.sub(r"\1\\", text))))
