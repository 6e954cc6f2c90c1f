"""Parser for Slack's markup: readable text, search text, and the ids to replace by names."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from datetime import tzinfo

SOMEBODY, SOME_GROUP, SOMEWHERE = "someone", "a-group", "a-channel"
"""Placeholders for a person, a group or a channel whose name is unknown."""

_CODE = r"```[^`]*(?:`{1,2}[^`]+)*```|`[^`\n]*`"
_MARKUP = re.compile(r"<([@#!]?)([^<>|]*)(?:\|([^<>]*))?>")
_POINTS = (
    r"(?:c/?c|fyi|attn|pinging|paging|tagging|loop(?:ing)? in|(?:see|asked|posted)(?: also)?(?: in)?|also (?:asked )?in"
    r"|(?:x|cross)-?post(?:ed)?(?: (?:from|in|to))?|via|cf|siehe(?: auch)?|vgl|auch in|kopie an|vide|vedi(?: anche)?"
    r"|v[ée](?:r|ja|ase)(?: tamb[ié]+[mn])?|tamb[ié]+[mn] e[mn]|copi[ae](?: à| a)?|en copie|voir(?: aussi)?|aussi dans"
    r"|zie(?: ook)?|lihat|см|копия|bkz)"
)
"""Words before the mention of somebody who is only informed, or of a place to look at."""
_LINKED, _PLACE = r"<(?:[@#][^<>]*|!(?!date\^)[^<>]*)>", r"<(?:#[^<>]*|!(?!date\^)[^<>]*)>"


def _mention_pattern(mention: str) -> str:
    """Build a pattern for a mention with its surroundings: "cc", brackets, and a few words in brackets after a
    sentence."""
    opens, closes = r"[(\[\uff08\u3010]\s*", r"\s*[)\]\uff09\u3011]"
    many = rf"{mention}(?:(?:[\s,;&+/]|\w{{1,3}}(?=\s))*{mention})*"
    word = r"[^\W\d_]+"
    bracketed = rf"{opens}(?:{word}[\s:.,/-]+){{0,5}}{many}(?:[\s:.,/-]*{word}(?![^\W\d_])){{0,4}}{closes}"
    return (
        rf"(?i:(?<=[?!.\u2026\u3002\uff1f\uff01\u061f])\s*{bracketed}|{opens}(?:/?{_POINTS}[.:]*[^\S\n]*)?{many}{closes}"
        rf"|(?<![^\W_])/?{_POINTS}[.:]*[^\S\n]*{many}|{mention})"
    )


_NO_WORDS = re.compile(
    rf"(?P<code>{_CODE})"
    rf"|{_mention_pattern(_LINKED)}"
    r"|(?<![\w.])@(?:here|channel|everyone)(?!\w)"
    r"|(?<![A-Za-z0-9_:])(?::(?:[0-9_+'-]*[a-z][a-z0-9_+'-]*|[+-]1|100|1234):)+(?![A-Za-z0-9_:])"
    r"|[\u2600-\u27bf\u2b05-\u2b55\U0001f000-\U0001faff][\ufe0f\u200d\U0001f3fb-\U0001f3ff\u2640\u2642]*",
    re.DOTALL,
)
"""Parts that are not words of a question: mentions, channels, groups, broadcasts, emoji. Code is kept as it is."""
_MARKS = re.compile(r"<|@[hce]|:[^\s:]+:")
"""Characters that all of these contain except emoji: a quick first test, since most messages have none."""
_PLACES = re.compile(_mention_pattern(_PLACE))
DATE = re.compile(r"<!date\^(?P<seconds>\d{1,12})\^(?P<format>[^<>|]*)(?:\|(?P<fallback>[^<>]*))?>")
"""Slack's markup for a time."""
_NAMED = re.compile(r"<([@#]|!subteam\^)([A-Z][A-Z0-9]+)(?:\|([^<>]*))?>")
_BLANKS = re.compile(r"[ \t]+")
_USER = re.compile(r"[UW][A-Z0-9]+")
_SHOWN_ID = re.compile(r"([@#])([A-Z][A-Z0-9]+)(?![A-Za-z0-9])")
_CHANNEL_ID = re.compile(r"(?<![\w&])#(C(?=[A-Z0-9]*\d)[A-Z0-9]{5,})(?![A-Za-z0-9])")
_LONG_ID = re.compile(r"[@#](?=[A-Z0-9]*\d)[UWCGS][A-Z0-9]{8,}(?![A-Za-z0-9])")
_FORM_OF_ID = re.compile(r"(?=[A-Z0-9]*\d)[UWCGS][A-Z0-9]{8,}")
"""The form of Slack's ids, for texts without further context."""


def plain_text(text: str) -> str:
    """Convert mrkdwn to readable text: `<@U1>` becomes `@U1`, `<url|label>` the label and the address."""
    return _decode_entities(_MARKUP.sub(_show_markup, text) if "<" in text else text)


def search_text(text: str, emoji: Collection[str] = ()) -> str:
    """Convert mrkdwn to search text, without mentions, emoji and other non-words; `emoji` are known names in it."""

    def keep_code(match: re.Match[str]) -> str:
        return match["code"] or " "

    is_plain = text.isascii() and not _MARKS.search(text)
    left = text if is_plain else _NO_WORDS.sub(keep_code, text)
    if emoji:
        names = "|".join(re.escape(name) for name in sorted(emoji, key=len, reverse=True))
        left = re.sub(rf"(?P<code>{_CODE})|:(?:{names}):(?::skin-tone-\d:)?", keep_code, left, flags=re.DOTALL)
    lines = (_BLANKS.sub(" ", line).strip() for line in plain_text(left).split("\n"))
    return "\n".join(line for line in lines if line)


