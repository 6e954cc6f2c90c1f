"""Reason codes that an operator can choose, with the texts for people and agents."""

from __future__ import annotations

from typing import Literal

BounceCode = Literal["wrong", "incomplete", "tone", "wrong_place", "outdated"]
DismissCode = Literal["no_reply_needed", "not_for_us", "answered_elsewhere", "duplicate", "wrong"]

BOUNCED: dict[BounceCode, tuple[str, str]] = {
    "wrong": ("Wrong", "What the draft says is wrong."),
    "incomplete": ("Incomplete", "The draft does not answer all that was asked."),
    "tone": ("Tone", "The tone of the draft is not right for this channel."),
    "wrong_place": ("Wrong place", "The draft rests on the wrong place; look elsewhere."),
    "outdated": ("Outdated", "What the draft rests on is out of date."),
}
"""For each code its name, and the instruction for the next round."""

DISMISSED: dict[DismissCode, str] = {
    "no_reply_needed": "No reply needed",
    "not_for_us": "Not for us",
    "answered_elsewhere": "Answered elsewhere",
    "duplicate": "Duplicate",
    "wrong": "The draft is wrong",
}
"""For each code its name; the first one is the default of Dismiss."""


def bounced(code: BounceCode | None, words: str) -> str:
    """Format a bounce in one line: its code and the words."""
    return ": ".join(part for part in (BOUNCED[code][0] if code else "", words) if part)
