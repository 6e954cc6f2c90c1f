"""Forms of the agents of a fix: the answer of the one that drafts it, and the judgement of the one that validates it.

Unusual spellings with one meaning are read, since each would cost a paid turn; nothing turns a bounce into a pass.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, Field

from bot.models.fix import MAX_DESCRIPTION_CHARS, DiffJudgement

if TYPE_CHECKING:
    from collections.abc import Sequence

TITLE_CHARS = 100
"""Characters of a title; redaction may add some."""
_REASON_CHARS = 500
_MOST_REASONS = 8
_SLACK = 200
"""Characters that redaction may add to a description."""
DEFAULT_TITLE = "Mend a defect"


def _read_title(value: Any) -> Any:
    text = " ".join(value.split()).strip("`'\" ") if isinstance(value, str) else value
    if not isinstance(text, str):
        return value
    return text if len(text) <= TITLE_CHARS else f"{text[: TITLE_CHARS - 1]}…"


def _read_description(value: Any) -> Any:
    if not isinstance(value, str):
        return "" if value is None else value
    most = MAX_DESCRIPTION_CHARS - _SLACK
    return value.strip() if len(value) <= most else f"{value[: most - 1]}…"


def _read_problem(value: Any) -> Any:
    words = " ".join(value.split()) if isinstance(value, str) else ""
    return None if words.lower().strip(". ") in ("", "none", "null", "n/a", "no") else words[:_REASON_CHARS]


def _read_word(value: Any) -> Any:
    return value.strip().lower().replace("_", "-").replace(" ", "-") if isinstance(value, str) else value


def _read_reasons(value: Any) -> Any:
    reasons = [] if value is None else [value] if isinstance(value, str) else value
    if not isinstance(reasons, list | tuple):
        return value
    return tuple(reason[:_REASON_CHARS] if isinstance(reason, str) else reason for reason in reasons[:_MOST_REASONS])


class FixAnswer(BaseModel):
    """Answer of the agent that drafts a fix, once its files are as it wants them."""

    title: Annotated[str, BeforeValidator(_read_title)] = DEFAULT_TITLE
    description: Annotated[str, BeforeValidator(_read_description)] = ""
    problem: Annotated[str | None, BeforeValidator(_read_problem)] = None


class JudgementOutput(DiffJudgement):
    """Form of a judgement as requested from the model."""

    verdict: Annotated[Literal["pass", "bounce"], BeforeValidator(_read_word)]
    tests: Annotated[Literal["touched", "missing", "not-needed"], BeforeValidator(_read_word)]
    reasons: Annotated[tuple[Annotated[str, Field(max_length=600)], ...], BeforeValidator(_read_reasons)] = ()


def choose_worst(judgements: Sequence[JudgementOutput]) -> JudgementOutput:
    """Return the worst of several judgements of one change."""
    return min(judgements, key=lambda each: (each.verdict == "pass", each.mends_defect, each.does_only_that))
