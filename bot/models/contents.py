"""All that a Slack message says: its text, blocks, attachments and files, read once into one text.

What a part repeats of what stands before it is left out, since a text often sums its blocks up. The preview of a web
page is nobody's words and is not read; a message that was shared is. Files are read as far as Slack shows them
in the message: the preview of a snippet, the text of a mail, names, titles and descriptions.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from bot.models.block_text import block_texts, emoji_in
from bot.models.markup import escaped, plain_text, search_text
from bot.models.pasted import typed
from bot.models.sent_file import SentFile, sent_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MOST = 6_000
"""Characters that are read beside the text."""
HEAD, TAIL = 9_000, 3_000
"""Characters at both ends of a long text that are read; people type a third of it at most."""
_MOST_LOOKED_AT = 3 * MOST
"""Characters beside the text that are looked at, those included that only repeat something."""
MOST_OF_FILE = 1_500
MOST_PARTS = 20
"""Attachments of a message that are read, and its files."""
LONGEST_NAME = 80

ATTACHED = "\x1d"
"""Stands in the text for the rules between the words of a message's author and what is attached to them."""

_WORD = re.compile(r"\w+")
_TOO_LONG = "the end of a long attachment"
_MIDDLE = "the middle of a long message"


class Contents(NamedTuple):
    """A message's words, as mrkdwn."""

    text: str
    asks: str
    """Those of them that say what it is about: without the names of pictures."""
    unread: tuple[str, ...] = ()
    """The files, and parts of files, that nobody has read."""
    shared: tuple[str, ...] = ()
    """Whose messages were shared in it."""
    emoji: frozenset[str] = frozenset()
    own: str = ""
    """Those of them that its author typed (`models/pasted`): nothing that was attached, shared, uploaded or pasted."""
    for_rules: str = ""
    """`text`, with `ATTACHED` after its author's own words where anything follows them."""
    files: tuple[SentFile, ...] = ()
    """Its text files that the message does not show whole."""


class _Part(NamedTuple):
    text: str
    asks: str | None = None
    """What of it says what the message is about; all of it where nothing else is said."""


def contents(event: dict[str, Any]) -> Contents:
    """Read a message in Slack's own shape; what breaks that shape says nothing."""
    said = event.get("text")
    whole, blocks = said if isinstance(said, str) else "", event.get("blocks")
    text, own = _both_ends(whole), _both_ends(typed(event))
    left_out = [] if text == whole else [_MIDDLE]
    emoji = emoji_in(blocks) if ":" in text else frozenset[str]()
    if not _says_more(event, text):
        return Contents(text, text, tuple(left_out), emoji=emoji, own=own, for_rules=text)
    reading = _Reading(unread=left_out)
    reading.take(_Part(text), bounded=False)
    for piece in block_texts(blocks):
        if not reading.take(_Part(piece)) and reading.is_full:
            break  # of a table of many long cells the others are not even made
    own_parts = len(reading.parts)
    for attachment in _objects(event.get("attachments"))[:MOST_PARTS]:
        reading.attachment(attachment)
    for file in _objects(event.get("files"))[:MOST_PARTS]:
        reading.file(file)
    unread, shared = tuple(dict.fromkeys(reading.unread)), tuple(dict.fromkeys(reading.shared))
    asks = "\n".join(part.text if part.asks is None else part.asks for part in reading.parts)
    texts = [part.text for part in reading.parts]
    for_rules = ATTACHED.join(filter(None, ("\n".join(texts[:own_parts]), "\n".join(texts[own_parts:]))))
    return Contents("\n".join(texts), asks, unread, shared, emoji, own, for_rules, tuple(reading.files))


def for_rules(event: dict[str, Any]) -> tuple[str, str]:
    """`text` and `for_rules` of a message's contents; of most messages these are its text."""
    said = event.get("text")
    text = said if isinstance(said, str) else ""
    if len(text) <= HEAD + TAIL and not _says_more(event, text):
        return text, text
    read = contents(event)
    return read.text, read.for_rules


def _both_ends(text: str) -> str:
    return text if len(text) <= HEAD + TAIL else f"{text[:HEAD]}\n…\n{text[-TAIL:]}"


def _says_more(event: dict[str, Any], text: str) -> bool:
    """Return whether it may say more than its text; of a person's words Slack makes rich text, which says the same."""
    if event.get("attachments") or event.get("files"):
        return True
    if not event.get("blocks"):
        return False
    blocks = _objects(event.get("blocks"))
    by_bot = any(event.get(key) for key in ("bot_id", "app_id", "subtype"))
    return any(block.get("type") != "rich_text" or by_bot or not text for block in blocks)


