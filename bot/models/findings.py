"""Findings: what an investigator is given, and the `InvestigatorReturn` that it hands back (spec 1, 4.3)."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from bot.models.fact import Fact
from bot.models.knowledge import KnownPlace
from bot.models.project import Project
from bot.models.role import Category, Role

Confidence = Literal["high", "medium", "low"]
EvidenceKind = Literal["file", "log_query", "git_commit", "external_doc", "memory", "triage_file"]

TAKEN_OUT = "taken out at a bounce"
"""How findings say of a reference that an operator had it taken out."""
MAX_REFERENCES = 8
MAX_DRAFT_CHARS = 2_900
"""A Slack dialog's input holds 3,000 characters; a longer draft could not be edited."""

MAX_GLOSS_CHARS = 600
MAX_NOTE_CHARS = 20_000


def _at_most_words(limit: int) -> AfterValidator:
    def check(text: str) -> str:
        count = len(text.split())
        if count > limit:
            raise ValueError(f"{count} words, at most {limit} are allowed")
        return text

    return AfterValidator(check)


def _at_most_two_sentences(text: str) -> str:
    count = len(re.findall(r"[.!?](?:\s|$)", text.strip()))
    if count > 2:
        raise ValueError(f"{count} sentences, at most 2 are allowed")
    return text


class EvidenceRef(Fact):
    """A place that a draft rests on. `ref` of a file is `path:12-20` or `path:12`, relative to the project's root."""

    kind: EvidenceKind
    ref: str
    supports_claim: str
    quote: str | None = None
    """The cited lines, word for word; without it code cannot check the reference."""
    commit: str | None = None
    """The commit that the lines were read at; `None` means the files as they lie on disk."""


class EvidenceCheck(Fact):
    """What code found out about one reference."""

    ref: str
    result: Literal["ok", "failed", "not_checkable"]
    reason: str
    """A plain sentence: what stands there, or why it failed."""


class EvidenceSource(Fact):
    """Where people can look at a reference as it was checked."""

    ref: str
    commit: str
    """The full SHA of a commit in which the cited lines stand."""
    url: str | None = None
    """The page of those lines, built by code; `None` where the project has no `web_url`."""


class ProposedTriageFile(Fact):
    """A note that the investigator would keep for the next such question."""

    filename: Annotated[str, Field(min_length=1, max_length=200)]
    content: Annotated[str, Field(min_length=1, max_length=MAX_NOTE_CHARS)]


class InvestigatorReturn(Fact):
    """The findings of one run: draft, confidence and evidence. The caps are those of spec 1, 4.3."""

    confidence: Confidence
    confidence_reason: str
    summary_for_orchestrator: Annotated[str, AfterValidator(_at_most_two_sentences)]
    draft_reply: Annotated[str, Field(min_length=1, max_length=MAX_DRAFT_CHARS), _at_most_words(300)]
    draft_language: str
    evidence_refs: Annotated[tuple[EvidenceRef, ...], Field(max_length=MAX_REFERENCES)]
    proposed_triage_file: ProposedTriageFile | None = None
    open_questions: tuple[str, ...] = ()
    alternatives_dropped: tuple[str, ...] = ()
    """Other answers that were considered, each with why it was dropped; for the card."""
    question_gloss: Annotated[str, Field(max_length=MAX_GLOSS_CHARS)] | None = None
    """The question in plain English, where it was asked in another language; for the card."""
    escalation_requested: bool = False
    escalation_reason: str | None = None
    investigator_round: int
    research_notes: Annotated[str, _at_most_words(500)]


class QuotedMessage(Fact):
    """What somebody said in a thread; `by` is their name."""

    by: str
    text: str


class Assignment(Fact):
    """What an engine is asked to do in one run."""

    question: str
    """The asker's messages as people read them, joined by newlines."""
    lines: tuple[QuotedMessage, ...] = ()
    """The same message by message with who said each, where several people have written; none where one has."""
    search_text: str | None = None
    """The same without mentions, channels, emoji, greetings and the bot's name; `None`: as `question`."""
    follows: str = ""
    """The question before in its thread, as `search_text`, to which words such as *it* refer; empty without one."""
    denied: tuple[str, ...] = ()
    """Places of this thread's earlier replies that did not serve, as `path:12-20`."""
    unread: tuple[str, ...] = ()
    """Files of the question, and parts of them, that nobody has read."""
    shared: tuple[str, ...] = ()
    """Whose messages are shared in the question."""
    projects: tuple[Project, ...]
    round: int = 1
    feedback: str | None = None
    """Why the last draft was bounced, in the operator's or validator's words."""
    bounced_as: str | None = None
    """What an operator gave as the reason by a code, in a sentence."""
    previous: InvestigatorReturn | None = None
    """The findings that were bounced; the next draft should not repeat them."""
    earlier: tuple[KnownPlace, ...] = ()
    """Where the same may have been answered before: places to look, not the answer."""
    thread_id: str | None = None
    team_id: str = ""
    chat_id: str = ""
    answered_from: frozenset[str] | None = None
    """The projects whose earlier replies may be read, where people of another company read this one; else all."""
    asker: str = ""
    """The name of who asks."""
    question_type: str = "other"
    """Which rubric counts: `prompts/rubric_<question_type>.md`."""
    said_before: tuple[QuotedMessage, ...] = ()
    """The thread's earlier messages, which are no part of the question; oldest first."""
    role: Role | None = None
    """Who the agent is; nobody in particular where there are no rules."""
    folder: str = "."
    """Where in the project's root to begin."""
    allowed: Category | None = None
    """What the run may take, where its role's category says so."""
    others: tuple[str, ...] = ()
    """Hints of other open questions, in the form in which a model may see them; none when hints are off."""
    task: str = ""
    """The folder of the thread's task; none for runs that belong to no thread."""
    journal: str = ""
    """This run's journal in it."""
    found_before: tuple[str, ...] = ()
    """What earlier questions of the thread came to, redacted; oldest first."""
    journal_before: str = ""
    """The last lines of the journal of the run before this one."""


class EngineReport(Fact):
    """An engine's answer: the findings, and the name of the project that they are about."""

    project: str
    engine: str
    """Which engine made it, as the card names it: `keyword`."""
    fallback: str | None = None
    """Why it was not the engine that the settings name, in a plain sentence."""
    fallback_why: str | None = None
    """The same as `models/task.Abort` has it."""
    findings: InvestigatorReturn
    unopened: tuple[str, ...] = ()
    """References that the investigator did not open in its run; no evidence, whatever stands there."""
    recorded: tuple[EvidenceCheck, ...] = ()
    """What the run's own record says of references to what tools of other servers answered."""
    found_nothing: bool = False
    """True if the engine says that nothing answers the question."""
    chance: float | None = None
    """How often such a draft names the right place, where that was measured."""
    cited: tuple[EvidenceRef, ...] | None = None
    """Where an approved answer serves again: the references of its text, opened by code."""
    wordings: dict[str, str] = Field(default_factory=dict)
    """Where an approved answer serves again: the reference that each wording of its text stands for."""
    edited_by: str | None = None
    """Where an approved answer serves again: who had edited it."""
