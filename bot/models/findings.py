"""Findings: the assignment of an investigator and the `InvestigatorReturn` it hands back (spec 1, 4.3)."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from bot.models.alert import AlertRecord
from bot.models.answer_change import AnswerChange
from bot.models.fact import Fact
from bot.models.fix import NamedDefect
from bot.models.incident import ProposedRunbook
from bot.models.knowledge import KnownPlace
from bot.models.project import Project
from bot.models.role import Category, Role
from bot.models.runbook import RunbookProposal

Confidence = Literal["high", "medium", "low"]
EvidenceKind = Literal["file", "log_query", "git_commit", "external_doc", "memory", "triage_file"]

TAKEN_OUT = "taken out at a bounce"
"""Reason that findings give for a reference removed by an operator."""
MAX_REFERENCES = 8
MAX_DRAFT_CHARS = 2_900
"""A Slack dialog's input holds 3,000 characters; a longer draft could not be edited."""

MAX_DRAFT_WORDS = 300
"""Words that a draft should have at most; a longer one is kept, and marked on its card."""
MAX_SMALL_DRAFT_WORDS = 150
"""The same for a small model."""
MAX_NOTES_WORDS = 500
MAX_GLOSS_CHARS = 600
MAX_NOTE_CHARS = 20_000
MAX_FILENAME_CHARS = 200
SENTENCE_END = re.compile(r"[.!?](?:\s|$)")


def _at_most_words(limit: int) -> AfterValidator:
    def check(text: str) -> str:
        count = len(text.split())
        if count > limit:
            raise ValueError(f"{count} words, at most {limit} are allowed")
        return text

    return AfterValidator(check)


def _at_most_two_sentences(text: str) -> str:
    count = len(SENTENCE_END.findall(text.strip()))
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
    """The commit at which the lines were read; `None` for the files on disk."""


class EvidenceCheck(Fact):
    """The result of checking one reference by code."""

    ref: str
    result: Literal["ok", "failed", "not_checkable"]
    reason: str
    """A plain sentence: the content found there, or the reason why the check failed."""


class EvidenceSource(Fact):
    """The location of a checked reference, for people."""

    ref: str
    commit: str
    """The full SHA of a commit that contains the cited lines."""
    url: str | None = None
    """The web page of those lines, built by code; `None` if the project has no `web_url`."""


class ProposedTriageFile(Fact):
    """A note that the investigator would keep for the next such question."""

    filename: Annotated[str, Field(min_length=1, max_length=MAX_FILENAME_CHARS)]
    content: Annotated[str, Field(min_length=1, max_length=MAX_NOTE_CHARS)]


class InvestigatorReturn(Fact):
    """The findings of one run: draft, confidence and evidence. The caps are those of spec 1, 4.3."""

    confidence: Confidence
    confidence_reason: str
    summary_for_orchestrator: Annotated[str, AfterValidator(_at_most_two_sentences)]
    draft_reply: Annotated[str, Field(min_length=1, max_length=MAX_DRAFT_CHARS)]
    draft_language: str
    evidence_refs: Annotated[tuple[EvidenceRef, ...], Field(max_length=MAX_REFERENCES)]
    proposed_triage_file: ProposedTriageFile | None = None
    open_questions: tuple[str, ...] = ()
    alternatives_dropped: tuple[str, ...] = ()
    """Other answers that were considered, each with the reason for dropping it; for the card."""
    question_gloss: Annotated[str, Field(max_length=MAX_GLOSS_CHARS)] | None = None
    """The question in plain English if it was asked in another language; for the card."""
    proposed_runbook: ProposedRunbook | None = None
    """Remedy for services that are not healthy; only in runs about an incident."""
    defect: NamedDefect | None = None
    """A defect of the code that explains what was asked; the agent's claim (`bot/decide/defects`)."""
    escalation_requested: bool = False
    escalation_reason: str | None = None
    investigator_round: int
    research_notes: Annotated[str, _at_most_words(MAX_NOTES_WORDS)]


class QuotedMessage(Fact):
    """A message quoted from a thread; `by` is the author's name."""

    by: str
    text: str


