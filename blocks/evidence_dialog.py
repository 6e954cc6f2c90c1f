"""Evidence dialog: all data about a draft that its card leaves out, each fact once.

Evidence with every quoted line, the engine's confidence, the validator's objections, every check by name, earlier
rounds, dropped alternatives, and the figures of each run. Read only.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from blocks.evidence import SHOW, build_evidence
from blocks.question import build_question
from blocks.repeated_question import asked_before, serves_again
from blocks.text import Block, clip, context, escape, moment, quote, section
from blocks.verdict import (
    CHECK_NAMES,
    SENT_BACK,
    changed_since,
    describe_review,
    describe_verdict,
    each_run,
    gloss,
    list_changes,
    list_unchecked,
    list_unsupported,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.models.improvement import Improvement
    from bot.models.thread import Thread

_MOST_BLOCKS = 100
"""Blocks that Slack accepts in one dialog."""
_MAX_SENTENCE_CHARS = 500
"""Characters of one sentence by a model."""
_MAX_ROWS = 10
_MOST_ROUNDS = 4
_WORDS = 3_000


def build_evidence_dialog(thread: Thread, improvement: Improvement | None = None) -> dict[str, Any]:
    """Build the dialog. It has nothing to submit. `improvement` is that of the draft over the last round."""
    before = (_question_part(thread), _format_draft(thread))
    after = (
        _format_checks(thread),
        _left_open(thread),
        list_changes(thread, _MAX_SENTENCE_CHARS),
        _rounds(thread, improvement),
        list_unchecked(thread, _WORDS),
        _format_cost(thread),
    )
    left = _MOST_BLOCKS - sum(len(part) + 1 for part in (*before, *after))
    parts = (*before, build_evidence(thread, left - 1), *after)
    blocks: list[Block] = []
    for part in parts:
        if part:
            blocks += [*([{"type": "divider"}] if blocks else []), *part]
    return view(blocks)


def view(blocks: list[Block]) -> dict[str, Any]:
    """Put blocks into the dialog behind Show Evidence."""
    return {
        "type": "modal",
        "callback_id": SHOW,
        "title": {"type": "plain_text", "text": "Evidence", "emoji": False},
        "close": {"type": "plain_text", "text": "Close", "emoji": False},
        "blocks": blocks,
    }


def _question_part(thread: Thread) -> list[Block]:
    blocks = [section("*The question*"), *build_question(thread, _WORDS), *gloss(thread, _MAX_SENTENCE_CHARS)]
    return [*blocks, *asked_before(thread, _MAX_SENTENCE_CHARS)]


def _format_draft(thread: Thread) -> list[Block]:
    """Build the draft if its card no longer shows it, and the original of an edited text."""
    draft = thread.draft_pending
    if draft is None:
        return []
    blocks: list[Block] = []
    if thread.status not in ("pending-user", "in-doubt"):
        draft_blocks: list[Block] = json.loads(draft.payload)["blocks"]
        blocks += [section("*The draft*"), *draft_blocks]
    if draft.edited_by and draft.drafted:
        blocks += [section(f"*The old text*, edited by <@{draft.edited_by}>"), quote(clip(draft.drafted, _WORDS))]
    return blocks


def _format_checks(thread: Thread) -> list[Block]:
    """Build the validator's statement, and each check with its result, including checks that were not made."""
    findings, draft = thread.investigator_return, thread.draft_pending
    blocks = []
    if draft and draft.edited_by:
        edited = f"*Edited by <@{draft.edited_by}>.* The references are those of the new text"
        was = "; the validator read the draft as it was before" if thread.validator_return else ""
        blocks.append(section(f"{edited}{was}."))
    if findings:
        of = ", of the text before the edit" if draft and draft.is_edited else ""
        sure = (
            f"*Confidence: {findings.confidence}{of}.* {escape(clip(findings.confidence_reason, _MAX_SENTENCE_CHARS))}"
        )
        blocks.append(section(f"{sure}\n{describe_verdict(thread, _MAX_SENTENCE_CHARS)}"))
    blocks += list_unsupported(thread, max_words=50, limit=80)
    if thread.unvalidated:
        blocks.append(section(f"*No validator:* {escape(clip(thread.unvalidated, _MAX_SENTENCE_CHARS))}."))
    if thread.validator_return:
        blocks.append(section(describe_review(thread.validator_return, _MAX_SENTENCE_CHARS, max_reasons=_MAX_ROWS)))
    if thread.verdict:
        lines = [
            f"• {CHECK_NAMES.get(each.check, each.check)}: {_result(each.result)}" for each in thread.verdict.checks
        ]
        blocks.append(section("\n".join(["*Checks*", *lines])))
    return blocks


def _result(result: str) -> str:
    match result:
        case "not_made":
            return "*not made*"
        case "no_overlap":
            return "*not made*: none of them overlaps"
        case _:
            return escape(clip(result.replace("_", " "), 100))


def _left_open(thread: Thread) -> list[Block]:
    findings = thread.investigator_return
    if findings is None:
        return []
    blocks = [
        *_format_list("Open questions", findings.open_questions),
        *_format_list("Alternatives dropped", findings.alternatives_dropped),
    ]
    if findings.research_notes.strip():
        blocks += [section("*Notes of the investigator*"), quote(clip(findings.research_notes, _WORDS))]
    return blocks


def _format_list(title: str, texts: Sequence[str]) -> list[Block]:
    lines = [f"• {escape(clip(each, _MAX_SENTENCE_CHARS // 2))}" for each in texts[:_MAX_ROWS]]
    rest = [f"and {len(texts) - _MAX_ROWS} more"] if len(texts) > _MAX_ROWS else []
    return [section("\n".join([f"*{title}*", *lines, *rest]))] if texts else []


def _rounds(thread: Thread, improvement: Improvement | None) -> list[Block]:
    blocks = [context(changed_since(improvement, _MAX_SENTENCE_CHARS))] if improvement else []
    for draft_round in thread.rounds[-_MOST_ROUNDS:]:
        title = (
            f"*Round {draft_round.number}, sent back by {SENT_BACK[draft_round.by]}:* "
            f"{escape(clip(draft_round.attack, _MAX_SENTENCE_CHARS))}"
        )
        refs = ", ".join(escape(clip(ref, 100)) for ref in draft_round.refs) or "nothing"
        blocks += [section(title), quote(clip(draft_round.draft, _WORDS)), context(clip(f"References: {refs}.", 2_000))]
    return blocks


def _format_cost(thread: Thread) -> list[Block]:
    lines = [
        _origin(thread),
        *([f"Question type: {escape(clip(thread.rubric, _MAX_SENTENCE_CHARS))}."] if thread.rubric else []),
    ]
    lines += [each_run(thread)] if thread.runs else []
    if thread.status == "pending-user" and (last := thread.expires_at or thread.due_at):
        lines.append(f"Expires {moment(last)}.")
    return [context("\n".join(filter(None, lines)))] if any(lines) else []


def _origin(thread: Thread) -> str:
    """Name the engine, project, role and routing rule of the draft."""
    if thread.investigator_return is None:
        return ""
    commits = {source.commit for source in thread.sources}
    at = f" at `{next(iter(commits))[:8]}`" if len(commits) == 1 else ""
    project = f"{escape(thread.project or '')}{at}"
    role = f" as {escape(thread.route.role_name)} ({escape(clip(thread.route.why, 120))})" if thread.route else ""
    if serves_again(thread):
        return f"Answered before, from {project}{role}; no model was asked."
    return f"Drafted by the {thread.engine} engine from {project}{role}, round {thread.investigator_round}."
