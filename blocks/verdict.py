"""Verdict on a draft in words: its checks, the validator's objections, rounds, open questions, costs.

Short on the card, long in the dialog. Every word of a model is escaped and cut here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from blocks.cost import format_cost
from blocks.text import Block, clip, context, escape, quote, section
from bot.models.cost import sum_figures

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.models.improvement import Improvement
    from bot.models.run_figures import RunFigures
    from bot.models.thread import Thread
    from bot.models.verdict import GateVerdict, ValidatorReturn

CHECK_NAMES = {
    "spot_check_result": "spot-check",
    "confidence_language_match": "wording against confidence",
    "scope_drift": "scope",
    "cross_investigation_consistency": "consistency with other threads",
    "risk_gate_check": "risk",
    "tone_assessment": "tone",
    "evidence": "evidence",
    "schema_check": "schema",
}
NO_LONGER_PASSES = "Passed when drafted, fails now"
SENT_BACK = {"checks": "the checks by code", "validator": "the validator", "operator": "an operator"}
_SHORT = 60
"""Character limit of a word up to which a card is the shorter variant: its lists have one line less."""
_MOST_RUNS = 12
_UNMEASURED = "_A model's judgement: its accuracy has not been measured (`triage drill`)._"


def describe_verdict(thread: Thread, limit: int) -> str:
    """State the result of the checks, and name the checks that were not made."""
    verdict = thread.verdict
    if verdict is None:
        return "*Not checked.*"
    skipped = [CHECK_NAMES.get(name, name) for name in _not_made(verdict)]
    not_made = f" Not checked: {', '.join(skipped)}." if skipped else ""
    if thread.draft_pending and thread.draft_pending.edited_by:
        why = "" if verdict.verdict == "pass" else f" {escape(clip(' '.join(verdict.reasons), 2 * limit))}"
        return f"*Edited by <@{thread.draft_pending.edited_by}>, not validated again.*{why}{not_made}"
    passed = "*✓ validated.*" if is_validated(thread) else "*Evidence checked.*"
    if no_longer_passes(thread):
        passed = f"*{NO_LONGER_PASSES}.*"
    result = (
        passed
        if verdict.verdict == "pass"
        else f"*Not validated:* {escape(clip(' '.join(verdict.reasons), 2 * limit))}"
    )
    return f"{result}{not_made}"


def no_longer_passes(thread: Thread) -> bool:
    """Return whether a reference of the draft fails now, though the draft passed when it was made."""
    cited = {reference.ref for reference in thread.references}
    return any(check.result == "failed" and check.ref in cited for check in thread.evidence_checks)


def is_validated(thread: Thread) -> bool:
    """Return whether a validator passed the draft after opening a cited place itself."""
    verdict = thread.verdict
    if verdict is None or verdict.verdict != "pass" or thread.validator_return is None:
        return False
    return "spot_check_result" not in _not_made(verdict)


def _not_made(verdict: GateVerdict) -> list[str]:
    """Return the checks that were not made, or had nothing to check."""
    empty = {("spot_check_result", "uncheckable"), ("cross_investigation_consistency", "no_overlap")}
    skipped = [line.check for line in verdict.checks if (line.check, line.result) in empty]
    return [line.check for line in verdict.checks if line.check in verdict.not_made or line.check in skipped]


def list_unsupported(thread: Thread, *, max_words: int, limit: int) -> list[Block]:
    """List the draft's values that occur in no cited text: at most `max_words`, each cut to `limit` characters."""
    left = thread.unsupported
    if not left:
        return []
    words = left[:max_words]
    quoted = [f"`{escape(clip(word, limit)).replace('`', ' ')}`" for word in words]
    rest = f" and {len(left) - len(words)} more" if len(left) > len(words) else ""
    return [section(f"*Not supported by the cited text:* {', '.join(quoted)}{rest}.")]


def describe_review(review: ValidatorReturn, limit: int, *, max_reasons: int) -> str:
    """Describe the validator's verdict, its spot-check, at most `max_reasons` reasons, and its unfavourable results."""
    spot = f"Spot-check of {escape(clip(review.spot_check_ref, max(limit, 80)))}: *{review.spot_check_result}*."
    lines = [f"*Validator: {review.verdict}.* {spot} {escape(clip(review.spot_check_note, limit))}".rstrip()]
    lines += [f"• {escape(clip(reason, limit))}" for reason in review.reasons[:max_reasons]]
    if len(review.reasons) > max_reasons:
        lines.append(f"and {len(review.reasons) - max_reasons} more")
    odd = (
        ("wording against confidence", review.confidence_language_match, "match"),
        ("scope drift", review.scope_drift, "none"),
        ("risk", review.risk_gate_check, "passes"),
        ("tone", review.tone_assessment, "matches"),
    )
    remarks = [f"{name}: {word.replace('_', ' ')}" for name, word, good in odd if word != good]
    return "\n".join([*lines, *([f"_{'; '.join(remarks)}_"] if remarks else []), _UNMEASURED])


