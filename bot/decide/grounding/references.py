"""References in a text: cited files, lines, commits and addresses, in any spelling.

Pure. `agents/citations` opens them. A word of plain language is a reference only if the project has such a file, which
only the opener knows; so each mention tells if it is certain. Code in a fence cites only places with lines.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import replace
from typing import TYPE_CHECKING

from bot.decide.grounding import tokens, web_link
from bot.decide.grounding.citation_lines import LINES, NO_PATHS, lines_after, lines_at, lines_before, read_lines
from bot.decide.grounding.further_lines import with_further_lines
from bot.decide.grounding.mention import Mention
from bot.decide.grounding.written_paths import (
    BARE_NAMES,
    ending,
    is_pathlike,
    is_sure,
    latin_length,
    may_be_path,
    readings,
)
from bot.models.visible import clean

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MOST_READ = 12_000
"""Maximum number of characters read; a draft has at most 3,000."""

_FENCE = re.compile(
    r"^[ \t]*(?P<fence>`{3,}|~{3,})[^\n`]*\n(?P<code>.*?)(?:^[ \t]*(?P=fence)`*[ \t]*$|\Z)", re.S | re.M
)
_SLACK_LINK = re.compile(r"<(?P<target>https?://[^<>|\n]+)(?:\|(?P<label>[^<>\n]*))?>")
_LINK = re.compile(
    r"\[(?P<label>[^\[\]\n]*)\]\((?P<target><[^<>\n]+>|[^()\s]+(?:\([^()\s]*\)[^()\s]*)*)(?:\s+\"[^\"\n]*\")?\)"
)
_URL = re.compile(r"https?://[^\s<>\"'`)\]|]+")
_CODE = re.compile(r"(?<!`)(?P<ticks>`++)(?P<code>[^`\n]+)(?P=ticks)")
_QUOTED = re.compile(r"\"(?P<a>[^\"\n]{3,200})\"|'(?P<b>[^'\n]{3,200})'|[“„«](?P<c>[^“”„«»\n]{3,200})[”“»]")
_STEP = r"[\w@+~.\[\]-]"
_PATH = (
    rf"(?:[A-Za-z]:(?=[\\/]))?(?:~?[\\/]|(?:\.{{1,2}}[\\/])+)?{_STEP}*\w\]?(?:[\\/](?:\.\.(?=[\\/])|{_STEP}*[\w\]]))*"
)
_TOKEN = re.compile(rf"(?<![\w@*$}}%/\\.~+\[\]])(?P<path>{_PATH})(?P<lines>{LINES})?(?![A-Za-z0-9_*{{]|[\\/]\*)")
_WHOLE = re.compile(rf"(?P<path>[^:#\n\"<>|*?]*?[^\s:#\n\"<>|*?(])(?P<lines>{LINES})?")
_VALUE_SIGNS = ":>=-"
"""Signs before a path with an extension and a folder or lines; any other word after them is a value."""
_LEFT_OUT = re.compile(r"(?:(?<!\.)\.{3,}|\u2026)[\\/]|\bfile://(?=/)")
"""Abbreviations for the start of a path."""
_PLACE_BEFORE = re.compile(r"@[^\s@]*:$|://\S*$|\b(?:package|npm|node):$")
"""Prefixes of a path on another system: a host, a package registry."""
_FOLDER_END = re.compile(r"[\\/](?![\w\\/*<{$\u2026]|\.[\w.])")
"""End of a folder's path."""
_SHA = re.compile(r"(?<![\w/.#@-])(?P<sha>[0-9a-f]{7,40})(?![\w./-]?\w)")
_COMMIT_WORD = re.compile(r"\b(?:commit|revision|rev|sha)s?[:\s]*[`(]*$", re.IGNORECASE)
_EMPHASIS = re.compile(
    r"(?<![/\w])\*{1,3}(?=[\w`])|(?<=[\w)`])\*{1,3}(?![\w/.])"
    r"|(?<![\w/.])_(?=[^_\n]+_(?![\w/.]))|(?<=[^_\s])_(?![\w/.])"
)


def find_references(text: str, *, web_url: str = "", projects: Sequence[str] = ()) -> tuple[Mention, ...]:
    """Find the references in `text`, in order and without duplicates. `projects` are names that may precede a path."""
    cleaned_text = clean(text)[:MOST_READ]
    plain = _to_ascii(cleaned_text)
    mentions: list[tuple[int, Mention]] = []
    for fence in _FENCE.finditer(plain):
        mentions += _in_fence(fence["code"], fence.start("code"))
    prose = _EMPHASIS.sub(_blank, _FENCE.sub(_blank, plain))
    mentions += _Prose(web_url, projects, cleaned_text).mentions(prose)
    ordered = [
        _with_original_digits(mention, cleaned_text, at)
        for at, mention in sorted(mentions, key=lambda placed: placed[0])
    ]
    return _deduplicate(ordered)


