"""Drafts, sealed: the payload that the card shows and that delivery posts, with its hash.

A draft in which a secret stood is sealed without it, and marked so that it is never posted.
"""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

from blocks.reply import reply
from bot.decide.redaction.redactor import REDACTED, Redactor
from bot.decide.risk.risky_advice import risks
from bot.errors import Refused
from bot.models.draft import Draft
from bot.models.thread import Thread

if TYPE_CHECKING:
    from bot.models.findings import EvidenceSource

_BY_FORM = Redactor()


def make_draft(
    thread: Thread,
    text: str,
    *,
    nonce: str,
    edited_by: str | None = None,
    redactor: Redactor = _BY_FORM,
    sources: tuple[EvidenceSource, ...] | None = None,
) -> Draft:
    """The thread's next draft, with the bytes that will be posted if it is approved.

    It links to `sources`, or to those that the thread knows.
    """
    text, kinds = _without_secrets(text, redactor)
    links = {each.ref: each.url for each in (thread.sources if sources is None else sources) if each.url}
    payload = json.dumps(reply(text, links), ensure_ascii=False, separators=(",", ":"))
    return Draft(
        draft_id=f"{thread.thread_id}/{thread.drafts_made + 1}",
        nonce=nonce,
        text=text,
        payload=payload,
        sha256=_digest(payload),
        edited_by=edited_by,
        withheld=", ".join(kinds) or None,
        advises=risks(text),
    )


def opened(draft: Draft) -> dict[str, Any]:
    """The arguments for posting. Raises `Refused` when the payload is not the one that was shown."""
    if _digest(draft.payload) != draft.sha256:
        raise Refused(f"{draft.draft_id}: the draft on disk is not the one that was approved", code="draft_changed")
    arguments: dict[str, Any] = json.loads(draft.payload)
    return arguments


def as_shown(thread: Thread, redactor: Redactor) -> Thread:
    """The document as a card or a dialog may show it. Before anything is cut, or half a secret would not be known.

    A draft of which a secret was learned since it was sealed is held back there, as delivery would refuse it.
    """
    known = thread.model_dump()
    safe = redactor.value(known, repeated=True)
    shown = thread if safe is known else Thread.model_validate(safe)
    sealed, draft = thread.draft_pending, shown.draft_pending
    if sealed is None or draft is None or draft.withheld or not (kinds := secrets_in(sealed.payload, redactor)):
        return shown
    return shown.evolve(draft_pending=draft.evolve(withheld=", ".join(kinds)))


def with_safe_question(thread: Thread, redactor: Redactor) -> Thread:
    """The document as a line in a list may show it, of which only the question is people's own words; as above."""
    safe = tuple(said.evolve(content=redactor.redact(said.content)) for said in thread.messages)
    return thread if safe == thread.messages else thread.evolve(messages=safe)


def secrets_in(payload: str, redactor: Redactor) -> tuple[str, ...]:
    """The kinds of secrets that a reader would see in a sealed payload: in each text, or put together from several."""
    arguments = json.loads(payload)
    return redactor.kinds(f"{arguments['text']}\n{_read(arguments['blocks'])}")


def _without_secrets(text: str, redactor: Redactor) -> tuple[str, tuple[str, ...]]:
    """The text without secrets, and their kinds. Bold, code and the like cannot hide one in pieces."""
    kinds = redactor.kinds(text)
    text = redactor.redact(text, repeated=True)
    seen = _read(reply(text)["blocks"])
    if hidden := redactor.kinds(seen):
        kinds = tuple(dict.fromkeys((*kinds, *hidden)))
        text = redactor.redact(seen, repeated=True)
        if redactor.kinds(_read(reply(text)["blocks"])):
            text = REDACTED
    return text, kinds


def _read(block: Any) -> str:
    """The text of blocks as a reader reads it, styles left aside."""
    if isinstance(block, list):
        return "".join(map(_read, block))
    if block.get("type") in ("text", "link"):
        return str(block["text"])
    return f"{_read(block.get('elements', []))}\n"


def _digest(payload: str) -> str:
    return hashlib.sha256(payload.encode()).hexdigest()
