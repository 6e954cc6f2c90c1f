"""Section `## Escalation Context`: the handoff of the tier before, for the next one (spec 3)."""

from __future__ import annotations

import json
import logging
import textwrap
from typing import TYPE_CHECKING

from bot.models.handoff import QuestionHandoff, WatchHandoff

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bot.models.handoff import Handoff
    from bot.tools.guard import Guard

log = logging.getLogger(__name__)

MOST_CHARS = 50_000
"""Maximum characters of a handoff in a prompt."""
_WIDTH = 900
"""Characters of a line: the guard cuts longer ones."""
_HEAD = """## Escalation Context

An earlier tier worked on this and handed it over. This is its whole handoff: a place to begin, and no evidence. \
Do not repeat its work; open again in this run every place that you cite."""


def render_context(handoff: Handoff | None, guard: Guard) -> str:
    """Return the section; empty without a handoff. A handoff that is too long is cut, with a warning."""
    if handoff is None:
        return ""
    text = render_handoff(handoff)
    if len(text) > MOST_CHARS:
        whole, text = len(text), _shorten(handoff)
        log.warning("handoff context was truncated: %s of %s characters are in the prompt", len(text), whole)
    return f"{_HEAD}\n\n{guard.wrap(text, source='handoff', max_chars=2 * MOST_CHARS)}"


def render_handoff(handoff: Handoff) -> str:
    """Return every field of a handoff as lines of text."""
    about = [f"kind: {handoff.kind}", f"recommended_tier: {handoff.recommended_tier}"]
    if isinstance(handoff, WatchHandoff):
        return _join(
            *about,
            _list("services_affected", handoff.services_affected),
            _list("check_results", (check.model_dump_json(exclude_none=True) for check in handoff.check_results)),
            _list(
                "cooldown_state",
                (
                    f"{name}: {json.dumps(value, ensure_ascii=False, default=str)}"
                    for name, value in handoff.cooldown_state.items()
                ),
            ),
            _paragraph("investigation_findings", handoff.investigation_findings or ""),
            _paragraph("remediation_attempted", handoff.remediation_attempted or ""),
        )
    return _join(
        *about,
        f"thread_id: {handoff.thread_id}",
        _paragraph("question", handoff.question),
        _paragraph("rubric", handoff.rubric),
        _paragraph("missing", handoff.missing),
        _list("evidence_refs", (_format_reference(**each.model_dump()) for each in handoff.evidence_refs)),
        _list("tried", handoff.tried),
        _paragraph("findings", handoff.findings),
    )


def _shorten(handoff: Handoff) -> str:
    """Return at most `MOST_CHARS` characters: without healthy checks, or without the end of findings and attempts."""
    if isinstance(handoff, WatchHandoff):
        checks = tuple(check for check in handoff.check_results if check.status != "healthy")
        return _cut(render_handoff(handoff.model_copy(update={"check_results": checks})))
    return _cut(render_handoff(_shorten_question(handoff)))


def _shorten_question(handoff: QuestionHandoff) -> QuestionHandoff:
    over = len(render_handoff(handoff)) - MOST_CHARS
    kept = max(0, len(handoff.findings) - over - over // _WIDTH - 10)
    handoff = handoff.evolve(findings=f"{handoff.findings[:kept]}…" if handoff.findings else "")
    tried = list(handoff.tried)
    while tried and len(render_handoff(handoff.evolve(tried=tuple(tried)))) > MOST_CHARS:
        del tried[len(tried) // 2 :]
    return handoff.evolve(tried=tuple(tried))


def _cut(text: str) -> str:
    return text if len(text) <= MOST_CHARS else f"{text[: MOST_CHARS - 1]}…"


def _format_reference(kind: str, ref: str, supports_claim: str, quote: str | None, commit: str | None) -> str:
    at = f" at {commit}" if commit else ""
    return f"{kind} {ref}{at}: {supports_claim}" + (f"\n{textwrap.indent(quote, '  | ')}" if quote else "")


def _paragraph(name: str, text: str) -> str:
    return f"{name}:\n{_wrap(text)}" if text else ""


def _list(name: str, items: Iterable[str]) -> str:
    lines = [f"- {_wrap(item)}" for item in items]
    return "\n".join((f"{name}:", *lines)) if lines else ""


def _wrap(text: str) -> str:
    """Return the text with lines that are short enough; nothing of it is lost."""
    return "\n".join(line[at : at + _WIDTH] for line in text.split("\n") for at in range(0, max(1, len(line)), _WIDTH))


def _join(*parts: str) -> str:
    return "\n\n".join(part for part in parts if part)
