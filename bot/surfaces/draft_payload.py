"""Draft payload: the message that the card shows and delivery posts, sealed with its hash.

A draft that contained a secret is sealed without it, and marked so that it is never posted.
"""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

from blocks.reply import reply
from blocks.text import clip
from bot.decide.redaction.redacted_facts import redact_fact
from bot.decide.redaction.redactor import REDACTED, Redactor
from bot.decide.risk.risky_advice import find_risky_advice
from bot.errors import Refused
from bot.models.alert import TITLE
from bot.models.draft import Draft

if TYPE_CHECKING:
    from bot.models.alert import Alert
    from bot.models.findings import EvidenceSource
    from bot.models.thread import Thread

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
    """Build the thread's next draft, with the bytes that will be posted if it is approved.

    It links to `sources`, or to those of the thread, and to the merge request of the thread's fix.
    """
    text, kinds = _without_secrets(text, redactor)
    links = {each.ref: each.url for each in (thread.sources if sources is None else sources) if each.url}
    if thread.fix and thread.fix.request:
        links[thread.fix.request.url] = thread.fix.request.url
    payload = json.dumps(reply(text, links), ensure_ascii=False, separators=(",", ":"))
    return Draft(
        draft_id=f"{thread.thread_id}/{thread.drafts_made + 1}",
        nonce=nonce,
        text=text,
        payload=payload,
        sha256=_digest(payload),
        edited_by=edited_by,
        withheld=", ".join(kinds) or None,
        advises=find_risky_advice(text),
    )


def load_payload(draft: Draft) -> dict[str, Any]:
    """Return the arguments for posting. Raises `Refused` if the payload is not the one that was shown."""
    if _digest(draft.payload) != draft.sha256:
        raise Refused(f"{draft.draft_id}: the draft on disk is not the one that was approved", code="draft_changed")
    arguments: dict[str, Any] = json.loads(draft.payload)
    return arguments


def redact_thread(thread: Thread, redactor: Redactor) -> Thread:
    """Remove secrets from a document for a card or a dialog. Done before any cutting, which could hide half a secret.

    A draft with a secret that became known since it was sealed is held back, as delivery would refuse it.
    """
    visible_thread = redact_fact(thread, redactor)
    sealed, draft = thread.draft_pending, visible_thread.draft_pending
    if sealed is None or draft is None or draft.withheld or not (kinds := secrets_in(sealed.payload, redactor)):
        return visible_thread
    return visible_thread.evolve(draft_pending=draft.evolve(withheld=", ".join(kinds)))


def redact_question(thread: Thread, redactor: Redactor) -> Thread:
    """Remove secrets from the question of a document, the title of its alert and the facts of its incident, for a line
    in a list; nothing else in it comes from outside."""
    safe = tuple(message.evolve(content=redactor.redact(message.content)) for message in thread.messages)
    thread = thread if safe == thread.messages else thread.evolve(messages=safe)
    if thread.alert:
        record = thread.alert
        parts = tuple(part.evolve(alert=_redact_title(part.alert, redactor)) for part in record.parts)
        thread = thread.evolve(alert=record.evolve(alert=_redact_title(record.alert, redactor), parts=parts))
    if thread.incident is None:
        return thread
    checks = tuple(check.evolve(error=redactor.redact(check.error)) for check in thread.incident.checks)
    return thread.evolve(incident=thread.incident.evolve(checks=checks))


def _redact_title(alert: Alert, redactor: Redactor) -> Alert:
    return alert.evolve(title=clip(redactor.redact(alert.title), TITLE))


def secrets_in(payload: str, redactor: Redactor) -> tuple[str, ...]:
    """Return the kinds of secrets visible in a sealed payload, in one text or across several."""
    arguments = json.loads(payload)
    return redactor.kinds(f"{arguments['text']}\n{_read(arguments['blocks'])}")


def _without_secrets(text: str, redactor: Redactor) -> tuple[str, tuple[str, ...]]:
    """Remove the secrets from a text, and return their kinds. Formatting such as bold or code cannot hide one."""
    kinds = redactor.kinds(text)
    text = redactor.redact(text, repeated=True)
    visible_text = _read(reply(text)["blocks"])
    if hidden := redactor.kinds(visible_text):
        kinds = tuple(dict.fromkeys((*kinds, *hidden)))
        text = redactor.redact(visible_text, repeated=True)
        if redactor.kinds(_read(reply(text)["blocks"])):
            text = REDACTED
    return text, kinds


def _read(block: Any) -> str:
    """Return the visible text of blocks, without styles."""
    if isinstance(block, list):
        return "".join(map(_read, block))
    if block.get("type") in ("text", "link"):
        return str(block["text"])
    return f"{_read(block.get('elements', []))}\n"


def _digest(payload: str) -> str:
    return hashlib.sha256(payload.encode()).hexdigest()
