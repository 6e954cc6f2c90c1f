"""Limits of an answer: no secrets, and a length that its interface shows well."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from blocks.text import clip
from bot.decide.redaction.redacted_facts import redact_fact

if TYPE_CHECKING:
    from bot.commands.command import CommandAnswer
    from bot.decide.redaction.redactor import Redactor
    from bot.models.interaction import Asker

LONGEST_ANSWER, LONGEST_IN_TERMINAL = 3_500, 200_000
"""Characters of an answer in Slack, which recommends at most 4,000, and in a terminal."""


def limit_answer(answer: CommandAnswer, asker: Asker, redactor: Redactor) -> CommandAnswer:
    """Remove secrets from an answer, and shorten it to a length that its interface shows well."""
    limit = LONGEST_IN_TERMINAL if asker.via == "cli" else LONGEST_ANSWER
    rows, left = [], limit - len(answer.line)
    for row in answer.rows:
        left -= len(row) + 1
        if left < 0:
            rows.append("…")
            break
        rows.append(row)
    texts = {"line": answer.line, "rows": rows, "blocks": [*answer.blocks]}
    safe: dict[str, Any] = redactor.value(texts, remember=False)
    return answer.evolve(
        line=clip(safe["line"], limit),
        rows=tuple(safe["rows"]),
        blocks=tuple(safe["blocks"]),
        table=redact_fact(answer.table, redactor, repeated=False, remember=False) if answer.table else None,
        data=redact_fact(answer.data, redactor, repeated=False, remember=False) if answer.data else None,
    )
