"""Stored text: typed text becomes escaped mrkdwn, and each text gets a rich_text block.

Only `&`, `<` and `>` are escaped; angle brackets in stored text are control syntax: a mention, a channel, a link. A
person creates mentions by `@Name` only; the bot writes control syntax itself, as with the real API.
"""

import re
import secrets
from collections.abc import Callable, Collection, Mapping

from sandbox.models import Json

_URL = r"https?://[^\s<>|]*[^\s<>|.,;:!?)'\"]"
_CONTROL = re.compile(
    r"<(?:[@#][A-Z0-9]+(?:\|[^<>]*)?|!(?:here|channel|everyone|subteam\^|date\^)[^<>]*"
    r"|(?:https?|mailto|tel|slack):[^<>\s][^<>]*)>"
    rf"|{_URL}"
)
_TYPED = re.compile(
    rf"<@(?P<user>[UW][A-Z0-9]+)>|<#(?P<channel>C[A-Z0-9]+)>|<!subteam\^(?P<group>S[A-Z0-9]+)>"
    rf"|@(?P<name>\w+)|#(?P<room>[\w-]+)|(?P<url>{_URL})"
)
_ENTITY = re.compile(r"&(?!(?:amp|lt|gt);)")
_FENCE = re.compile(r"```\n?(.+?)\n?```", re.DOTALL)
_INLINE = re.compile(
    r"<(?P<control>[^<>]+)>|`(?P<code>[^`\n]+)`"
    r"|(?<![\w*])\*(?P<bold>[^*\n]+)\*(?![\w*])"
    r"|(?<![\w_])_(?P<italic>[^_\n]+)_(?![\w_])"
    r"|(?<![\w~])~(?P<strike>[^~\n]+)~(?![\w~])"
)


def escape(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def unescape(text: str) -> str:
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


def escape_typed_text(
    text: str, *, people: Mapping[str, str], rooms: Mapping[str, str], groups: Collection[str] = ()
) -> str:
    """Return typed text as Slack stores it. `people` and `rooms` map lower-case names to ids, `groups` are ids."""

    def control(match: re.Match[str]) -> str:
        if match["url"]:
            return f"<{escape(match['url'])}>"
        if match["user"] in people.values() or match["channel"] in rooms.values() or match["group"] in groups:
            return match[0]
        if match["name"] in ("here", "channel", "everyone"):
            return f"<!{match['name']}>"
        if match["name"] and match["name"].lower() in people:
            return f"<@{people[match['name'].lower()]}>"
        if match["room"] and match["room"].lower() in rooms:
            return f"<#{rooms[match['room'].lower()]}|{match['room'].lower()}>"
        return escape(match[0])

    return _replace_around(_TYPED, text, control, escape)


def escape_app_text(text: str) -> str:
    """Return an app's text as Slack stores it: control syntax is kept, bare links are wrapped, the rest is escaped."""

    def control(match: re.Match[str]) -> str:
        return match[0] if match[0].startswith("<") else f"<{_ENTITY.sub('&amp;', match[0])}>"

    def plain(part: str) -> str:
        return _ENTITY.sub("&amp;", part).replace("<", "&lt;").replace(">", "&gt;")

    return _replace_around(_CONTROL, text, control, plain)


def _replace_around(
    pattern: re.Pattern[str], text: str, inside: Callable[[re.Match[str]], str], outside: Callable[[str], str]
) -> str:
    parts, end = [], 0
    for match in pattern.finditer(text):
        parts += [outside(text[end : match.start()]), inside(match)]
        end = match.end()
    return "".join(parts) + outside(text[end:])


def rich_text(text: str) -> Json:
    """Build Slack's rich_text block of a stored text: sections, quotes and preformatted parts."""
    elements: list[Json] = []
    end = 0
    for fence in _FENCE.finditer(text):
        elements += _prose(text[end : fence.start()].strip("\n"))
        elements.append({"type": "rich_text_preformatted", "elements": [_plain_element(fence[1])], "border": 0})
        end = fence.end()
    elements += _prose(text[end:].strip("\n") if end else text)
    return {"type": "rich_text", "block_id": new_block_id(), "elements": elements}


def new_block_id() -> str:
    return secrets.token_urlsafe(4)[:5]


def _prose(text: str) -> list[Json]:
    """Return the runs of quoted and ordinary lines as elements."""
    runs: list[tuple[bool, list[str]]] = []
    for line in text.split("\n") if text else ():
        quoted = line.startswith("&gt;")
        if not runs or runs[-1][0] != quoted:
            runs.append((quoted, []))
        runs[-1][1].append(line.removeprefix("&gt;").removeprefix(" ") if quoted else line)
    return [
        {
            "type": "rich_text_quote" if quoted else "rich_text_section",
            "elements": _inline("\n".join(lines), {}),
        }
        for quoted, lines in runs
    ]


def _inline(text: str, style: Json) -> list[Json]:
    elements: list[Json] = []
    end = 0
    for match in _INLINE.finditer(text):
        if match.start() > end:
            elements.append(_plain_element(text[end : match.start()], style))
        elements += _style_match(match, style)
        end = match.end()
    if end < len(text):
        elements.append(_plain_element(text[end:], style))
    return elements


def _style_match(match: re.Match[str], style: Json) -> list[Json]:
    if match["control"]:
        return [_control(match["control"], style)]
    if match["code"]:
        return [_plain_element(match["code"], {**style, "code": True})]
    kind = match.lastgroup or ""
    return _inline(match[kind], {**style, kind: True})


def _control(inside: str, style: Json) -> Json:
    target, _, label = inside.partition("|")
    if target.startswith("@"):
        return {"type": "user", "user_id": target[1:]}
    if target.startswith("#"):
        return {"type": "channel", "channel_id": target[1:]}
    if target.startswith("!subteam^"):
        return {"type": "usergroup", "usergroup_id": target.removeprefix("!subteam^")}
    if target.startswith("!date^"):
        return _plain_element(label or target, style)
    if target.startswith("!"):
        return {"type": "broadcast", "range": target[1:]}
    link: Json = {"type": "link", "url": unescape(target)}
    if label:
        link["text"] = unescape(label)
    return {**link, "style": style} if style else link


def _plain_element(text: str, style: Json | None = None) -> Json:
    element: Json = {"type": "text", "text": unescape(text)}
    return {**element, "style": style} if style else element
