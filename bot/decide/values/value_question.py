"""Questions for a value: a default, an amount, a limit, a version. Pure.

A first draft then starts with a matching setting, if there is one, instead of lines that only mention it.
"""

from __future__ import annotations

import re

from bot.decide.grounding.numeric_claims import NUMERALS
from bot.decide.values.quantities import quantity

_AMOUNTS = ("time", "size", "count", "pace")
_AMOUNT_NAMES = (
    "port|version|limit|threshold|maximum|minimum|max|min|size|ttl|timeout|interval|delay|rate|level|number|ratio"
    "|percentage|capacity|depth"
)
_VALUE = re.compile(
    r"\bdefault(?:s|ed|ing)?\b|\b(?:set|configure|specify) nothing\b"
    r"|\b(?:set|capped|limited) to\b|\bvalue of\b|\bhow (?:high|low|deep|wide|strong|far)\b"
    rf"|\b(?:what|which)(?:'s| is| are)?(?: the)?(?: \w+){{0,3}} (?:{_AMOUNT_NAMES})\b"
    r"|\b(?:max|maximum|min|minimum|upper limit|lower limit|limit) (?:of|for|on)\b"
    r"|\bstandard(?:wert|m[aä](?:ß|ss)ig)\w*|\bvorein(?:stellung|gestellt)\b"
    r"|\bwie (?:lang|viele?|oft|gro(?:ß|ss)|hoch|weit)\w*|\bwelche[rsn]? (?:port|version|grenze|wert)\b"
    r"|\bpor (?:defecto|omisi[oó]n)\b|\bpredeterminad[oa]s?\b|\bcu[aá]nt[oa]s?\b"
    r"|\bqu[eé] (?:puerto|versi[oó]n|l[ií]mite|valor)\b"
    r"|\bpadr[aã]o\b|\bquant[oa]s?\b|\bqua[li] (?:porta|vers[aã]o|limite|valor)\b"
    r"|\bpar d[eé]faut\b|\bcombien\b|\bquel(?:le)? (?:port|version|limite|valeur|taille)\b"
    r"|デフォルト|既定|初期値|何(?:秒|分|回|時間|件|個|バイト)|いくつ|上限|最大|最小|默认|多少|多久|几次|기본|몇 ",
    re.IGNORECASE,
)


WORDS = frozenset(
    (
        *(
            "default",
            "defaults",
            "defaulted",
            "value",
            "set",
            "standardwert",
            "standardmäßig",
            "standardmaessig",
            "wert",
        ),
        *("voreinstellung", "voreingestellt", "valor", "defecto", "omisión", "omision", "predeterminado", "padrão"),
        *("predeterminada", "padrao", "valeur", "défaut", "defaut", "cuál", "cual", "qual", "quel", "quelle"),
        *("デフォルト", "既定", "初期値", "值", "默认", "기본"),
    )
)
"""Words that only ask for a value; an answer need not contain them."""
_DEFAULT = re.compile(
    r"\bdefault|\bstandard(?:wert|m[aä])|\bvorein|\bpor (?:defecto|omisi[oó]n)|\bpredeterminad|\bpadr[aã]o\b"
    r"|\bpar d[eé]faut|\b(?:set|configure|specify|pass|change) nothing\b"
    r"|\b(?:do(?:es)?(?: not|n'?t)|never) (?:set|change|configure|specify|pass)\b"
    r"|\b(?:if|when) (?:\w+ ){0,2}(?:unset|not set|left out)\b"
    r"|\b(?:if|when|where) (?:none|nothing|no \w+) (?:is|was|gets?) (?:set|given|configured|specified)\b"
    r"|\bleave (?:it|this|that|them|\w+) out\b"
    r"|デフォルト|既定|初期値|默认|기본",
    re.IGNORECASE,
)


_AMOUNT = re.compile(
    r"\bhow (?:long|many|often|big|large|old|high|low|deep|wide|frequent(?:ly)?)\b"
    r"|\b(?:what|which)(?:'s| is| are)?(?: the| our)?(?: [\w-]+){0,3} (?:port|limit|size|ttl|timeout|interval|delay)\b"
    r"|\bwie (?:lang|viele?|oft|gro(?:ß|ss))\w*|\bcu[aá]nt[oa]s?\b|\bquant[oa]s?\b|\bcombien\b"
    r"|何(?:秒|分|回|時間|件|個|バイト)|いくつ|多少|多久|几次",
    re.IGNORECASE,
)
_STATED_AMOUNT = re.compile(
    rf"(?<!\w)\d|\b(?:{'|'.join(NUMERALS)}|once|twice|never|always|forever|every|each|hourly|daily|weekly"
    r"|monthly|nightly|immediately|(?:un|no )limit(?:ed)?|unbounded|infinit\w+|indefinitely|defaults? to)\b",
    re.IGNORECASE,
)


_CONSTANT = re.compile(r"\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b")


def lacks_amount(question: str, text: str) -> bool:
    """Return whether an amount is asked for, but lines contain none: no number, no *unlimited*, no constant that may
    be one."""
    return bool(_AMOUNT.search(question)) and not (_STATED_AMOUNT.search(text) or _CONSTANT.search(text))


_DEFAULT_ASKED = re.compile(
    r"\b(?:what|which|whats|how (?:long|many|much|often|big|large|old|high|low|deep|wide))\b"
    r"|\bdefaults? (?:values? )?(?:of|for|to)\b"
    r"|\bdefaults?\W*$|\bdefault value\b|^\W*(?:the )?default\b"
    r"|\b(?:was|welche[rsn]?|wie (?:lang|viele?|oft|gro(?:ß|ss)|hoch|weit)\w*|standardwert (?:von|f[uü]r))\b"
    r"|\b(?:cu[aá]l(?:es)?|cu[aá]nt[oa]s?|qu[eé]|qual|quais|quant[oa]s?|quel(?:le)?s?|combien)\b"
    r"|デフォルト|既定|初期値|默认|기본",
    re.IGNORECASE,
)
_NO_VALUE = re.compile(
    r"\b(?:how (?:do|can|could|would|should|to)|why|where|who|what (?:happens|does (?:the|a|an) default))\b"
    r"|\b(?:warum|wieso|wo|wie (?:kann|setze|stelle|[aä]ndere)|por qu[eé]|d[oó]nde|c[oó]mo|onde|pourquoi|comment)\b"
    r"|^\W*(?:does|do|is|are|can|could|will|would|may|should|has|have)\b",
    re.IGNORECASE,
)


def wants_default(question: str) -> bool:
    """Return whether only a default's value answers the question; not one about its place, reason or effect."""
    return asks_for_default(question) and bool(_DEFAULT_ASKED.search(question)) and not _NO_VALUE.search(question)


def wants_amount(question: str) -> bool:
    """Return whether only an amount answers the question."""
    return bool(_AMOUNT.search(question))


def asks_for_default(question: str) -> bool:
    """Return whether a question asks for a default, which need not be a number."""
    return bool(_DEFAULT.search(question))


def asks_for_value(question: str) -> bool:
    """Return whether a value can answer the question."""
    return quantity(question) in _AMOUNTS or bool(_VALUE.search(question))
