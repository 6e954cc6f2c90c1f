"""Questions for a place: the location where a name in the code gets its value. Pure.

The definition itself is then shown, not a line that uses it.
"""

from __future__ import annotations

import re

from bot.decide.retrieval.stopwords import DECLARING

_PLACE = re.compile(
    r"\b(?:where|whereabouts|wo|worin|d[oó]nde|o[uù]|onde|dove|di ?mana|gdzie|waar|var|hol|nerede|где)\b"
    r"|\b(?:which|what|welche[rsmn]?|en qu[eé]|quel(?:le)?|em qual?|dans quel(?:le)?)"
    r" (?:file|module|class|place|section|line|datei|klasse|modul|archivo|fichier|classe|clase|arquivo)\b"
    r"|どこ|哪里|哪儿|哪裡|어디",
    re.IGNORECASE,
)
_SETTING = re.compile(
    r"\b(?:configur\w+|konfigurier\w+|(?:ein|ge|fest)?ge?(?:stellt|legt|setzt)|sets|come from|comes from|live[sd]?"
    r"|establec\w+|define[ns]?|d[eé]fini\w*|r[eé]gl[eé]\w*|impostat\w+|ajust\w+|declar\w+)\b"
    r"|設定|定義|宣言|设置|定义|配置|설정|정의",
    re.IGNORECASE,
)


def asks_for_place(question: str) -> bool:
    """Return whether a question asks where something is set, defined or configured."""
    if not _PLACE.search(question):
        return False
    words = re.findall(r"\w+", question.lower())
    return bool(_SETTING.search(question)) or not DECLARING.isdisjoint(words)
