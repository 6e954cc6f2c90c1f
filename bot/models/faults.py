"""Faults of a pending draft, which its operator must read before it is posted.

Pure. The card shows them first, and Approve asks for a confirmation that names them and any external readers. The
button carries a digest of these sentences, so that a press on a card which showed others approves nothing.
"""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING

from bot.models.findings import TAKEN_OUT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.models.advice import Advice
    from bot.models.answer_change import AnswerChange
    from bot.models.findings import EvidenceCheck
    from bot.models.thread import Thread

_LEADING = 2
"""References at the head of a draft; two drafts with the same ones count as the same."""
MOST_NAMED = 5
"""Values named in one sentence."""
_NUMBER = re.compile(r"\d+")
_LINES = re.compile(r"[^\d\s]+\s+\d|\d[^\w]{0,9}\d{0,9}\s{0,9}行")
"""Form in which the checker names line numbers found in words, in any language: no other value begins with a word."""
_DONE = re.compile(
    r"\b(?:I(?: have|['\u2019]ve)?|we(?: have|['\u2019]ve))(?: (?:just|already|now|also))? "
    r"(?:restarted|rebooted|redeployed|deployed|reverted|rolled back|ran|run|executed|started|stopped|killed|cleared"
    r"|scaled|reset|fixed|repaired|resolved)\b(?! into)",
    re.IGNORECASE,
)
"""A claim to have done something; agents only read."""
ADVICE_NAMED = 2
"""Quotes of risky advice in one sentence."""


def find_faults(thread: Thread) -> tuple[str, ...]:
    """Return a sentence for risky advice, one for each failed reference, and one for unsupported values.

    References and values are in backticks; nothing is escaped.
    """
    if thread.draft_pending is None or thread.opening:
        return ()
    advises = thread.draft_pending.advises if has_answer(thread) else ()
    failed = [check for check in thread.evidence_checks if check.result == "failed"]
    sentences = [_sentence(check) for check in failed]
    if advises:
        sentences.insert(0, describe_advice(advises))
    if claim := _find_claimed_action(thread):
        sentences.insert(0, f"It says `{_code(claim)}`, but nothing was run.")
    if (number := find_same_bounce(thread)) is not None:
        sentences.insert(0, f"Nothing new was found: this repeats round {number}, which was bounced.")
    sentences += [f"{change.text}." for change in _draft_cuts(thread)]
    if thread.opening_problem:
        sentences.append(f"The references of this text could not be opened: {thread.opening_problem}.")
    values = [f"`{_code(word)}`" for word in unsupported(thread)]
    if values:
        rest = f" and {len(values) - MOST_NAMED} more" if len(values) > MOST_NAMED else ""
        verb = "is" if len(values) == 1 else "are"
        sentences.append(f"{', '.join(values[:MOST_NAMED])}{rest} {verb} not supported by any cited line.")
    return tuple(sentences)


def _find_claimed_action(thread: Thread) -> str:
    """Return the words with which the draft of an incident or alert claims an action, though no runbook was run."""
    draft, incident = thread.draft_pending, thread.incident
    if draft is None or draft.is_edited or not (thread.is_about_incident or thread.is_about_alert):
        return ""
    if incident and any(each.run_id and each.outcome != "not-started" for each in incident.remedies):
        return ""
    claim = _DONE.search(draft.text)
    return claim.group() if claim else ""


def _draft_cuts(thread: Thread) -> list[AnswerChange]:
    """Return the cuts of the draft's text, unless a person wrote another one since."""
    if thread.draft_pending is None or thread.draft_pending.is_edited:
        return []
    return [change for change in thread.answer_changes if (change.kind, change.field) == ("cut", "draft_reply")]


def describe_advice(advises: Sequence[Advice]) -> str:
    """Format a sentence that names the kinds of advice and quotes the words."""
    *before, last = dict.fromkeys(f"to {advice.kind}" for advice in advises)
    kinds = f"{', '.join(before)} and {last}" if before else last
    words = [f"`{_code(word)}`" for word in dict.fromkeys(advice.words for advice in advises)]
    rest = f" and {len(words) - ADVICE_NAMED} more" if len(words) > ADVICE_NAMED else ""
    return f"It advises {kinds}: {', '.join(words[:ADVICE_NAMED])}{rest}."


