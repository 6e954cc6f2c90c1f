"""Slots of templates: their patterns, and the command input read from their text. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bot.models.conversation_record import is_direct
from bot.models.order import HERE

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

_QUOTES = "`*\"'\u201c\u201d\u201e\u2018\u2019\u00ab\u00bb"
_OPEN = rf"[{_QUOTES}]*"
_NAME = rf"{_OPEN}\w[\w./-]{{0,130}}?{_OPEN}"
_PROJECT_WORDS = "projects?|repos?|repository|projekte?s?|projets?|proyectos?|projetos?|proyek|پروژه"
_UNSPACED = "プロジェクト"
"""Project word of a script without spaces; others are separate from the name, or part of it: `otherrepo`."""
_PROJECT_WORD_BEFORE = rf"(?:(?:{_PROJECT_WORDS})\s+|{_UNSPACED}\s*)"
_PROJECT_WORD_AFTER = rf"(?:\s{{1,9}}(?:{_PROJECT_WORDS})|\s{{0,9}}{_UNSPACED})(?:'s)?"
_THE = "the|our|my|that|this|das|dem|des|die|le|la|el|o|a"
_CALLED = r"(?:called|named|namens)\s+"
_PROJECT = rf"(?:(?:{_THE})\s+)?(?:{_PROJECT_WORD_BEFORE})?(?:{_CALLED})?{_NAME}(?:'s)?(?:{_PROJECT_WORD_AFTER})?"
_LABEL = r"(?:\|[^<>|\n]{0,80})?"
_CHANNEL = (
    rf"(?:the\s+)?(?:(?:channel|kanal|canal)\s+)?{_OPEN}<?#?[\w-]{{1,80}}{_LABEL}>?{_OPEN}(?:\s+(?:channel|kanal))?"
)
_HERE = (
    r"(?:in\s+)?here|(?:in\s+)?(?:this|the)\s+channel|hier|diese[mnr] kanal|aquí|ici|aqui|di sini|disini|sini"
    r"|ここ|اینجا|este canal|neste canal|ce canal|(?:kanal|channel|saluran) ini|このチャンネル|این کانال"
)
_COUNT = r"\d{1,3}|an?|one|two|three|four|five|six|seven|couple of|few"
_UNIT = r"(?:hour|hr|day|week|month|fortnight)s?"
_PERIOD = (
    r"(?:(?:for|over|in|during|of|from|since|within)\s+)?"
    rf"(?:today(?:'s)?|yesterday(?:'s)?|(?:the\s+)?(?:this\s+|last\s+|past\s+|previous\s+|these\s+)*(?:{_COUNT})?\s*{_UNIT}"
    r"(?:\s+so far)?|this morning|last night|overnight|lately|recently|heute|diese woche|hoy|esta semana|aujourd'hui|"
    r"cette semaine|hoje|hari ini|minggu ini)"
)
_ADDITIONAL = r"(?:\s+(?:more|extra|additional))?"
_LINK = r"<?https?://[^\s<>|]{1,900}(?:\|[^\s<>]*)?>?"
_SLUG = r"`?[a-z0-9][\w.]*(?:-[\w.]+){2,12}`?"
_TITLE = rf"[{_QUOTES}][^{_QUOTES}\n]{{1,120}}[{_QUOTES}]|\w[\w .&/-]{{0,80}}?"

_MODES = {
    "live": ("live", "en vivo", "en direct", "ao vivo", "langsung", "ライブ", "زنده", "لایو"),
    "preview": (
        "preview", "practice", "practise", "trial", "vorschau", "übung", "vista previa", "prueba", "aperçu", "essai",
        "prévia", "pré-visualização", "teste", "pratinjau", "uji coba", "プレビュー", "練習", "پیش نمایش", "تمرین",
    ),
    "silent": (
        "silent", "silence", "quiet", "mute", "stumm", "leise", "still", "silencio", "silencioso", "silencieux", "muet",
        "silêncio", "mudo", "diam", "senyap", "サイレント", "ミュート", "سکوت", "ساکت",
    ),
}  # fmt: skip
"""Names that people use for the modes of a channel."""

PATTERNS: Mapping[str, str] = {
    "project": _PROJECT,
    "theproject": _PROJECT,
    "channel": rf"{_HERE}|{_CHANNEL}",
    "thechannel": rf"{_HERE}|{_CHANNEL}",
    "mode": "|".join(word for words in _MODES.values() for word in words),
    "days": _PERIOD,
    "hours": _PERIOD,
    "by": r"(?:day|project|agent|task)s?",
    "usd": rf"\$?\s?\d{{1,6}}(?:\.\d{{1,2}})?{_ADDITIONAL}(?:\s*(?:\$|usd|(?:us )?dollars?|bucks?))?{_ADDITIONAL}",
    "link": _LINK,
    "task": rf"{_LINK}|{_SLUG}",
    "title": _TITLE,
    "text": r"\S[\s\S]*",
    "query": r"\S[\s\S]*",
    "term": _NAME,
    "path": rf"{_OPEN}[\w.-]+(?:/[\w.-]+)*\.\w{{1,8}}{_OPEN}",
    "command": r"[`/]{0,2}[a-z][a-z_]{1,40}`?",
    "name": _NAME,
    "count": rf"{_COUNT}|the",
    "root": r"<?(?:https?|ssh|file)://[^\s<>|]{1,400}(?:\|[^\s<>]*)?>?|/[^\s]{1,400}",
}
"""Pattern of each slot."""
FREE = ("text", "query")
"""Slots with free text, up to the end."""


@dataclass(frozen=True, kw_only=True)
class OrderContext:
    """Names that an order may use, and the place of the message."""

    projects: Collection[str] = ()
    channels: Collection[str] = ()
    """Watched channels, by name and by id."""
    commands: Collection[str] = ()
    here: str = ""
    """Id of the channel that `here` means; empty or a direct message's where that is not known."""
    in_question: bool = False
    """True if the message is in the thread of an open question."""
    lower: Mapping[str, str] = field(init=False)

    def __post_init__(self) -> None:
        """Index the projects' names in lower case."""
        object.__setattr__(self, "lower", {name.lower(): name for name in self.projects})


