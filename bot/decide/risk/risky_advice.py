"""Risky advice in a draft: to roll back, delete, restart or change production. By rules. Pure.

A command counts at the beginning of a line or of a code span; words count as an order, or after *you should* and
similar words. Names in code (`def delete_order`) and descriptions (*orders are deleted after 30 days*) are not advice.
No model is used, and all patterns run in linear time; docs/security.md has the measured results.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import re2

from bot.decide.letters import one_form
from bot.decide.risk.clauses import advises, advises_unspaced, negated
from bot.decide.risk.forms import CODE, KINDS, forms
from bot.models.advice import Advice
from bot.models.visible import clean

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bot.decide.risk.forms import LanguageForms
    from bot.models.advice import AdviceKind

MOST_READ = 8_000
"""Maximum of characters that are read; no draft is half as long."""
MOST_FOUND = 20
LONGEST_SHOWN = 100
"""Maximum of characters of one piece of advice."""

_SPAN = re2.compile(r"`([^`\n]+)`")
_SENTENCE = re2.compile(r":\s|[.!?\x{61f}](?:[\s\"')\]*_]|$)|[\n;\x{3002}\x{ff01}\x{ff1f}\x{61b}]|[.!?:]\s+(?:\d+[.)])")
_CLAUSE = re2.compile(
    r"(?:,|\||\x{60c}|\x{3001}|\s[-\x{2013}\x{2014}]+\s|\x{2014}|[()\[\]{}\"\x{201c}\x{201d}\x{ab}\x{bb}\x{201e}])"
)
_LETTERS = re.compile(r"[\w\xa7]+")
_EMPHASIS = re2.compile(r"(?:\*{1,3}|~{1,2}|\b_{1,2}|_{1,2}\b)")
_BULLET = re2.compile(r"^\s*(?:>\s*)*(?:[-+\x{2022}*]\s+|\d+[.)]\s+|#{2,6}\s+|\[[ x]\]\s+)*")
_CODE_SIGN = re2.compile(
    r"[{}\\]|;\s*$| [=!<>+-]?= |\w=\S|->|=>|::|\w\(|\w\[|\)\s*;|</|^\s*(?:#[^#]|//|/\*|\* |\*/|--|@|\"\"\"|''')"
    r"|^\s*[\w.-]+:(?:\s|$)|^\s*(?:class|def|if|elif|else|try|except|for|while|with|return|import|from|case|switch)\b[^.,]*:$"
)
"""Text that is frequent in lines of code, comments and settings, and rare in prose."""
_QUOTED_SQL = re2.compile(
    r"(?i)^(?:delete|update|insert|drop|truncate|alter|replace|create|grant|revoke|set)\b"
    r".*(?:\?|%s|%\(|[=(, ][:$@#]\w|\{)"
)
"""SQL with placeholders for values, as found in programs."""
_RECIPE = re2.compile(r"^(?:RUN|CMD|ENTRYPOINT|COPY|ADD|FROM|ENV) |^-? ?(?:run|script|command|entrypoint): ")
"""Lines of build files, which nobody is told to type."""


def find_risky_advice(draft: str) -> tuple[Advice, ...]:
    """Return the advice in a draft, in order, each once: its kind and its words."""
    advice: dict[tuple[AdviceKind, str], Advice] = {}
    for kind, words in _find_advice(one_form(clean(draft[:MOST_READ])).replace("\r", "\n")):
        excerpt = " ".join(words.split())
        excerpt = excerpt if len(excerpt) <= LONGEST_SHOWN else f"{excerpt[: LONGEST_SHOWN - 1]}…"
        advice.setdefault((kind, excerpt), Advice(kind=kind, words=excerpt))
    return tuple(advice.values())[:MOST_FOUND]


def _find_advice(text: str) -> Iterator[tuple[AdviceKind, str]]:
    for number, part in enumerate(text.split("```")):
        if number % 2 == 0:
            yield from _in_lines(part.split("\n"))
            continue
        lines = [line for line in part.split("\n") if line.strip()]
        is_code = sum(bool(_CODE_SIGN.search(line)) for line in lines) * 3 > len(lines)
        for line in lines:
            yield from _commands(line)
        if not is_code:
            yield from _in_lines([line for line in lines if not _CODE_SIGN.search(line)], commands=False)


def _in_lines(lines: list[str], *, commands: bool = True) -> Iterator[tuple[AdviceKind, str]]:
    for line in _join_lines(lines):
        yield from _in_prose(line, commands=commands)


def _join_lines(lines: list[str]) -> Iterator[str]:
    """Yield the lines, with lines that continue a sentence joined to the line before."""
    whole = ""
    for line in lines:
        if whole and line[:1].islower() and not whole.endswith((".", "!", "?", ":", ";", "|")):
            whole = f"{whole} {line}"
            continue
        yield whole
        whole = line.rstrip()
    yield whole


def _commands(line: str) -> Iterator[tuple[AdviceKind, str]]:
    """Yield the commands at the beginning of a line of code, or the arguments of a program that runs others."""
    rules, line = forms(), " ".join(line.split())
    if _QUOTED_SQL.search(line) or _RECIPE.search(line):
        return
    patterns = rules.anywhere if rules.wrapper.search(line) or "&&" in line else rules.at_start
    for kind in KINDS:
        if patterns[kind].search(line):
            yield kind, line
            return
    for kind, pattern in rules.verbs.items():
        match = pattern.search(line)
        if match and match["program"] not in rules.no_program and not line.endswith((".", ",", ":")):
            yield kind, line
            return


def _in_prose(line: str, *, commands: bool = True) -> Iterator[tuple[AdviceKind, str]]:
    if not line.strip():
        return
    body = _BULLET.sub("", line)
    spans: list[str] = _SPAN.findall(body)
    plain = _EMPHASIS.sub("", f" {CODE} ".join(_text_outside_code(body)).replace("\n", " "))
    at = 0
    for sentence in _sentences(plain):
        sentence_spans = spans[at : at + sentence.count(CODE)]
        at += len(sentence_spans)
        yield from _in_sentence(sentence, sentence_spans, commands=commands)


def _text_outside_code(text: str) -> Iterator[str]:
    """Yield the text around code spans, without the character that will replace them."""
    start = 0
    for match in _SPAN.finditer(text):
        yield text[start : match.start()].replace(CODE, " ")
        start = match.end()
    yield text[start:].replace(CODE, " ")


def _sentences(text: str) -> Iterator[str]:
    start = 0
    for match in _SENTENCE.finditer(text):
        yield text[start : match.end()]
        start = match.end()
    yield text[start:]


def _in_sentence(sentence: str, spans: list[str], *, commands: bool) -> Iterator[tuple[AdviceKind, str]]:
    stripped = sentence.strip()
    whole = _pad_words(sentence)
    if not stripped or not whole.strip():
        return
    excerpt = stripped
    for span in spans:
        excerpt = excerpt.replace(CODE, span, 1)
    excerpt = " ".join(excerpt.split())
    clauses = [words for part in _parts(sentence) if (words := _pad_words(part)).strip()]
    if commands:
        yield from _named_commands(sentence, clauses, spans, excerpt)
    rules = forms()
    for kind in KINDS:
        is_named = rules.names[kind].search(whole)
        if (is_named and any(advises(tongue, kind, clauses, whole) for tongue in rules.languages)) or (
            not whole.isascii() and advises_unspaced(kind, sentence)
        ):
            yield kind, excerpt


def _parts(sentence: str) -> list[str]:
    parts, start = [], 0
    for match in _CLAUSE.finditer(sentence):
        parts.append(sentence[start : match.start()])
        start = match.end()
    return [*parts, sentence[start:]]


def _pad_words(text: str) -> str:
    plain = text.casefold().replace("n't", " not").replace("'d ", " would ").replace("'ll ", " will ")
    return f" {' '.join(_LETTERS.findall(plain))} "


def _named_commands(
    sentence: str, clauses: list[str], spans: list[str], excerpt: str
) -> Iterator[tuple[AdviceKind, str]]:
    """Yield commands in code spans, and bare ones in the sentence, unless it warns of them or describes them."""
    rules, at = forms(), 0
    for clause in clauses:
        before = ""
        for piece in clause.split(f" {CODE} ")[:-1] if CODE in clause else ():
            before, span, at = f"{before} {piece} ".replace("  ", " "), spans[at] if at < len(spans) else "", at + 1
            if any(_is_told(tongue, before) for tongue in rules.languages):
                continue
            yield from _commands(span)
            if len(span.split()) > 2 and not _CODE_SIGN.search(span):
                yield from _in_prose(span, commands=False)
    bare = " ".join(sentence.replace(CODE, " ").split())
    for kind in KINDS:
        match = rules.anywhere[kind].search(bare)
        if (
            match
            and len(match["words"].split()) > 1
            and not any(_is_told(tongue, _pad_words(bare[: match.start()])) for tongue in rules.languages)
        ):
            yield kind, excerpt


def _is_told(tongue: LanguageForms, before: str) -> bool:
    """Return whether the words before a code span warn of it, or say that something else runs it."""
    words = before.split()[-2:]
    return negated(tongue, f" {' '.join(words)} ") or bool(words and words[-1] in tongue.describes)
