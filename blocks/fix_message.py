"""Message of a fix: the merge request as it would be opened, the diff, the check's results, the validator's verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from blocks.fix import DISCARD, EDIT, OPEN, describe_fix, fix_value, format_ref
from blocks.session_chain import format_duration
from blocks.text import (
    Block,
    button,
    clip,
    context,
    escape,
    format_count,
    header,
    preformatted,
    quote,
    rich_text,
    rule,
    section,
    size,
    text_object,
)

if TYPE_CHECKING:
    from bot.models.fix import DiffJudgement, Fix, FixProposal, FixResult, FixRound
    from bot.models.program_run import CheckReport

MAX_CHARS = 12_500
"""Characters of JSON in the message; Slack refuses one somewhere above 13,000."""
_FILES = 12
_PATH = 120
_REASON = 300
_TITLES = {
    "proposed": "Waiting for you: open this merge request?",
    "failed": "No fix was found",
    "opening": "Opening the merge request",
    "opened": "The merge request is open",
    "discarded": "Discarded: nothing was pushed",
}
_TESTS = {"touched": "tests are touched", "missing": "*no test fails without it*", "not-needed": "no test is needed"}


def build_fix_message(thread_id: str, fix: Fix, *, link: str, held_reason: str | None = None) -> dict[str, Any]:
    """Build the `text` and `blocks`; `link` is the address of the question, `held_reason` the reason why the opening
    waits. The diff takes what is left of the room."""
    title = _TITLES.get(fix.state, "A fix is being drafted")
    head = [rule(), header(title), context(_describe_source(fix, link))]
    below = [*_describe_rounds(fix.result), *_describe_end(fix.result), *_build_state(fix, held_reason)]
    below += _build_buttons(thread_id, fix) if fix.state == "proposed" else []
    proposal = fix.proposal
    request = _describe_request(fix, proposal) if proposal else []
    room = MAX_CHARS - size([*head, *request, *below])
    diff = _build_diff(proposal, room) if proposal and fix.state in ("proposed", "opening") else []
    words = fix.title or " ".join(fix.order.defect.summary.split())
    return {"text": f"{title} {escape(clip(words, 150))}", "blocks": [*head, *request, *diff, *below]}


def _describe_source(fix: Fix, link: str) -> str:
    defect = fix.order.defect
    summary = escape(clip(" ".join(defect.summary.split()), _REASON))
    who = f"<{link}|The question> · asked for by <@{fix.order.asked_by}>"
    return f"{who} · *Defect:* {summary} {format_ref(defect.ref)}"


def _describe_request(fix: Fix, proposal: FixProposal) -> list[Block]:
    """Show title and description as they are opened, where to, and the changed files."""
    plan = fix.plan
    remote = escape(plan.remote) if plan else ""
    where = f"`{proposal.head[:12]}` on `{escape(proposal.branch)}` into `{escape(proposal.target)}`, at {remote}"
    by = f" Edited by <@{fix.edited_by}>." if fix.edited_by else ""
    shown = [f"{each.status} {format_ref(clip(each.path, _PATH))}" for each in proposal.files[:_FILES]]
    rest = f" and {len(proposal.files) - _FILES} more" if len(proposal.files) > _FILES else ""
    return [
        section(f"*{escape(fix.title)}*"),
        *([quote(fix.description)] if fix.description.strip() else []),
        context(f"A draft of {where}. The text also names who pressed, and the task.{by}"),
        context(f"*{format_count(len(proposal.files), 'file')}:* {', '.join(shown)}{rest}"),
    ]


def _build_diff(proposal: FixProposal, room: int) -> list[Block]:
    """Show whole lines of the diff that fit in `room` characters of JSON, and the command that shows the others."""
    lines = proposal.diff.strip("\n").splitlines()
    command = f"`/triage git_diff branch={escape(proposal.slug)} project={escape(proposal.repository)}`"
    number = len(lines)
    while number:
        left = len(lines) - number
        blocks = [rich_text(preformatted("\n".join(lines[:number])))]
        if left:
            blocks.append(context(f"… and {format_count(left, 'more line')}: {command} shows all."))
        if size(blocks) <= room:
            return blocks
        number -= max(1, number // 20)
    return [context(f"The diff has {format_count(len(lines), 'line')}, too many to show: {command} shows all.")]


def _describe_rounds(result: FixResult | None) -> list[Block]:
    return [context(_describe_round(each)) for each in (result.rounds if result else ())]


def _describe_round(fix_round: FixRound) -> str:
    """Say what the check and the validator made of one round."""
    parts = [f"*Round {fix_round.number}:*"]
    if check := fix_round.check:
        isolated = "" if check.is_isolated else ", not isolated"
        took = f"after {format_duration(check.duration_ms)}{isolated}"
        if check.has_passed:
            parts.append(f"the check passed {took};")
        else:
            why = f"exit code {check.exit_code}" if check.exit_code is not None else check.problem or "it did not end"
            parts.append(f"*the check failed* {took}: {escape(clip(why, _REASON))}{_show_last_line(check)}")
    if fix_round.judgement:
        parts.append(_describe_judgement(fix_round.judgement))
    if fix_round.problem and not (check and not check.has_passed):  # which says it
        parts.append(escape(clip(fix_round.problem, _REASON)))
    return " ".join(parts)


def _show_last_line(check: CheckReport) -> str:
    """Return the last line of a check's output as code, after a space; empty without any."""
    lines = [line.strip() for line in check.output.splitlines() if line.strip()]
    return f" · `{escape(clip(lines[-1], _REASON)).replace('`', ' ')}`" if lines else "."