def describe_staleness(thread: Thread) -> str:
    """Return the reason why the draft is stale, without faults that are reported separately; empty if there is none."""
    what, _, which = (thread.stale or "").partition(": ")
    for check in thread.evidence_checks:
        if check.result == "failed":
            which = which.replace(f"{check.ref}: {check.reason}", "")
    return f"{what}." if thread.stale and not which.strip("; ") and what != thread.stale else thread.stale or ""


def find_same_bounce(thread: Thread) -> int | None:
    """Return the number of an earlier, bounced draft that this one repeats; `None` if it is new.

    A repeat has the same text or, from the keyword engine, the same leading references, unless the last bounce removed
    another reference. A person's text counts only if it is identical to a bounced one.
    """
    draft, findings = thread.draft_pending, thread.investigator_return
    if draft is None or findings is None:
        return None
    leading = tuple(ref.ref for ref in findings.evidence_refs)[:_LEADING]
    dropped = findings.alternatives_dropped
    earlier = [draft_round for draft_round in thread.rounds if draft_round.by == "operator"]
    is_less = bool(earlier) and any(f"{ref}: {TAKEN_OUT}" in dropped for ref in earlier[-1].refs)
    may_quote_alike = thread.engine == "keyword" and bool(leading) and not (is_less or draft.edited_by)
    for draft_round in earlier:
        quotes_alike = may_quote_alike and draft_round.refs[:_LEADING] == leading
        if draft_round.draft == draft.text or quotes_alike:
            return draft_round.number
    return None


def unsupported(thread: Thread) -> tuple[str, ...]:
    """Return the draft's values that no cited line holds; those of a failed reference are reported with it."""
    failed = [check.ref for check in thread.evidence_checks if check.result == "failed"]
    numbers = {number for ref in failed for number in _NUMBER.findall(ref.rpartition(":")[2])}
    forms = {word: word.replace("#L", ":").replace("-L", "-") for word in thread.unsupported}
    left = {word for word, plain in forms.items() if not any(plain in ref or ref in plain for ref in failed)}
    return tuple(
        word for word in forms if word in left and not (_LINES.match(word) and numbers & {*_NUMBER.findall(word)})
    )


def list_to_confirm(thread: Thread) -> tuple[str, ...]:
    """Return the sentences that Approve must confirm: external readers first, then the faults."""
    readers = describe_outside_readers(thread)
    return (*([readers] if readers else []), *find_faults(thread))


def describe_outside_readers(thread: Thread) -> str:
    """Describe the external people who will read the reply; empty if Approve need not confirm that."""
    external = thread.external
    if (
        external is None
        or external.is_cut
        or not external.asks_twice
        or thread.mode != "live"
        or thread.draft_pending is None
    ):
        return ""
    if not external.asker:
        return "This channel is shared with another company: its people will read this reply and what it quotes."
    name = " ".join(thread.original_sender_name.split())
    others = ", and everybody else of that company in this channel" if external.channel else ""
    return f"{name} of another company will read this reply and what it quotes{others}."


def confirmation_digest(thread: Thread) -> str:
    """Return a short digest of the sentences to confirm, for the button; empty if there are none."""
    named = list_to_confirm(thread)
    return hashlib.sha256("\n".join(named).encode()).hexdigest()[:12] if named else ""


def has_answer(thread: Thread) -> bool:
    """Return whether the draft answers: the findings do, or somebody wrote another text."""
    draft = thread.draft_pending
    return not thread.found_nothing or bool(draft and draft.is_edited)


def _sentence(check: EvidenceCheck) -> str:
    ref, reason = _code(check.ref), check.reason.rstrip(".")
    return f"`{ref}` {reason.removeprefix('it ')}." if reason.startswith("it ") else f"`{ref}`: {reason}."


def _code(text: str) -> str:
    return " ".join(text.replace("`", " ").split())
