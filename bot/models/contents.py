"""Content of a Slack message: its text, blocks, attachments and files, merged into one text.

Parts that repeat earlier ones are left out, since `text` often summarises the blocks. Previews of web pages are not
read; shared messages are. Files are read as far as Slack shows them in the message: the preview of a snippet, the text
of a mail, names, titles and descriptions.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from bot.models.block_text import block_texts, emoji_in, list_objects, to_string
from bot.models.markup import escaped, plain_text, search_text
from bot.models.pasted import read_typed_text
from bot.models.sent_file import SentFile, sent_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MAX_EXTRA_CHARS = 6_000
"""Characters read in addition to the text."""
HEAD, TAIL = 9_000, 3_000
"""Characters read at both ends of a long text; typed messages reach a third of this at most."""
_MOST_LOOKED_AT = 3 * MAX_EXTRA_CHARS
"""Characters scanned in addition to the text, including repetitions."""
MOST_OF_FILE = 1_500
MOST_PARTS = 20
"""Attachments and files of a message that are read."""
LONGEST_NAME = 80

ATTACHED = "\x1d"
"""Separator in the text for the rules, between the author's words and the attached ones."""

_WORD = re.compile(r"\w+")
_TOO_LONG = "the end of a long attachment"
_MIDDLE = "the middle of a long message"


class Contents(NamedTuple):
    """The content of a message, as mrkdwn."""

    text: str
    asks: str
    """The part that states the subject: the text without the names of pictures."""
    unread: tuple[str, ...] = ()
    """The files, and parts of files, that were not read."""
    shared: tuple[str, ...] = ()
    """The authors of the messages shared in it."""
    emoji: frozenset[str] = frozenset()
    own: str = ""
    """The part that its author typed (`models/pasted`): nothing attached, shared, uploaded or pasted."""
    for_rules: str = ""
    """`text`, with `ATTACHED` after the author's own words if anything follows them."""
    files: tuple[SentFile, ...] = ()
    """The text files that the message does not show in full."""


class _Part(NamedTuple):
    text: str
    asks: str | None = None
    """The part that states the subject; all of the text if nothing else says it."""


def read_contents(event: dict[str, Any]) -> Contents:
    """Read a message in Slack's own shape; malformed parts are skipped."""
    raw_text = event.get("text")
    whole, blocks = raw_text if isinstance(raw_text, str) else "", event.get("blocks")
    text, own = _both_ends(whole), _both_ends(read_typed_text(event))
    left_out = [] if text == whole else [_MIDDLE]
    emoji = emoji_in(blocks) if ":" in text else frozenset[str]()
    if not _says_more(event, text):
        return Contents(text, text, tuple(left_out), emoji=emoji, own=own, for_rules=text)
    reading = _ContentReader(unread=left_out)
    reading.take(_Part(text), bounded=False)
    for piece in block_texts(blocks):
        if not reading.take(_Part(piece)) and reading.is_full:
            break  # skip building the other cells of a huge table
    own_parts = len(reading.parts)
    for attachment in list_objects(event.get("attachments"))[:MOST_PARTS]:
        reading.attachment(attachment)
    for file in list_objects(event.get("files"))[:MOST_PARTS]:
        reading.file(file)
    unread, shared = tuple(dict.fromkeys(reading.unread)), tuple(dict.fromkeys(reading.shared))
    asks = "\n".join(part.text if part.asks is None else part.asks for part in reading.parts)
    texts = [part.text for part in reading.parts]
    for_rules = ATTACHED.join(filter(None, ("\n".join(texts[:own_parts]), "\n".join(texts[own_parts:]))))
    return Contents("\n".join(texts), asks, unread, shared, emoji, own, for_rules, tuple(reading.files))


def read_rules_text(event: dict[str, Any]) -> tuple[str, str]:
    """Return a message's `text` and its variant for the rules; for most messages both are the text itself."""
    raw_text = event.get("text")
    text = raw_text if isinstance(raw_text, str) else ""
    if len(text) <= HEAD + TAIL and not _says_more(event, text):
        return text, text
    read = read_contents(event)
    return read.text, read.for_rules


def _both_ends(text: str) -> str:
    return text if len(text) <= HEAD + TAIL else f"{text[:HEAD]}\n…\n{text[-TAIL:]}"


def _says_more(event: dict[str, Any], text: str) -> bool:
    """Return whether blocks or attachments may say more than the text; rich text of a person repeats it."""
    if event.get("attachments") or event.get("files"):
        return True
    if not event.get("blocks"):
        return False
    blocks = list_objects(event.get("blocks"))
    by_bot = any(event.get(key) for key in ("bot_id", "app_id", "subtype"))
    return any(block.get("type") != "rich_text" or by_bot or not text for block in blocks)


