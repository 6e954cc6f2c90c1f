"""Shortening of an investigator's answer where only its length breaks the form; the run's record keeps all of it.

Unusual spellings are brought into the form before it.

A draft keeps its words as long as a dialog can hold them, since cutting them could cut a condition.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bot.agents.lenient_form import mend_form
from bot.models.answer_change import AnswerChange
from bot.models.findings import (
    MAX_DRAFT_CHARS,
    MAX_DRAFT_WORDS,
    MAX_FILENAME_CHARS,
    MAX_GLOSS_CHARS,
    MAX_NOTE_CHARS,
    MAX_NOTES_WORDS,
    MAX_REFERENCES,
    SENTENCE_END,
)

if TYPE_CHECKING:
    from collections.abc import Callable

_FENCE = "```"
_BREAKS = ("\n\n", "\n", ". ", " ")
_LEAST_KEPT = 0.6
"""Share of the room that a cut at a paragraph, a line or a sentence must leave; else the next smaller break counts."""


def shorten(content: dict[str, Any], *, most_words: int = MAX_DRAFT_WORDS) -> list[AnswerChange]:
    """Bring an answer's JSON object into the form, in place, and shorten what is too long; return what was done, for
    the operator.

    A draft of more than `most_words` is marked.
    """
    changes = mend_form(content)
    for field, cut in _CUTS.items():
        value = content.get(field)
        if isinstance(value, str | list | dict) and (change := cut(content, value)):
            changes.append(AnswerChange(kind="cut", field=field, text=change))
    draft = content.get("draft_reply")
    if any(change.field == "draft_reply" for change in changes):
        return changes
    if isinstance(draft, str) and (count := len(draft.split())) > most_words:
        text = f"The draft has {count} words; {most_words} were allowed"
        changes.append(AnswerChange(kind="marked", field="draft_reply", text=text))
    return changes


def _cut_draft(content: dict[str, Any], value: Any) -> str:
    if not isinstance(value, str) or len(value) <= MAX_DRAFT_CHARS:
        return ""
    content["draft_reply"] = cut_text(value, MAX_DRAFT_CHARS)
    return f"The draft was cut: its first {len(content['draft_reply']):,} of {len(value):,} characters are left"


def cut_text(text: str, limit: int) -> str:
    """Return the beginning of a text, up to a paragraph, a line, a sentence or a word; a code fence is closed."""
    room = limit - len(_FENCE) - 1
    head = text[:room]
    for mark in _BREAKS:
        at = head.rfind(mark)
        if at >= _LEAST_KEPT * room:
            head = head[: at + 1]
            break
    head = head.rstrip()
    return f"{head}\n{_FENCE}" if head.count(_FENCE) % 2 else head


def _cut_summary(content: dict[str, Any], value: Any) -> str:
    ends = [match.start() + 1 for match in SENTENCE_END.finditer(value.strip())] if isinstance(value, str) else []
    if len(ends) <= 2:
        return ""
    content["summary_for_orchestrator"] = value.strip()[: ends[1]]
    return f"The summary was cut to two of its {len(ends)} sentences"


def _cut_notes(content: dict[str, Any], value: Any) -> str:
    words = value.split() if isinstance(value, str) else []
    if len(words) <= MAX_NOTES_WORDS:
        return ""
    content["research_notes"] = " ".join(words[:MAX_NOTES_WORDS])
    return f"The notes were cut to {MAX_NOTES_WORDS} of their {len(words)} words"


def _cut_references(content: dict[str, Any], value: Any) -> str:
    if not isinstance(value, list) or len(value) <= MAX_REFERENCES:
        return ""
    content["evidence_refs"] = value[:MAX_REFERENCES]
    return f"The first {MAX_REFERENCES} of {len(value)} references are kept"


def _cut_gloss(content: dict[str, Any], value: Any) -> str:
    if not isinstance(value, str) or len(value) <= MAX_GLOSS_CHARS:
        return ""
    content["question_gloss"] = f"{value[: MAX_GLOSS_CHARS - 1]}…"
    return "The English question was cut"


def _leave_note_out(content: dict[str, Any], value: Any) -> str:
    name, text = (value.get("filename"), value.get("content")) if isinstance(value, dict) else ("", "")
    sizes = [len(each) if isinstance(each, str) else 0 for each in (name, text)]
    if sizes[0] <= MAX_FILENAME_CHARS and sizes[1] <= MAX_NOTE_CHARS:
        return ""
    content["proposed_triage_file"] = None
    return "The proposed note is too long and was left out"


_CUTS: dict[str, Callable[[dict[str, Any], Any], str]] = {
    "draft_reply": _cut_draft,
    "evidence_refs": _cut_references,
    "summary_for_orchestrator": _cut_summary,
    "research_notes": _cut_notes,
    "question_gloss": _cut_gloss,
    "proposed_triage_file": _leave_note_out,
}
