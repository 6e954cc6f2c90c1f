"""Text in many scripts, of any length, for what must fit Slack's limits whatever people write."""

from __future__ import annotations

import random

SCRIPTS = {
    "latin": "abc déjà vu ",
    "markup": "&<>*_~`|",
    "mentions": "<!channel> <@U0OPS> <https://a.example|b> ",
    "chinese": "限制在哪里设置",
    "arabic": "أين يتم تعيين الحد ",
    "hindi": "सीमा कहाँ निर्धारित है ",
    "emoji": "👩‍🚀🏳️‍🌈 :wave: ",
    "invisible": "\u200b\u202e\u2066\ufeff\u00ad x",
    "lines": "a\nb\n\n- c\n```\nd\n",
}


def text(script: str, length: int, chance: random.Random) -> str:
    """So many characters of a script, beginning somewhere in it."""
    letters = SCRIPTS[script]
    start = chance.randrange(len(letters))
    return (letters * (length // len(letters) + 2))[start : start + length]
