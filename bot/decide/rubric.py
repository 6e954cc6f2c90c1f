"""Rubric of a question, chosen by rules, with the reason.

An operator's feedback may name another kind of question. The kinds are those of spec 1, 4.1; `prompts/rubric_<kind>.md`
has the requirements for an answer of each kind.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bot.models.status import QuestionType


@dataclass(frozen=True, slots=True)
class Rubric:
    """Kind of question, with the reason as the end of a sentence: `a status check, since it says "is it down"`."""

    question_type: QuestionType
    why: str


NAMES: dict[QuestionType, str] = {
    "status_check": "a status check",
    "data_lookup": "a data lookup",
    "api_contract": "a question about an API's contract",
    "technical_qa": "a technical question",
    "other": "unknown",
}
_THING = r"(?:customers?|accounts?|users?|orders?|tenants?|invoices?|payments?|tickets?|rows?|records?|events?|jobs?)"
_RULES: tuple[tuple[QuestionType, str], ...] = (
    (
        "status_check",
        r"\b(?:is|are|was|were)\b[^.?!\n]{1,60}\b(?:down|up|back|broken|healthy|degraded|stuck|slow|live)\b",
    ),
    ("status_check", r"\b(?:outage|incident|degraded|downtime|on fire)\b"),
    ("status_check", r"\b(?:status|state|progress) of\b"),
    (
        "status_check",
        r"\b(?:deployed|released|merged|rolled out|finished|fixed|done|shipped)\b[^.!\n]{0,20}(?:\byet\b|\?)",
    ),
    (
        "status_check",
        r"\b(?:anyone|anybody|someone) else (?:seeing|having|getting)\b|\bright now\b|\bstill (?:failing|down|red)\b",
    ),
    (
        "data_lookup",
        r"\bhow (?:many|much|often)\b[^.?!\n]{0,60}\b(?:today|yesterday|last|this|since|so far|per|in the)\b",
    ),
    ("data_lookup", rf"\bhow many {_THING}\b"),
    ("data_lookup", rf"\bwhich {_THING}\b"),
    ("data_lookup", rf"\b{_THING}\s+(?:#|no\.?\s*|id\s*(?:[:=]\s*)?)?(?=[A-Z0-9_-]*\d{{3}})[A-Z0-9_-]+\b"),
    ("data_lookup", r"\b(?:look up|pull up|list all|give me (?:the|a) (?:list|number|count))\b"),
    ("api_contract", r"\b(?:GET|POST|PUT|PATCH|DELETE)\s+/"),
    ("api_contract", r"(?:^|\s|`)/(?:api|v\d+)/"),
    (
        "api_contract",
        r"\b(?:endpoint|query parameter|request body|response body|payload|openapi|swagger|graphql|webhook)s?\b",
    ),
    ("api_contract", r"\b(?:status code|http (?:code|status)|returns? (?:a )?[1-5]\d\d)\b"),
    ("api_contract", r"\b(?:required|optional|nullable|deprecated) (?:field|parameter|header|property)\b"),
    (
        "technical_qa",
        r"\b(?:how (?:do|does|is|are|can|should|would|to)|why (?:do|does|is|are|did)|where (?:do|does|is|are|can))\b",
    ),
    (
        "technical_qa",
        r"\bwhat (?:does|is|are|happens|sets|makes|causes)\b|\bwhich (?:file|function|class|module|setting|service)\b",
    ),
    ("technical_qa", r"`[^`\n]+`|\b\w+\.(?:py|go|ts|js|java|rb|rs|c|cpp|sql|yml|yaml|toml)\b|\b\w+\(\)"),
    (
        "technical_qa",
        r"\b(?:exception|traceback|stack ?trace|error|bug|crash(?:es|ed)?|times? out|fail(?:s|ed|ing)?)\b",
    ),
)
_COMPILED = tuple((kind, re.compile(pattern, re.IGNORECASE)) for kind, pattern in _RULES)
_NAMED: dict[QuestionType, re.Pattern[str]] = {
    "status_check": re.compile(r"\bstatus[_ -](?:check|question|update)\b", re.IGNORECASE),
    "data_lookup": re.compile(r"\bdata[_ -](?:look ?up|question|query)\b", re.IGNORECASE),
    "api_contract": re.compile(r"\bapi[_ -](?:contract|question)\b", re.IGNORECASE),
    "technical_qa": re.compile(r"\btechnical[_ -]?(?:qa|q&a|question)\b", re.IGNORECASE),
}
_NOT = re.compile(r"\b(?:no|not|isn'?t|never|instead of|rather than)\b[^.,;\n]{0,12}$", re.IGNORECASE)
_READ = 4_000
"""Maximum of characters of a question that are read."""
_MAX_CHARS_SHOWN = 60


def choose_rubric(question: str, feedback: str = "") -> Rubric:
    """Choose the rubric of `question`. A kind named in the operator's `feedback` wins; a denied one is excluded."""
    named, denied = _read_kinds(feedback)
    if named:
        return Rubric(named, f"the operator calls it {NAMES[named]}")
    text = question[:_READ]
    matches = [(kind, match[0]) for kind, rule in _COMPILED if kind not in denied and (match := rule.search(text))]
    if not matches:
        return Rubric("other", "no rule matches its words")
    kinds = [kind for kind, _ in matches]
    # Nearly every question has a technical word: it decides only where no other kind matches.
    best = max(kinds, key=lambda kind: (kind != "technical_qa", kinds.count(kind), -kinds.index(kind)))
    words = " ".join(next(named for kind, named in matches if kind == best).split())
    return Rubric(best, f'it says "{words if len(words) <= _MAX_CHARS_SHOWN else words[: _MAX_CHARS_SHOWN - 1] + "…"}"')


def matching_kinds(question: str) -> frozenset[QuestionType]:
    """Return all kinds of which a rule matches the question, not only the chosen one."""
    return frozenset(kind for kind, rule in _COMPILED if rule.search(question[:_READ]))


def _read_kinds(feedback: str) -> tuple[QuestionType | None, set[QuestionType]]:
    """Return the kind that feedback names, and those that it denies."""
    named: QuestionType | None = None
    denied: set[QuestionType] = set()
    for kind, name in _NAMED.items():
        for match in name.finditer(feedback):
            if _NOT.search(feedback[: match.start()]):
                denied.add(kind)
            else:
                named = named or kind
    return named, denied
