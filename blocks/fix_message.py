"""Message of a fix: the merge request as it would be opened, the diff, the check's results, the validator's verdict."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from blocks.fix import DISCARD, EDIT, OPEN, describe_fix, fix_value, format_ref
from blocks.session_chain import format_duration
from blocks.text import (
    CONTEXT,
    Block,
    button,
    clip,
    context,
    end_sentence,
    escape,
    escape_plainly,
    fit,
    format_count,
    header,
    preformatted,
    quote,
    rich_text,
    rule,
    section,
    size,
    span,
    text_object,
)

if TYPE_CHECKING:
    from bot.models.fix import DiffJudgement, Fix, FixProposal, FixResult, FixRound
    from bot.models.program_run import CheckReport

MAX_CHARS = 12_500
"""Characters of JSON in the message; Slack refuses one somewhere above 13,000."""
_PATH = 120
_REASON = 300
_WHY = 120
_OBJECTIONS = 220
_PLACE = 120
_TAIL_LINES = 6
_TAIL_CHARS = 240
"""Characters of the end of a check's output, as JSON, where there is a change to show, too."""
_LONG_TAIL_CHARS = 900
_TITLES = {
    "proposed": "Waiting for you: open this merge request?",
    "failed": "No fix was found",
    "opening": "Opening the merge request",
    "opened": "The merge request is open",
}
_DISCARDED = {
    "no": "Discarded: nothing was pushed",
    "maybe": "Discarded: the branch may be pushed",
    "yes": "Discarded: the branch is pushed",
}
_TESTS = {"touched": "tests are touched", "missing": "*no test fails without it*", "not-needed": "no test is needed"}
_PROVES_NOTHING = "*and the check passed before the change, too*"
_NO_NETWORK = "It failed in the same way before any change. The check runs without a network."


def build_fix_message(thread_id: str, fix: Fix, *, link: str, held_reason: str | None = None) -> dict[str, Any]:
    """Build the `text` and `blocks`; `link` is the address of the question, `held_reason` the reason why the opening
    waits. A change of up to `MAX_DIFF_CHARS` is shown whole."""
    title = _DISCARDED[fix.pushed] if fix.state == "discarded" else _TITLES.get(fix.state, "A fix is being drafted")
    head = [rule(), header(title), context(_describe_source(fix, link))]
    below = [*_describe_checks(fix.result), *_describe_end(fix.result), *_build_state(fix, held_reason)]
    below += _build_buttons(thread_id, fix) if fix.state == "proposed" else []
    proposal = fix.proposal
    request = _describe_request(fix, proposal) if proposal else []
    is_waiting = proposal is not None and fix.state in ("proposed", "opening")
    diff = [rich_text(preformatted(proposal.diff.strip("\n")))] if proposal and is_waiting else []
    words = fix.title or " ".join(fix.order.defect.summary.split())
    return {"text": f"{title} {escape(clip(words, 150))}", "blocks": [*head, *request, *diff, *below]}


def _describe_source(fix: Fix, link: str) -> str:
    defect = fix.order.defect
    summary = escape_plainly(fit(" ".join(defect.summary.split()), _REASON))
    who = f"<{link}|The question> · asked for by <@{fix.order.asked_by}>"
    return f"{who} · *Defect:* {summary} {format_ref(fit(defect.ref, _PLACE))}"


def _describe_request(fix: Fix, proposal: FixProposal) -> list[Block]:
    """Show title and description as they are opened, where to, and all changed files."""
    remote = escape(fit(fix.plan.remote if fix.plan else "", _PLACE))
    target = escape(fit(proposal.target, _PLACE))
    where = f"`{proposal.head[:12]}` on `{escape(proposal.branch)}` into `{target}`, at {remote}"
    by = f" Edited by <@{fix.edited_by}>." if fix.edited_by else ""
    if (fix.title, fix.description) != (proposal.title, proposal.description):
        by += f" The commit keeps its message: {escape_plainly(proposal.title)}"
    return [
        rich_text({"type": "rich_text_section", "elements": [span(fix.title, bold=True)]}),
        *([quote(fix.description)] if fix.description.strip() else []),
        context(f"A draft of {where}. The text also names who pressed, and the task.{by}"),
        *_list_files(proposal),
    ]