def _with_original_digits(mention: Mention, text: str, at: int) -> Mention:
    """Return a mention with the original digits of the text."""
    original = text[at : at + len(mention.text)]
    return replace(mention, text=original) if _to_ascii(original) == mention.text else mention


class _Prose:
    """Text outside fences. Each part that is read is blanked, so that nothing is read twice."""

    def __init__(self, web_url: str, projects: Sequence[str], original_text: str) -> None:
        self._web_url, self._original_text = web_url, original_text
        names = "|".join(re.escape(name) for name in sorted(projects, key=len, reverse=True) if name)
        self._prefix = re.compile(rf"(?<![\w/.-])(?:{names}):(?=[\w./\\]*[A-Za-z])") if names else None
        self._text = ""

    def mentions(self, text: str) -> list[tuple[int, Mention]]:
        text = _LEFT_OUT.sub(_blank, text)
        self._text = self._prefix.sub(_blank, text) if self._prefix else text
        placed = [
            *self._consume(_SLACK_LINK, self._read_link),
            *self._consume(_LINK, self._read_link),
            *self._consume(_URL, lambda match: self._address(match.start(), match[0])),
            *self._consume(_CODE, lambda match: self._span(match, match["code"], match.start("code"))),
            *self._consume(_QUOTED, self._quotation),
            *self._consume(_SHA, self._commit),
            *self._consume(_TOKEN, self._token),
        ]
        return with_further_lines(text, placed, original_text=self._original_text)

    def _consume(self, pattern: re.Pattern[str], read: object) -> list[tuple[int, Mention]]:
        placed: list[tuple[int, Mention]] = []
        at = 0
        while match := pattern.search(self._text, at):
            mentions = [*read(match)]  # type: ignore[operator]  # each reader takes a match
            placed += mentions
            if mentions:
                self._blank(match.start(), match.end(), keep=match.groupdict().get("label"))
            at = match.end()
        return placed

    def _blank(self, start: int, end: int, *, keep: str | None) -> None:
        left = " " * (end - start) if keep is None else f" {keep} ".ljust(end - start)
        self._text = f"{self._text[:start]}{left[: end - start]}{self._text[end:]}"

    def _read_link(self, match: re.Match[str]) -> Iterator[tuple[int, Mention]]:
        target = match["target"].strip("<>")
        if target.startswith(("http://", "https://")):
            yield from self._address(match.start(), target)
        elif whole := _parse_whole(target):
            yield from _mention_ranges(match.start(), target, whole, sure=True)

    def _address(self, at: int, address: str) -> Iterator[tuple[int, Mention]]:
        address = address.rstrip(".,;:!?")
        place = web_link.parse_link(self._web_url, address)
        if place is None:
            yield at, Mention("url", address, is_sure=True)
        elif not place.paths:
            yield at, Mention("commit", address, commit=place.commit.lower(), is_sure=True)
        else:
            commit = place.commit
            yield at, Mention("file", address, place.paths, place.first, place.last, commit, is_sure=True)

    def _span(self, match: re.Match[str], inside: str, at: int) -> list[tuple[int, Mention]]:
        """Read a marked path with its lines inside or next to the marks; empty for code, in which paths may occur."""
        whole = _parse_whole(inside)
        if whole is None:
            return []
        path, ranges = whole
        beside = (
            ranges
            or lines_at(self._text, match.end())
            or lines_after(self._text, match.end())
            or lines_before(self._text, match.start())
        )
        sha = _SHA.fullmatch(path)
        if sha and not ranges and tokens.is_hash(path):
            return [(at, self._sha(match.start(), path))]
        if not may_be_path(path):
            return []
        sure = is_sure(path, lines=bool(beside))
        return [*_mention_ranges(at, inside, (path, beside), sure=sure)]

    def _quotation(self, match: re.Match[str]) -> list[tuple[int, Mention]]:
        inside = match["a"] or match["b"] or match["c"]
        whole = _parse_whole(inside)
        if whole is None or not (ending(whole[0]) or whole[1]):
            return []
        return self._span(match, inside, match.start() + 1)

    def _commit(self, match: re.Match[str]) -> Iterator[tuple[int, Mention]]:
        if tokens.is_hash(match["sha"]):
            yield match.start(), self._sha(match.start(), match["sha"])

    def _sha(self, at: int, sha: str) -> Mention:
        named = bool(_COMMIT_WORD.search(self._text[max(0, at - 20) : at]))
        return Mention("commit", sha, commit=sha, is_sure=named)

    def _token(self, match: re.Match[str]) -> Iterator[tuple[int, Mention]]:
        path = match["path"].rstrip(".")
        end = match.end()
        if self._is_value(match, path):
            return
        if not match["lines"] and (length := latin_length(path)):  # words of another script are attached
            path, end = path[:length], match.start() + length
        elif not match["lines"] and _FOLDER_END.match(self._text, end):
            path = f"{path}{self._text[end]}"
        ranges = read_lines(match["lines"] or "")
        if not may_be_path(path) or path.lower() in NO_PATHS or (path.lower() in tokens.ORDINARY and not ranges):
            return
        if not ranges and (is_pathlike(path) or path[:1].isupper()):
            ranges = lines_after(self._text, end) or lines_before(self._text, match.start())
        if not (is_pathlike(path) or ranges or path in BARE_NAMES):
            return
        text = match[0] if match["lines"] else path
        yield from _mention_ranges(match.start(), text, (path, ranges), sure=is_sure(path, lines=bool(ranges)))

    def _is_value(self, match: re.Match[str], path: str) -> bool:
        """Return whether a path after a sign is a value: a port, a folder of a host, an option's argument."""
        before = self._text[: match.start()]
        if not before.endswith(tuple(_VALUE_SIGNS)):
            return False
        is_place = bool(ending(path)) and bool(match["lines"] or re.search(r"[\\/]", path))
        return (
            not (is_place or path.startswith(("../", "..\\")))
            or bool(re.match(r"\d+[\\/]", path))
            or bool(_PLACE_BEFORE.search(before[-200:]))
        )


