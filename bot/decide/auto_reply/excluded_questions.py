"""Questions that are never answered without a person: status checks, production, and single accounts. Pure.

The rules read the question's words; no model has a say. In doubt they leave a question to a person, and so they do if
it is long or not in English.
"""

from __future__ import annotations

import re

from bot.decide.auto_reply.maturity import KINDS
from bot.decide.retrieval.function_words import is_english
from bot.decide.rubric import NAMES, choose_rubric, matching_kinds
from bot.models.visible import clean

LONGEST_READ = 2_000
"""Longest question in characters that is answered without a person."""

_PRODUCTION = re.compile(
    r"\b(?:prod|production|live (?:system|site|service|environment|traffic|data)|incidents?|outages?|downtime"
    r"|on[- ]?call|sev[- ]?\d|p[0-2]|hot ?fix(?:es)?|roll(?:ing|ed)?[- ]?backs?|urgent(?:ly)?|right now"
    r"|at the moment|currently|went down|going down|goes down|broke|broken|crash(?:ed|es|ing)?|failing)\b",
    re.IGNORECASE,
)
_HOLDER = r"(?:customer|client|account|tenant|user|merchant|company|organi[sz]ation|workspace|member|employee|patient)"
_RECORD = (
    r"(?:order|invoice|payment|subscription|ticket|transaction|booking|contract|balance|password|login|wallet|refund)"
)
_ACCOUNT = (
    re.compile(r"\S@[\w-]+\.\w"),
    re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b", re.IGNORECASE),
    re.compile(rf"\b(?:my|our|your|his|her|their|this|that|one) (?:\w+ )?(?:{_HOLDER}|{_RECORD})\b", re.IGNORECASE),
    re.compile(
        rf"\b(?:{_HOLDER}|{_RECORD})s? (?:#|no[.]?|number|id|with id)? ?[:=]? ?[`\"']?(?=[\w-]{{0,40}}\d)[\w-]+",
        re.IGNORECASE,
    ),
    re.compile(rf"\b(?i:{_HOLDER})s?(?: named| called|:)? [`\"']?[A-Z][\w&.-]+"),
    re.compile(
        r"(?<![\w&.-])[A-Z][\w&.-]++['\u2019]s "
        r"(?i:(?:\w+ )?(?:account|order|invoice|payment|subscription|ticket|contract))\b"
    ),
    re.compile(r"\b[a-z]{2,8}[_-](?=[a-zA-Z]{0,20}\d)[a-zA-Z0-9]{5,}\b"),
    re.compile(r"(?<![\d.,])\d{6,}+(?![.,][\d.,]*\d)"),
)


def describe_exclusion(question: str) -> tuple[str, ...]:
    """Return the reasons why a question is left to a person, as sentences; none if it may be answered without one."""
    text = " ".join(clean(question).split())
    if len(text) > LONGEST_READ:
        return (f"The question is longer than {LONGEST_READ:,} characters.",)
    if not is_english(text):
        return ("The rules that tell the kinds of questions apart do not read its language.",)
    kind, kinds = choose_rubric(text).question_type, matching_kinds(text)
    reasons = []
    if kind not in KINDS:
        reasons.append(f"The question is {NAMES[kind]}." if kind != "other" else "The kind of the question is unknown.")
    elif "status_check" in kinds:
        reasons.append("The question may be a status check.")
    if match := _PRODUCTION.search(text):
        reasons.append(f'The question may be about production: it says "{" ".join(match[0].split())}".')
    if any(pattern.search(text) for pattern in _ACCOUNT):
        reasons.append("The question may be about a single account.")
    return tuple(reasons)