def strip_ids(text: str) -> str:
    """Remove ids from a text of `plain_text` whose markup is lost."""
    return search_text(escaped(_LONG_ID.sub(" ", text)))


def without_places(text: str) -> str:
    """Remove channels, groups and broadcasts from mrkdwn: they name neither the subject nor the addressee."""
    return _PLACES.sub(" ", text) if "<#" in text or "<!" in text else text


def find_ids(text: str) -> dict[str, str]:
    """Return the ids of people, groups and channels in mrkdwn, with the names that the markup itself gives."""
    names: dict[str, str] = {}
    for sigil, target, label in _NAMED.findall(text):
        if sigil == "@":
            names.setdefault(target, label.removeprefix("@"))
        elif not label:
            names.setdefault(target, "")
    return names


def fill_names(text: str, names: Mapping[str, str]) -> str:
    """Replace the ids in a text of `plain_text` by names; unknown ones by "someone" or "a-channel"."""

    def name(match: re.Match[str]) -> str:
        sigil, target = match.groups()
        if target not in names and not _FORM_OF_ID.fullmatch(target):
            return match[0]
        return f"{sigil}{names.get(target) or unnamed(sigil, target)}"

    return _SHOWN_ID.sub(name, text)


def unnamed(sigil: str, target: str) -> str:
    """Return the placeholder for an id without a known name."""
    return SOMEWHERE if sigil == "#" else SOME_GROUP if target.startswith("S") else SOMEBODY


def add_mentions(mrkdwn: str, ids: Any) -> str:
    """Replace these ids of people, and all ids of channels, in escaped words by mentions."""
    mrkdwn = _CHANNEL_ID.sub(r"<#\1>", mrkdwn)
    for user in ids if isinstance(ids, list) else ():
        if isinstance(user, str) and _USER.fullmatch(user):
            mrkdwn = re.sub(rf"@{user}(?![A-Za-z0-9])", f"<@{user}>", mrkdwn)
    return mrkdwn


def spell_out_mentions(mrkdwn: str, names: Mapping[str, str]) -> str:
    """Replace mentions in mrkdwn by names, for places that do not show mentions."""

    def name(match: re.Match[str]) -> str:
        sigil, target, label = match.groups()
        name_or_label = names.get(target) or plain_text(label or "").lstrip("@#")
        return escaped(f"{'#' if sigil == '#' else '@'}{name_or_label or unnamed(sigil, target)}")

    return _NAMED.sub(name, mrkdwn)


def spell_out_times(mrkdwn: str, zone: tzinfo, *, named: bool = False) -> str:
    """Replace Slack's times in mrkdwn by words, in a time zone; `fill_names` adds the zone's name."""

    def words(match: re.Match[str]) -> str:
        at = moment_of(match["seconds"], zone)
        if at is None:
            return escaped(match["fallback"] or "")
        return named_time(at, zone) if named else day_and_time(at)

    return DATE.sub(words, mrkdwn)


def day_and_time(at: datetime) -> str:
    """Format a time in its own zone."""
    return f"{at.day} {at:%b %Y, %H:%M}"


def named_time(at: datetime, zone: tzinfo) -> str:
    """Format a time in the given zone, with the zone's name."""
    at = at.astimezone(zone)
    return f"{day_and_time(at)} {at:%Z}"


def with_fallbacks(content: Any, zone: tzinfo) -> Any:
    """Rewrite the fallback texts of all times in a JSON value for Slack to this time zone."""
    match content:
        case str() if "<!date^" in content:
            return DATE.sub(lambda match: _with_fallback(match, zone), content)
        case list() | tuple():
            return [with_fallbacks(each, zone) for each in content]
        case dict():
            return {key: with_fallbacks(value, zone) for key, value in content.items()}
        case _:
            return content


def _with_fallback(match: re.Match[str], zone: tzinfo) -> str:
    at = moment_of(match["seconds"], zone)
    if at is None:
        return match[0]
    return f"<!date^{match['seconds']}^{match['format']}|{at:%Y-%m-%d %H:%M %Z}>"


def moment_of(seconds: str, zone: tzinfo) -> datetime | None:
    """Convert the seconds of a Slack time to a time zone; `None` if they are out of range."""
    try:
        return datetime.fromtimestamp(int(seconds), UTC).astimezone(zone)
    except (ValueError, OverflowError, OSError):
        return None


def escaped(text: str) -> str:
    """Escape plain words for mrkdwn."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _show_markup(match: re.Match[str]) -> str:
    sigil, target, label = match.groups()
    if sigil == "@":
        return f"@{target}"
    if sigil == "#":
        return f"#{label or target}"
    if sigil == "!":
        return label or f"@{SOME_GROUP if target.startswith('subteam^') else target.partition('^')[0]}"
    bare = re.sub(r"^(?:https?://|mailto:|tel:)", "", target).rstrip("/")
    return f"{label} ({target})" if label and label.rstrip("/") not in (target, bare) else label or target


def _decode_entities(text: str) -> str:
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&") if "&" in text else text
