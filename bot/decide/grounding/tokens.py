"""Tokens of a text: numbers, paths and code names, as opposed to plain language.

One pattern for all kinds, first match wins. Letters of scripts without spaces (Han, kana, Hangul, Thai) are not part
of a name, so that a number between them is recognised.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import re2

from bot.decide.grounding.numeric_claims import UNITS

if TYPE_CHECKING:
    from collections.abc import Iterator

_LETTER = r"\p{Latin}\p{Cyrillic}\p{Greek}\p{Arabic}\p{Hebrew}\p{Devanagari}"
_IN_WORD = rf"[{_LETTER}\d_]"
ENDINGS = """
py pyi pyx js jsx mjs ts tsx go rs rb java kt c h cc cpp hpp cs php swift scala sh sql md rst txt toml yml yaml json
jsonl ndjson ini cfg conf html css proto tf vue ex exs lua xml log lock csv env
"""
LINE_WORDS = """
lines line zeilen zeile líneas línea lineas linea lignes ligne linhas linha baris строками строках строки строка строке
строк righe riga خطوط خطهای خط‌های خط سطرهای سطر‌های سطر
"""
_DASH = r"(?:-|\x{2013})"
_UNITS = "|".join(sorted((unit for unit in UNITS if (unit.isalpha() and len(unit) > 1) or unit in "smhd"), key=len))


def _either_pattern(words: str) -> str:
    return "|".join(words.split())


KINDS = ("skipped", "url", "lines", "path", "moment", "version", "number", "name")
SCAN = re2.compile(
    r"(?P<skipped><[@#!][^>\n]{0,120}>|(?m:^)[ \t]*\d{1,2}[.)][ \t])"
    r"|(?P<url>https?://[^\s<>\"'`)\]|]+)"
    rf"|(?P<lines>(?i:\b(?:{_either_pattern(LINE_WORDS)}))\s+\d+(?:\s*(?:{_DASH}|,|and|to|und|bis|a|y|et|à|sampai)\s*\d+)*"
    r"|\d+(?:\s*[-\x{2013}~\x{301c}]\s*\d+)?\s*行)"
    r"|(?P<path>(?:~|\.{1,2})?/?(?:[\pL\pN_@.+-]+/)+[\pL\pN_@.+-]*[\pL\pN_]?|"
    rf"[\pL\pN_.@+-]*[\pL\pN_]\.(?i:{_either_pattern(ENDINGS)})\b|/(?:[\pL\pN_@.-]+/)*[\pL\pN_@-]+)"
    rf"(?:(?::|#L)(?P<first>\d+)(?:(?:{_DASH}L?)(?P<last>\d+))?)?"
    r"|(?P<moment>\b\d{4}-\d{2}-\d{2}\b|\b\d{1,2}:\d{2}(?::\d{2})?\b)"
    r"|(?P<version>\bv\d+(?:\.\d+)*\b|\b\d+(?:\.\d+){2,}(?:[-+]?[a-z]+\.?\d*)?\b)"
    r"|(?P<number>\d{1,3}(?:[ \x{a0}\x{202f}]\d{3})+\b|\d+(?:[.,'_\x{2019}]\d+)*)"
    rf"(?P<tail>%|(?:ミリ秒|秒|分|時間|日|週間|パーセント)|[{_LETTER}_]{_IN_WORD}*)?"
    rf"(?P<unit>[ \x{{a0}}\x{{202f}}-](?i:%|(?:{_UNITS})\b))?"
    rf"|(?P<name>(?:--?|\$)?[{_LETTER}_]{_IN_WORD}*(?:(?:\.|::|->|-){_IN_WORD}+)*(?:\(\))?)"
)
SPAN = re2.compile(r"`([^`\n]+)`")
WORD = re2.compile(rf"[{_LETTER}_]{_IN_WORD}*(?:-{_IN_WORD}+)*|{_IN_WORD}+")
DIGITS = re2.compile(r"\d+(?:[.,_]\d+)*")
DIGITS_ONLY = re2.compile(r"\d+")
PRODUCT = re2.compile(r"\d[\d_]*(?:\s*\*\s*\d[\d_]*){1,7}")
PARTS = re2.compile(r"\.|::|->|-")
HEX_TAIL = re2.compile(r"(?i)x[0-9a-f]{1,30}")

_CAMEL = re2.compile(r"[\p{Ll}\d]\p{Lu}")
_DOTTED = re2.compile(r"[a-z_][A-Za-z0-9_]+(?:(?:\.|::)[A-Za-z_][A-Za-z0-9_]+)+")
_HASH = re2.compile(r"[0-9a-f]{7,40}")
_EXTENSION = re2.compile(r"\.[\pL\pN]{1,8}$")
_WORLD = """
github gitlab javascript typescript postgresql mysql nosql sqlite graphql openai youtube linkedin ios macos ipados
iphone ipad devops websocket websockets wifi oauth pagerduty datadog opentelemetry rabbitmq mongodb dynamodb bigquery
clickhouse cloudflare fastapi pytorch tensorflow latex webassembly powershell stackoverflow
node.js next.js vue.js asp.net e.g i.e z.b d.h
and/or he/she yes/no i/o tcp/ip n/a w/o ci/cd on/off input/output client/server
"""
"""Product names and idioms that look like code names."""
_WORDS_OF_CODE = "true false none null nil undefined nan int float str bool string list dict if else or and not"
ORDINARY = frozenset(_WORLD.split())
_LITERALS = frozenset(_WORDS_OF_CODE.split())


def is_one_word(left: str, right: str) -> bool:
    """Return whether two adjacent characters belong to one word."""
    both = bool(left and right) and left.isascii() == right.isascii()
    return both and all(char.isalnum() or char == "_" for char in (left, right))


def is_unit(tail: str) -> bool:
    """Return whether these letters after a number are a unit."""
    return tail.lower() in UNITS


def is_hash(text: str) -> bool:
    """Return whether this looks like a commit hash: hex with letters and digits."""
    return bool(_HASH.fullmatch(text)) and not text.isdigit() and not text.isalpha()


def is_path(text: str, *, code: bool) -> bool:
    """Return whether something with a slash or an extension is certainly a path; in code anything is."""
    if text.lower() in ORDINARY:
        return False
    last = text.rstrip("/").rpartition("/")[2]
    rooted = text.startswith(("/", "./", "../", "~/")) and text.count("/") > 1
    return code or rooted or "_" in text or bool(_EXTENSION.search(last) and not last.replace(".", "").isdigit())


def names_in_code(name: str) -> list[str]:
    """Return the names in one word of code."""
    plain = name.lstrip("-$").removesuffix("()")
    return [] if len(plain) < 2 or plain.lower() in _LITERALS else [name]


def names_in_prose(name: str) -> list[str]:
    """Return the names in a word that may be plain language."""
    return [candidate for candidate in _candidates(name) if candidate.lower() not in ORDINARY]


def _candidates(name: str) -> Iterator[str]:
    plain = name.removesuffix("()")
    inner = plain.strip("_")  # underscores on one side or around one word are emphasis
    if name.startswith(("--", "$")) and len(plain) > 2:
        yield name
    elif name.endswith("()") or "_" in inner or (plain.startswith("__") and plain.endswith("__") and inner):
        yield plain
    elif is_hash(inner) or _DOTTED.fullmatch(inner):
        yield inner
    elif _CAMEL.search(inner):
        yield from (part for part in PARTS.split(inner) if _CAMEL.search(part))