class Assignment(Fact):
    """The input of an engine for one run."""

    question: str
    """The asker's messages as people read them, joined by newlines."""
    lines: tuple[QuotedMessage, ...] = ()
    """The messages one by one with their authors, if several people have written; empty otherwise."""
    search_text: str | None = None
    """The question without mentions, channels, emoji, greetings and the bot's name; `None`: as `question`."""
    follows: str = ""
    """The previous question in the thread, as `search_text`, which words such as *it* refer to; may be empty."""
    denied: tuple[str, ...] = ()
    """References of this thread's earlier replies that were rejected, as `path:12-20`."""
    unread: tuple[str, ...] = ()
    """Files of the question, and parts of them, that were not read."""
    shared: tuple[str, ...] = ()
    """Authors of the messages shared in the question."""
    projects: tuple[Project, ...]
    round: int = 1
    feedback: str | None = None
    """The objection to the last draft, in the operator's or validator's words."""
    bounced_as: str | None = None
    """The operator's reason code for the bounce, as a sentence."""
    previous: InvestigatorReturn | None = None
    """The bounced findings; the next draft should not repeat them."""
    earlier: tuple[KnownPlace, ...] = ()
    """Places that may hold an earlier answer: hints for the search, not evidence."""
    thread_id: str | None = None
    run_id: str = ""
    """The thread's run; the same one if another replica goes on with it."""
    team_id: str = ""
    chat_id: str = ""
    answered_from: frozenset[str] | None = None
    """The projects whose earlier replies may be read, if external people read this one; else all."""
    asker: str = ""
    """The asker's name."""
    alert: AlertRecord | None = None
    """The alert that the question is about."""
    question_type: str = "other"
    """Type of the question; selects `prompts/rubric_<question_type>.md`."""
    said_before: tuple[QuotedMessage, ...] = ()
    """The thread's earlier messages that are not part of the question; oldest first."""
    role: Role | None = None
    """The agent's role; `None` without routing rules."""
    folder: str = "."
    """The folder in the project's root to start from."""
    allowed: Category | None = None
    """The limits of the run, if its role's category sets them."""
    others: tuple[str, ...] = ()
    """Hints about other open questions, in the form for a model; empty if hints are off."""
    task: str = ""
    """The folder of the thread's task; empty for runs that belong to no thread."""
    journal: str = ""
    """The journal file of this run in that folder."""
    found_before: tuple[str, ...] = ()
    """The results of earlier questions of the thread, redacted; oldest first."""
    journal_before: str = ""
    """The last lines of the previous run's journal."""
    services: tuple[str, ...] = ()
    """The services that are not healthy, in a run about an incident."""
    is_of_several_groups: bool = False
    """True if services of many groups failed at the same time."""
    runbooks: tuple[RunbookProposal, ...] = ()
    """The runbooks that this run may propose for them."""
    inputs: tuple[QuotedMessage, ...] = ()
    """The results of the tasks that a created task depends on, each by its title."""


class EngineReport(Fact):
    """An engine's answer: the findings, and the name of their project."""

    project: str
    engine: str
    """The engine's name, as the card shows it: `keyword`."""
    fallback: str | None = None
    """The reason why the configured engine was not used, as a plain sentence."""
    fallback_why: str | None = None
    """The same reason as a code (`models/task.Abort`)."""
    unchecked_notes: str = ""
    """Text of the model's run that ended without an answer, where this is another engine's."""
    answer_changes: tuple[AnswerChange, ...] = ()
    """Changes by code to the model's answer."""
    findings: InvestigatorReturn
    unopened: tuple[str, ...] = ()
    """References that the investigator did not open in its run; they count as no evidence."""
    recorded: tuple[EvidenceCheck, ...] = ()
    """Checks of references to answers of external tool servers, from the run's own record."""
    found_nothing: bool = False
    """True if the engine found nothing that answers the question."""
    chance: float | None = None
    """Measured frequency with which such a draft names the right place; `None` if not measured."""
    cited: tuple[EvidenceRef, ...] | None = None
    """For a reused approved answer: the references of its text, opened by code."""
    wordings: dict[str, str] = Field(default_factory=dict)
    """For a reused approved answer: the reference for each wording in its text."""
    edited_by: str | None = None
    """For a reused approved answer: the person who had edited it."""