def _in_fence(code: str, start: int) -> Iterator[tuple[int, Mention]]:
    at = start
    for line in code.split("\n"):
        for match in _TOKEN.finditer(line):
            path, ranges = match["path"].rstrip("."), read_lines(match["lines"] or "")
            if ranges and may_be_path(path) and (ending(path) or "/" in path):
                sure = is_sure(path, lines=True)
                for position, mention in _mention_ranges(at + match.start(), match[0], (path, ranges), sure=sure):
                    yield position, replace(mention, quoted=line)
        at += len(line) + 1


def _parse_whole(text: str) -> tuple[str, list[tuple[int, int]]] | None:
    """Parse all of `text` as a path with lines; blanks are allowed here. Returns `None` if it is none."""
    match = _WHOLE.fullmatch(text.strip())
    if match is None:
        return None
    path = match["path"].strip()
    if " " in path and not (ending(path) and re.fullmatch(r"[\w@+~.\[\]()/\\ -]+", path)):
        return None
    return path, read_lines(match["lines"] or "")


def _mention_ranges(
    at: int, text: str, whole: tuple[str, list[tuple[int, int]]], *, sure: bool
) -> Iterator[tuple[int, Mention]]:
    path, ranges = whole
    paths = readings(path)
    if not ranges:
        yield at, Mention("file", text, paths, is_sure=sure)
    for first, last in ranges:
        yield at, Mention("file", text, paths, first, last, is_sure=sure)


def _deduplicate(mentions: Sequence[Mention]) -> tuple[Mention, ...]:
    """Remove duplicates; a file without lines is dropped if one of its lines is cited."""
    by_place: dict[object, Mention] = {}
    for mention in mentions:
        key = (
            mention.kind,
            mention.paths,
            mention.first,
            mention.last,
            mention.commit,
            mention.text if mention.kind == "url" else "",
        )
        before = by_place.get(key)
        if (
            before is None
            or (mention.is_sure and not before.is_sure)
            or (before.quoted is not None and mention.quoted is None)
        ):
            by_place[key] = mention
    lined = {mention.paths[0] for mention in by_place.values() if mention.first is not None and mention.quoted is None}
    return tuple(
        mention
        for mention in by_place.values()
        if mention.kind != "file" or mention.first is not None or mention.paths[0] not in lined
    )


def _blank(match: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", match[0])


def _to_ascii(text: str) -> str:
    """Convert digits of all scripts and full-width characters to ASCII, character by character, so that positions
    stay."""

    def plain(char: str) -> str:
        if char <= "\x7f":
            return char
        if char.isdecimal():
            return str(unicodedata.decimal(char))
        wide = unicodedata.normalize("NFKC", char) if "\uff01" <= char <= "\uff5e" else char
        return wide if len(wide) == 1 else char

    return "".join(map(plain, text)).replace("\u00a0", " ").replace("\u202f", " ")