@dataclass
class _ContentReader:
    parts: list[_Part] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)
    shared: list[str] = field(default_factory=list)
    files: list[SentFile] = field(default_factory=list)
    _left: int = MAX_EXTRA_CHARS
    _looked_at: int = 0
    _words_so_far: str = " "
    """The words so far, to detect repetitions."""

    @property
    def is_full(self) -> bool:
        """Return whether the limit is reached and already reported in `unread`."""
        return self._looked_at > _MOST_LOOKED_AT and _TOO_LONG in self.unread

    def take(self, part: _Part, *, bounded: bool = True) -> bool:
        """Add a part unless it repeats earlier text; return whether it was added."""
        if bounded and self._looked_at > _MOST_LOOKED_AT:
            self.unread.extend([_TOO_LONG] if part.text.strip() else [])
            return False
        self._looked_at += len(part.text[: MAX_EXTRA_CHARS + 1]) if bounded else 0
        words = _pad_words(part.text[: MAX_EXTRA_CHARS + 1] if bounded else part.text)
        comparable = (
            words.rstrip() if bounded and len(part.text) > MAX_EXTRA_CHARS else words
        )  # the last word may be cut
        if not words.strip() or comparable in self._words_so_far:
            return False
        if bounded and len(part.text) > self._left:
            self.unread.append(_TOO_LONG)
            part = part._replace(text=part.text[: self._left])
            if not part.text.strip():
                return False
        self._left -= len(part.text) if bounded else 0
        self._words_so_far += words
        self.parts.append(part)
        return True

    def attachment(self, attachment: dict[str, Any]) -> None:
        """Read an alert, a shared message, or another attachment."""
        is_shared = bool(attachment.get("is_share") or attachment.get("is_msg_unfurl"))
        is_preview = attachment.get("from_url") or attachment.get("is_app_unfurl")
        if is_preview and not is_shared:
            return
        added = [self.take(_Part(text)) for text in (_texts_of_shared(attachment) if is_shared else _alert(attachment))]
        for file in list_objects(attachment.get("files"))[:MOST_PARTS]:
            added.append(True)
            self.file(file)
        if not added:
            self.take(_Part(to_string(attachment.get("fallback"))))
        if is_shared:
            self.shared.append(_name(attachment, "author_name", "author_subname") or "somebody")
        elif attachment.get("image_url"):
            self.unread.append(f"picture {_name(attachment, 'title', 'fallback')}".strip())

    def file(self, file: dict[str, Any]) -> None:
        """Read the name and preview of a file."""
        if file.get("mode") == "tombstone":
            return
        name = _name(file, "name", "title") or "a file"
        kind = _name(file, "pretty_type", "filetype")
        body = _body(file)
        about = [to_string(file.get(key)) for key in ("title", "alt_txt", "subject")]
        line = "; ".join(dict.fromkeys(escaped(value) for value in about if value and value != file.get("name")))
        self.take(_Part(escaped(f"[file: {name}{f', {kind}' if kind else ''}]"), asks=escaped(name) if body else ""))
        self.take(_Part(line))
        if not body:
            self._add_file(file, name)
            return
        self.take(_Part(f"```\n{escaped(body[:MOST_OF_FILE])}\n```"))
        if len(body) > MOST_OF_FILE or any(file.get(key) for key in ("preview_is_truncated", "lines_more", "has_more")):
            self._add_file(file, f"{name}, but for its beginning")

    def _add_file(self, file: dict[str, Any], called: str) -> None:
        self.unread.append(called)
        if sent := sent_file(file, called):
            self.files.append(sent)


def _texts_of_shared(attachment: dict[str, Any]) -> Iterator[str]:
    yield to_string(attachment.get("text"))
    for message in list_objects(attachment.get("message_blocks")):
        inner = message.get("message")
        yield from block_texts(inner.get("blocks") if isinstance(inner, dict) else None)
    yield from block_texts(attachment.get("blocks"))


def _alert(attachment: dict[str, Any]) -> Iterator[str]:
    texts = [to_string(attachment.get(key)) for key in ("pretext", "author_name", "title", "text")]
    fields = (
        ": ".join(filter(None, (to_string(each.get("title")), to_string(each.get("value")))))
        for each in list_objects(attachment.get("fields"))[:MOST_PARTS]
    )
    yield from (text for text in (*texts, *fields, *block_texts(attachment.get("blocks"))) if text)


def _body(file: dict[str, Any]) -> str:
    """Return the words of a file that the message holds: a snippet's preview, a mail's text, a clip's transcript."""
    transcription = file.get("transcription")
    spoken = transcription.get("preview") if isinstance(transcription, dict) else None
    texts = [file.get(key) for key in ("plain_text", "preview_plain_text", "preview")]
    texts.append(spoken.get("content") if isinstance(spoken, dict) else None)
    return next((text.strip() for text in texts if isinstance(text, str) and text.strip()), "")


def _name(shape: dict[str, Any], *keys: str) -> str:
    """Return the first of these values that is set, on one line."""
    name = next(filter(None, (to_string(shape.get(key)) for key in keys)), "")
    return " ".join(plain_text(name[: 10 * LONGEST_NAME]).split())[:LONGEST_NAME]


def _pad_words(text: str) -> str:
    return f" {' '.join(_WORD.findall(search_text(text).lower()))} "


def unread_line(unread: Iterable[str]) -> str:
    """Format the list of unread files: `2 files not read: a.png, b.pdf`; empty if all were read."""
    names = [*dict.fromkeys(unread)]
    return f"{len(names)} file{'' if len(names) == 1 else 's'} not read: {', '.join(names)}" if names else ""