@dataclass
class _Reading:
    parts: list[_Part] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)
    shared: list[str] = field(default_factory=list)
    files: list[SentFile] = field(default_factory=list)
    _left: int = MOST
    _looked_at: int = 0
    _known: str = " "
    """The words so far, to tell what only repeats them."""

    @property
    def is_full(self) -> bool:
        """Return whether nothing more is read, and that is said."""
        return self._looked_at > _MOST_LOOKED_AT and _TOO_LONG in self.unread

    def take(self, part: _Part, *, bounded: bool = True) -> bool:
        """Add a part that says something new; says whether it did."""
        if bounded and self._looked_at > _MOST_LOOKED_AT:
            self.unread.extend([_TOO_LONG] if part.text.strip() else [])
            return False
        self._looked_at += len(part.text[: MOST + 1]) if bounded else 0
        words = _words(part.text[: MOST + 1] if bounded else part.text)
        known = words.rstrip() if bounded and len(part.text) > MOST else words  # its last word may be cut
        if not words.strip() or known in self._known:
            return False
        if bounded and len(part.text) > self._left:
            self.unread.append(_TOO_LONG)
            part = part._replace(text=part.text[: self._left])
            if not part.text.strip():
                return False
        self._left -= len(part.text) if bounded else 0
        self._known += words
        self.parts.append(part)
        return True

    def attachment(self, attachment: dict[str, Any]) -> None:
        """Read an alert, a message that was shared, or what else an app or a person attached."""
        is_shared = bool(attachment.get("is_share") or attachment.get("is_msg_unfurl"))
        is_preview = attachment.get("from_url") or attachment.get("is_app_unfurl")
        if is_preview and not is_shared:
            return
        taken = [self.take(_Part(text)) for text in (_shared(attachment) if is_shared else _alert(attachment))]
        for file in _objects(attachment.get("files"))[:MOST_PARTS]:
            taken.append(True)
            self.file(file)
        if not taken:
            self.take(_Part(_string(attachment.get("fallback"))))
        if is_shared:
            self.shared.append(_name(attachment, "author_name", "author_subname") or "somebody")
        elif attachment.get("image_url"):
            self.unread.append(f"picture {_name(attachment, 'title', 'fallback')}".strip())

    def file(self, file: dict[str, Any]) -> None:
        """Read what Slack shows of a file."""
        if file.get("mode") == "tombstone":
            return
        name = _name(file, "name", "title") or "a file"
        kind = _name(file, "pretty_type", "filetype")
        body = _body(file)
        about = [_string(file.get(key)) for key in ("title", "alt_txt", "subject")]
        line = "; ".join(dict.fromkeys(escaped(said) for said in about if said and said != file.get("name")))
        self.take(_Part(escaped(f"[file: {name}{f', {kind}' if kind else ''}]"), asks=escaped(name) if body else ""))
        self.take(_Part(line))
        if not body:
            self._missed(file, name)
            return
        self.take(_Part(f"```\n{escaped(body[:MOST_OF_FILE])}\n```"))
        if len(body) > MOST_OF_FILE or any(file.get(key) for key in ("preview_is_truncated", "lines_more", "has_more")):
            self._missed(file, f"{name}, but for its beginning")

    def _missed(self, file: dict[str, Any], called: str) -> None:
        self.unread.append(called)
        if sent := sent_file(file, called):
            self.files.append(sent)


def _shared(attachment: dict[str, Any]) -> Iterator[str]:
    yield _string(attachment.get("text"))
    for message in _objects(attachment.get("message_blocks")):
        inner = message.get("message")
        yield from block_texts(inner.get("blocks") if isinstance(inner, dict) else None)
    yield from block_texts(attachment.get("blocks"))


def _alert(attachment: dict[str, Any]) -> Iterator[str]:
    texts = [_string(attachment.get(key)) for key in ("pretext", "author_name", "title", "text")]
    fields = (
        ": ".join(filter(None, (_string(each.get("title")), _string(each.get("value")))))
        for each in _objects(attachment.get("fields"))[:MOST_PARTS]
    )
    yield from (text for text in (*texts, *fields, *block_texts(attachment.get("blocks"))) if text)


def _body(file: dict[str, Any]) -> str:
    """The words of a file that stand in the message: a snippet's preview, a mail's text, what was heard in a clip."""
    heard = file.get("transcription")
    spoken = heard.get("preview") if isinstance(heard, dict) else None
    said = [file.get(key) for key in ("plain_text", "preview_plain_text", "preview")]
    said.append(spoken.get("content") if isinstance(spoken, dict) else None)
    return next((text.strip() for text in said if isinstance(text, str) and text.strip()), "")


def _name(shape: dict[str, Any], *keys: str) -> str:
    """The first of these that is there, on one line."""
    said = next(filter(None, (_string(shape.get(key)) for key in keys)), "")
    return " ".join(plain_text(said[: 10 * LONGEST_NAME]).split())[:LONGEST_NAME]


def _words(text: str) -> str:
    return f" {' '.join(_WORD.findall(search_text(text).lower()))} "


def _objects(value: Any) -> list[dict[str, Any]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def _string(value: Any) -> str:
    return value if isinstance(value, str) else str(value) if isinstance(value, int | float) else ""


def unread_line(unread: Iterable[str]) -> str:
    """`2 files not read: a.png, b.pdf`; nothing where all was read."""
    names = [*dict.fromkeys(unread)]
    return f"{len(names)} file{'' if len(names) == 1 else 's'} not read: {', '.join(names)}" if names else ""
