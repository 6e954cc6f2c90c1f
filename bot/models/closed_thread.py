"""Summaries of closed threads without outstanding work, which a start does not parse completely."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from bot.models.alert import AlertRecord
from bot.models.fix import Fix
from bot.models.settlement import ClosedThread
from bot.models.status_reaction import are_done

RULE = 1
"""Number of the rule of `summarise_closed_thread`; the next one, whenever the rule changes. Summaries that were saved
under another rule are not used."""


def summarise_closed_thread(document: Any, thread_id: str) -> ClosedThread | None:
    """Return the summary of a document's thread without outstanding work; `None` if it must be parsed completely."""
    match document:
        case {
            "schema_version": 1,
            "thread_id": str(name),
            "status": "closed",
            "due_at": None,  # otherwise it holds the next question, asked while the reply was being posted
            "revision": int(revision),
            "card": {"drawn": int(drawn)},
            "original_sender_id": str(asker),
            **rest,
        } if drawn == revision and name == thread_id and _are_gone(rest, drawn) and _is_told(rest):
            if not are_done(rest.get("marks", [])):
                return None
            if rest.get("alert") and rest.get("outcome") != "withdrawn":
                return _closed_alert(thread_id, asker, rest)
            return ClosedThread(thread_id, asker)
        case _:
            return None


def _closed_alert(thread_id: str, asker: str, rest: dict[Any, Any]) -> ClosedThread | None:
    """Return the summary of a closed thread of an alert; `None` if it must be parsed completely."""
    try:
        alert, closed = AlertRecord.model_validate(rest["alert"]), datetime.fromisoformat(str(rest.get("closed_at")))
    except ValueError:
        return None
    return ClosedThread(thread_id, asker, alert, max(closed, alert.recovered_at or closed))


def _is_told(rest: dict[Any, Any]) -> bool:
    """Return whether there is nothing left to say in the thread or to show in its first message, and nothing runs."""
    incident = rest.get("incident") or {}
    if any(remedy.get("state") == "approved" for remedy in incident.get("remedies", ())):
        return False  # its runbook may still run
    if (fix := rest.get("fix")) and not _is_fix_done(fix):
        return False
    asker_line, recovery = rest.get("asker_line"), incident.get("recovery")
    is_shown = incident.get("shown") == incident.get("revision")
    is_said = not asker_line or bool(asker_line.get("is_begun"))
    return is_shown and is_said and (not recovery or bool(recovery.get("is_done")))


def _is_fix_done(fix: dict[str, Any]) -> bool:
    """Return whether neither the process of a fix nor an opening may run, and its message shows its end."""
    try:
        saved = Fix.model_validate(fix)
    except ValueError:
        return False
    return not (saved.is_live or saved.is_behind)


def _are_gone(rest: dict[Any, Any], card_revision: int) -> bool:
    """Return whether no replaced card is left to delete, and the progress message is up to date."""
    return not rest.get("replaced") and (rest.get("progress") or {}).get("drawn") in (None, card_revision)