def read_slot(name: str, raw: str, context: OrderContext) -> dict[str, str] | None:
    """Return the input fields of a slot; `None` for unknown contents."""
    return _READERS[name](raw, context)


def _project(raw: str, context: OrderContext) -> dict[str, str] | None:
    """Return a known project, or any name with the word project beside it."""
    text = re.sub(rf"^(?:{_THE})\s+", "", raw, flags=re.IGNORECASE)
    before = re.sub(rf"^{_PROJECT_WORD_BEFORE}", "", text, flags=re.IGNORECASE)
    ways = (
        text,
        before,
        _without_project_word(text),
        _without_project_word(before),
    )  # a whole name may begin or end with the noun
    names = [_bare_name(way) for way in ways]
    if project := next((context.lower[name.lower()] for name in names if name.lower() in context.lower), None):
        return {"project": project}
    is_named = ways[-1] != text and names[-1] and names[-1].lower() not in _NO_NAMES
    return {"project": names[-1]} if is_named else None


def _without_project_word(text: str) -> str:
    return re.sub(rf"{_PROJECT_WORD_AFTER}$", "", text, flags=re.IGNORECASE)


def _bare_name(text: str) -> str:
    name = re.sub(rf"^{_CALLED}", "", text, flags=re.IGNORECASE)
    return re.sub(r"'s$", "", name).strip(_QUOTES + " ")


_NO_NAMES = frozenset({
    "all", "every", "each", "any", "some", "which", "what", "that", "this", "the", "project", "projects", "everything",
    "one", "it", "none", "no", "a", "an", "and", "or",
})  # fmt: skip


def _the_project(raw: str, context: OrderContext) -> dict[str, str] | None:
    """Return a project only where the word project is beside its name."""
    is_named = re.search(rf"(?<!\S)(?:{_PROJECT_WORDS})(?:'s)?(?!\S)|{_UNSPACED}", raw, re.IGNORECASE)
    return _project(raw, context) if is_named else None


def _channel(raw: str, context: OrderContext) -> dict[str, str] | None:
    if re.fullmatch(_HERE, raw, re.IGNORECASE):
        return {"channel": HERE if is_direct(context.here) else context.here} if context.here else None
    name = re.sub(r"^the\s+|\s{1,9}(?:channel|kanal)$", "", raw, flags=re.IGNORECASE)
    name = re.sub(r"^(?:channel|kanal|canal)\s+", "", name, flags=re.IGNORECASE).strip(_QUOTES + "<> ")
    name = name.partition("|")[0]
    if " " in name:
        return None
    is_known = name.lower() in {each.lower() for each in context.channels}
    return {"channel": name} if is_known or name.startswith("#") or name != raw else None


