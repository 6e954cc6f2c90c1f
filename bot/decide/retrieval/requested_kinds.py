"""Kinds of answers that a question asks for, which determine the files to search first. Pure."""

from __future__ import annotations

import re
from typing import Literal

RequestedKind = Literal["", "way", "option", "calls", "owner"]
"""Requested kind: instructions, which documents give; an option or its default; the calls of something; an owner of
code."""

_OPTION = re.compile(
    r"\b(?:defaults?|(?:set|configure|specify|pass|change) nothing|out of the box"
    r"|(?:do not|don'?t|never|without) (?:set|setting|configur\w+|specify|specifying|chang\w+)"
    r"|which (?:option|setting|flag|variable|parameter|knob|env\w*)|what (?:option|setting|flag)"
    r"|(?:option|setting|flag|knob|environment variable|env var) (?:for|to|is|that|do|does|controls?)|configured?)\b"
    r"|\bnichts (?:einstell|konfigurier|angeb|setz)\w*|\bno (?:configur|pong|indic|especific)\w+ nada\b",
    re.IGNORECASE,
)
_WAY = re.compile(
    r"\bhow (?:do|can|could|would|should|to|does one)\b|\bis (?:there a way|it possible)\b|\bcan (?:i|we|you|one)\b"
    r"|\b(?:docs?|documentation|guide|tutorial|example|recipe) (?:on|for|about|of|how)\b|\bwhat'?s the (?:best )?way\b",
    re.IGNORECASE,
)
_DOCUMENT = re.compile(
    r"\b(?:any|an?|the|some|have|there|where(?:'?s| is| are| do)|your?|our) (?:[\w-]+ ){0,3}?"
    r"(?:docs?|documentation|guides?|tutorials?|write-?ups?|manual|runbook|how-?to|handbook|instructions)\b"
    r"|^\W*(?:docs?|documentation|guides?|tutorials?) (?:on|for|about|of|how)\b"
    r"|\b(?:is|are)\b[^.?!]{1,60}\bdocumented\b"
    r"|\bpages? (?:on|for|about)\b",
    re.IGNORECASE,
)
_CALLS = re.compile(
    r"\b(?:called|used|invoked|referenced|instantiated) (?:from|by|anywhere|elsewhere)\b"
    r"|\b(?:who|what)(?: else)? (?:calls|uses|invokes)\b|\b(?:which|what) [\w-]+ (?:calls?|invokes?|uses?)\b"
    r"|\bwer ruft\b|\bwo (?:wird|werden) \S{1,80} (?:aufgerufen|verwendet|benutzt)\b|\baufrufer von\b"
    r"|\b(?:qui[e\u00e9]n|qu[e\u00e9]|d[o\u00f3]nde se) (?:llama|invoca|usa)\b|\b(?:qui|quoi|qu'est-ce qui) appelle\b"
    r"|\bo\u00f9 (?:est|sont) \S{1,80} (?:appel|utilis)\u00e9\w*|\b(?:quem|o que|onde se) chama\b|\bchi chiama\b"
    r"|\bwhere (?:do|does|did) (?:we|it|the code|they) (?:call|use|invoke)\b|\bcallers? of\b"
    r"|\bwhere (?:is|are|gets?) \S{1,80} (?:called|used|invoked)\b",
    re.IGNORECASE,
)
_OWNER = re.compile(r"\b(?:code ?owners?|own(?:s|ed|er|ers)|maintain(?:s|ed|er|ers)|responsible for)\b", re.IGNORECASE)


def asks_for_document(text: str) -> bool:
    """Return whether a question asks for a document."""
    return bool(_DOCUMENT.search(text))


def requested_kind(text: str) -> RequestedKind:
    """Return the kind that a question asks for; empty for anything else."""
    kinds: tuple[tuple[RequestedKind, re.Pattern[str]], ...] = (
        ("calls", _CALLS),
        ("option", _OPTION),
        ("owner", _OWNER),
        ("way", _WAY),
    )
    if asks_for_document(text) and not _CALLS.search(text):
        return "way"
    return next((kind for kind, form in kinds if form.search(text)), "")