def _list_files(proposal: FixProposal) -> list[Block]:
    """Name every file, in as many lines as Slack's limit of a text needs."""
    rows = [f"*{format_count(len(proposal.files), 'file')}:*"]
    for number, each in enumerate(proposal.files):
        marks = f" *({proposal.marks[each.path]})*" if each.path in proposal.marks else ""
        comma = "," if number + 1 < len(proposal.files) else ""
        row = f"{each.status} {format_ref(fit(each.path, _PATH))}{marks}{comma}"
        if len(rows[-1]) + len(row) >= CONTEXT:
            rows.append(row)
        else:
            rows[-1] += f" {row}"
    return [context(row) for row in rows]


def _describe_checks(result: FixResult | None) -> list[Block]:
    """Say what the check made of the code before any change, and each round of its change."""
    if result is None:
        return []
    blocks, before, most = [], result.check_before, _TAIL_CHARS if result.proposal else _LONG_TAIL_CHARS
    if before:
        blocks.append(context(f"*Before any change:* {_describe_check(before)}{_say_what_it_shows(before)}"))
    for each in result.rounds:
        blocks.append(context(_describe_round(each, passed_before=before is not None and before.has_passed)))
        if each.check and not each.check.has_passed and (tail := _find_tail(each.check, most)):
            blocks.append(rich_text(preformatted(tail)))
    checks = [each.check for each in result.rounds if each.check]
    if before and not result.proposal and checks and checks[-1].is_isolated and _fail_alike(before, checks[-1]):
        blocks.append(context(_NO_NETWORK))
    return blocks


def _describe_round(fix_round: FixRound, *, passed_before: bool) -> str:
    """Say what the check and the validator made of one round."""
    parts, check, judgement = [f"*Round {fix_round.number}:*"], fix_round.check, fix_round.judgement
    if check:
        parts.append(f"{_describe_check(check)}{';' if check.has_passed and judgement else '.'}")
    if judgement:
        is_back = bool(fix_round.problem)
        parts.append(_describe_judgement(judgement, is_sent_back=is_back, passed_before=passed_before))
    elif fix_round.problem and not (check and not check.has_passed):  # which says it
        parts.append(end_sentence(escape_plainly(fit(fix_round.problem, _REASON))))
    return " ".join(parts)


def _describe_check(check: CheckReport) -> str:
    took = f"after {format_duration(check.duration_ms)}{'' if check.is_isolated else ', not isolated'}"
    if check.has_passed:
        return f"the check passed {took}"
    why = f"exit code {check.exit_code}" if check.exit_code is not None else check.problem or "it did not end"
    return f"*the check failed* {took}: {escape_plainly(fit(why, _WHY)).rstrip('.')}"


def _say_what_it_shows(before: CheckReport) -> str:
    return ", so that it shows nothing of the defect." if before.has_passed else "."


def _find_tail(check: CheckReport, most: int) -> str:
    """Return the last lines of a check's output that take up to `most` characters of JSON."""
    lines = [line.rstrip() for line in check.output.splitlines() if line.strip()][-_TAIL_LINES:]
    tail = ""
    for line in reversed(lines):
        longer = f"{fit(line, most // 2)}\n{tail}"
        if size([rich_text(preformatted(longer))]) - size([rich_text(preformatted(""))]) > most:
            break
        tail = longer
    return tail.rstrip("\n")


def _fail_alike(before: CheckReport, after: CheckReport) -> bool:
    """Return whether two runs failed with the same last lines, but for figures such as times."""
    same = [re.sub(r"[0-9]+", "0", _find_tail(check, _LONG_TAIL_CHARS)) for check in (before, after)]
    return not after.has_passed and before.exit_code == after.exit_code and same[0] == same[1] and bool(same[0])


def _describe_judgement(judgement: DiffJudgement, *, is_sent_back: bool, passed_before: bool) -> str:
    does = "it does what the finding says" if judgement.mends_defect else "*it does not do what the finding says*"
    only = "and nothing else" if judgement.does_only_that else "*and more than that*"
    objects = judgement.verdict == "bounce" or not (judgement.mends_defect and judgement.does_only_that)
    verdict = "the validator agrees"
    if is_sent_back:
        verdict = "*the validator sends it back*" if objects else "*it is sent back*"
    tests = _TESTS[judgement.tests]
    if passed_before and judgement.tests != "touched":
        tests = f"{tests}, {_PROVES_NOTHING}"
    why = " ".join(end_sentence(reason) for reason in judgement.reasons)
    return f"{verdict}: {does} {only}; {tests}.{f' {escape_plainly(fit(why, _OBJECTIONS))}' if why else ''}"


def _describe_end(result: FixResult | None) -> list[Block]:
    if result is None:
        return []
    cost = "unknown" if result.cost_usd is None else f"at most ${result.cost_usd:,.2f}"
    if result.cost_usd == 0:
        cost = "none, since no model was asked"
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