def changed_since(change: Improvement, limit: int) -> str:
    """Describe the difference from the last draft that was sent back."""
    parts = [
        "the text is the same" if change.is_same_text else "the text is different",
        f"references dropped: {_list_refs(change.dropped_refs, limit)}",
        f"new: {_list_refs(change.new_refs, limit)}",
        f"kept: {_list_refs(change.kept_refs, limit)}",
    ]
    if change.met:
        parts.append(f"where the reason says to look: {_list_refs(change.met, limit)}")
    if change.new_values:
        parts.append(f"new values: {_list_refs(change.new_values, limit)}")
    remark = "" if change.is_specific else " No reference and no value is new."
    return f"*Changed since:* {'; '.join(parts)}.{remark}"


def _list_refs(refs: Sequence[str], limit: int) -> str:
    return ", ".join(escape(clip(ref, 80)) for ref in refs[: _max_listed(limit)]) or "none"


def _max_listed(limit: int) -> int:
    return 3 if limit > _SHORT else 2


def list_questions(thread: Thread, limit: int) -> list[Block]:
    """List the investigator's questions, and its wish for a longer run; empty for a text edited by a person."""
    findings, draft = thread.investigator_return, thread.draft_pending
    if findings is None or (draft and draft.is_edited):
        return []
    blocks = []
    if questions := findings.open_questions:
        lines = [f"• {escape(clip(question, limit))}" for question in questions[: _max_listed(limit)]]
        lines += [f"and {len(questions) - len(lines)} more"] if len(questions) > len(lines) else []
        how = "Press Answer to reply: the next draft uses it."
        blocks.append(section("\n".join(["*It asks you:*", *lines, how])))
    if findings.escalation_requested and not thread.escalation_problem:  # else the reason names the wish
        why = escape(clip(findings.escalation_reason or "no reason given", limit))
        blocks.append(section(f"*It wants a longer run:* {why}"))
    return blocks


def describe_answer_faults(thread: Thread, limit: int) -> list[Block]:
    """Name the faults of the model's answer that code mended and a reader must know; none for a text by a person."""
    if thread.draft_pending and thread.draft_pending.is_edited:
        return []
    blocks = []
    for title, kinds in (("Too long", ("cut", "marked")), ("Several answers", ("chosen",))):
        if texts := [f"{change.text}." for change in thread.answer_changes if change.kind in kinds]:
            blocks.append(context(f"*{title}:* {escape(clip(' '.join(texts), 4 * limit))}"))
    return blocks


def list_changes(thread: Thread, limit: int) -> list[Block]:
    """List the changes by code to the model's answer."""
    lines = [f"• {escape(clip(change.text, limit))}." for change in thread.answer_changes]
    where = "The run's record has the answer as it was."
    return [section("\n".join(["*Changed by code*", *lines, where]))] if lines else []


def list_unchecked(thread: Thread, limit: int) -> list[Block]:
    """Show the texts of runs that ended without an answer, newest first, each marked as unchecked."""
    blocks: list[Block] = []
    for notes in reversed(thread.unchecked_notes):
        title = (
            f"*Unchecked notes* of the {escape(notes.agent)}, round {notes.round}: no code and no person checked them."
        )
        blocks += [section(title), quote(clip(notes.text, limit))]
    return blocks


def gloss(thread: Thread, limit: int) -> list[Block]:
    """Show the question in English, if it was asked in another language."""
    text = thread.investigator_return.question_gloss if thread.investigator_return else None
    return [context(f"*In English:* {escape(clip(text, limit))}")] if text else []


def each_run(thread: Thread) -> str:
    """List tiers and models, the figures of each of the newest runs, then the total."""
    newest = thread.runs[-_MOST_RUNS:]
    each = " · ".join(f"{_run_label(run)} {_format_run_cost(run)}, {run.duration_ms / 1000:.1f} s" for run in newest)
    before = f"{len(thread.runs) - len(newest)} before · " if len(thread.runs) > len(newest) else ""
    return f"{_who_ran(thread.runs)}: {before}{each}. Together {_format_sum(thread.runs)}."


def _who_ran(runs: tuple[RunFigures, ...]) -> str:
    tiers = ", ".join(str(tier) for tier in sorted({run.tier for run in runs}))
    models = list(dict.fromkeys(escape(clip(run.model, 60)) for run in runs))
    return f"Tier {tiers}, {', '.join(models[-3:])}"


def _run_label(run: RunFigures) -> str:
    """Name the agent, and the outcome if it was not an answer."""
    return run.agent if run.outcome == "answered" else f"{run.agent} ({run.outcome.replace('_', ' ')})"


def _format_sum(runs: tuple[RunFigures, ...]) -> str:
    return f"{format_cost(sum_figures(runs), places=4)}, {sum(run.duration_ms for run in runs) / 1000:.1f} s"


def _format_run_cost(run: RunFigures) -> str:
    cost = sum_figures([run])
    return "cost unknown" if cost.unknown_runs else format_cost(cost, places=4)