def _describe_judgement(judgement: DiffJudgement) -> str:
    does = "it does what the finding says" if judgement.mends_defect else "*it does not do what the finding says*"
    only = "and nothing else" if judgement.does_only_that else "*and more than that*"
    verdict = "the validator agrees" if judgement.verdict == "pass" else "*the validator sends it back*"
    why = f" {escape(clip(' '.join(judgement.reasons), _REASON))}" if judgement.reasons else ""
    return f"{verdict}: {does} {only}; {_TESTS[judgement.tests]}.{why}"


def _describe_end(result: FixResult | None) -> list[Block]:
    if result is None:
        return []
    cost = "unknown" if result.cost_usd is None else f"at most ${result.cost_usd:,.2f}"
    return [context(f"*Cost:* {cost} · *Time:* {format_duration(result.duration_ms)}")]


def _build_state(fix: Fix, held_reason: str | None) -> list[Block]:
    if fix.state == "proposed" and not fix.problem:
        return []
    waits = f" It waits: {escape(held_reason)}." if held_reason and fix.state == "opening" else ""
    return [section(f"{describe_fix(fix)}{waits}")]


def _build_buttons(thread_id: str, fix: Fix) -> list[Block]:
    proposal, plan = fix.proposal, fix.plan
    if proposal is None or plan is None:
        return []
    value, about = fix_value(thread_id, fix), f"for {fix.title}"
    text = f"Pushes {proposal.head[:12]} to {proposal.branch} at {plan.remote}, and opens a draft. Nothing is merged."
    confirm = {
        "title": text_object("Open a merge request?"),
        "text": text_object(clip(text, 280)),
        "confirm": text_object("Open It"),
        "deny": text_object("Go Back"),
    }
    opens = button(
        "Open Merge Request", OPEN, f"{value} {proposal.head}", about=about, style="primary", confirm=confirm
    )
    edits = button("Edit Request", EDIT, value, about=about)
    discards = button("Discard", DISCARD, value, about=about)
    return [
        {
            "type": "actions",
            "block_id": f"request-{fix.revision}-{fix.card.nonce}",
            "elements": [opens, edits, discards],
        }
    ]
