"""Questions of users rather than developers: a manual answers them, if anything does. Pure."""

from __future__ import annotations

import re

_ASKS = re.compile(
    r"\b(?:how (?:do|can|could|should|would|may|to)|(?:can|could|may|must|should|do) (?:i|we|you|it|one|they|people)"
    r"|does|is (?:it|there|this)|are there|what (?:do|does|happens|can|is|are)|what's|which|when"
    r"|who (?:may|can|is|sees|gets|decides|has)|where (?:do|can|does|is|are) (?:i|we|it|one|my|our)"
    r"|is [\w ]{1,30} (?:needed|required|possible|supported))\b"
    r"|\bwie (?:kann|muss|mache|stelle|richte|soll)\b|\bkann (?:ich|man|es)\b|\bgibt es\b|\bwer darf\b"
    r"|\bwas passiert\b|\bc[oó]mo (?:puedo|se|hago|podemos)\b|\bpuedo\b|\bhay\b|\bqui[eé]n puede\b|\bqu[eé] pasa\b"
    r"|\bcomo (?:posso|eu|se|fa[cç]o)\b|\bposso\b|\bcomment (?:puis|faire|on|peut)\b|\bpeut-on\b|\best-ce\b"
    r"|方法|できますか|どうすれば|怎么|如何|어떻게",
    re.IGNORECASE,
)
_OF_CODE = re.compile(
    r"\b(?:functions?|class(?:es)?|methods?|code|source|files?|modules?|tests|test (?:cases?|suites?|files?)"
    r"|implement(?:ed|ation|s)?|defined?|declared|computed|calculated|called from|constants?|variables?"
    r"|exception|traceback|stack ?trace)\b",
    re.IGNORECASE,
)


def asks_a_manual(question: str) -> bool:
    """Return whether a question is about the use of a product rather than its code."""
    return bool(_ASKS.search(question)) and not _OF_CODE.search(question)