def _the_channel(raw: str, context: OrderContext) -> dict[str, str] | None:
    """Return a channel only where it is known, or has its sign or the word channel beside it."""
    fields = _channel(raw, context)
    if fields is None or fields["channel"] in (context.here, HERE):
        return fields
    is_known = fields["channel"].lower() in {each.lower() for each in context.channels}
    is_named = is_known or re.search(r"#|(?<!\S)(?:channel|kanal|canal)(?!\S)", raw, re.IGNORECASE)
    return fields if is_named else None


def _mode(raw: str, _: OrderContext) -> dict[str, str]:
    word = raw.lower()
    return {"mode": next(mode for mode, words in _MODES.items() if word in words)}


_NUMBERS = {"one": 1, "two": 2, "couple of": 2, "three": 3, "few": 3, "four": 4, "five": 5, "six": 6, "seven": 7}
_HOURS = (("hour", 1), ("hr", 1), ("day", 24), ("fortnight", 336), ("week", 168), ("month", 720))
_WORDS = {
    "today": 24, "heute": 24, "hoy": 24, "aujourd": 24, "hoje": 24, "hari ini": 24, "morning": 24, "night": 24,
    "overnight": 24, "yesterday": 48, "lately": 24, "recently": 24, "woche": 168, "semana": 168, "semaine": 168,
    "minggu": 168,
}  # fmt: skip


def _period(raw: str) -> int:
    """Return the period in hours."""
    text = raw.lower()
    for unit, hours in _HOURS:
        if re.search(rf"\b{unit}s?\b", text):
            digits = re.search(r"\d+", text)
            words = (count for word, count in _NUMBERS.items() if re.search(rf"\b{word}\b", text))
            return hours * (int(digits[0]) if digits else next(words, 1))
    return next((hours for word, hours in _WORDS.items() if word in text), 24)


def _days(raw: str, _: OrderContext) -> dict[str, str]:
    return {"days": str(max(1, min(366, -(-_period(raw) // 24))))}


def _hours(raw: str, _: OrderContext) -> dict[str, str]:
    return {"hours": str(max(1, min(168, _period(raw))))}


def _usd(raw: str, _: OrderContext) -> dict[str, str] | None:
    match = re.search(r"\d+(?:\.\d+)?", raw)
    return {"usd": match[0]} if match else None


def _link(raw: str, _: OrderContext) -> dict[str, str]:
    return {"link": raw}


def _command(raw: str, context: OrderContext) -> dict[str, str] | None:
    name = raw.strip("`/").lower()
    return {"command": name} if name in context.commands else None


def _read_bare(field_name: str) -> Callable[[str, OrderContext], dict[str, str] | None]:
    def read(raw: str, _: OrderContext) -> dict[str, str] | None:
        value = raw.strip(_QUOTES + "<> ")
        return {field_name: value} if value else None

    return read


_NO_NOTE = re.compile(r"(?:to|when|me|if|how|who|what|where|why|us|the time|my|him|her|them)\b", re.IGNORECASE)


def _text(raw: str, _: OrderContext) -> dict[str, str] | None:
    """Return text to be noted; no questions and no reminders."""
    value = raw.strip()
    return None if _NO_NOTE.match(value) or value.endswith("?") else {"content": value}


_READERS: Mapping[str, Callable[[str, OrderContext], dict[str, str] | None]] = {
    "project": _project,
    "theproject": _the_project,
    "channel": _channel,
    "thechannel": _the_channel,
    "mode": _mode,
    "days": _days,
    "hours": _hours,
    "by": lambda raw, _: {"by": raw.lower().removesuffix("s")},
    "usd": _usd,
    "link": _link,
    "task": lambda raw, _: {"task": raw.strip("`<>")},
    "title": _read_bare("title"),
    "text": _text,
    "query": lambda raw, _: {"text": raw.strip(_QUOTES)},
    "term": _read_bare("text"),
    "path": _read_bare("path"),
    "command": _command,
    "name": _read_bare("name"),
    "count": lambda raw, _: {"count": raw},
    "root": _read_bare("root"),
}
