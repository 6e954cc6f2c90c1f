"""Answers to presses of operators and to reports of readers."""

from __future__ import annotations

from blocks.controls import NO_SECOND

TOO_SOON = "This card appeared only a moment ago, so your press was ignored. Please read it, then press again."
STOPPED = "Triage is stopped: nothing is posted until an admin runs `/triage resume`. Nothing was changed."
RUNS_STOPPED = "Triage is stopped: nothing is run until an admin runs `/triage resume`. Nothing was changed."
RUNBOOK_CHANGED = "Nothing was run. Press *Bounce* with a reason for a new draft, with what the settings allow now."
"""Next step where a runbook is not run because the settings have changed; the reason precedes it."""
RUNBOOK_RESTS = "Nothing was run. Press again after that time."
"""Next step as above for a runbook that rests."""
RUNBOOK_UNNEEDED = "Nothing was run. Press again if one of them fails again."
"""Next step as above for a runbook whose services are all healthy, or were not checked."""
FIRST_TO_RUN = "Your approval is recorded; a second person must approve the runbook before it is run."
FIX_STOPPED = "Triage is stopped: no fix is drafted until an admin runs `/triage resume`. Nothing was changed."
FIX_UNKNOWN = "Triage no longer knows this fix. Nothing was changed."
NOT_KEPT = "The thread has moved on to other questions; the evidence for this one is in its task's folder."
NOBODY_ELSE = "No other operator may decide on this question, so it cannot be handed over. Nothing was changed."
FIRST_OF_TWO = "Your approval is recorded; a second person must approve the reply before it is posted."
ONLY_ONE = f"Your approval is recorded, but two people must approve and {NO_SECOND}"
RECORDED, TAKEN_BACK = "Recorded:", "Taken back:"
"""Beginnings of the answers to a report of a missed question that counts, and to one that was taken back."""
WAS_ASKED = "was asked in"
"""Words in the answer to a press that asked the owner of a file."""
_EFFECTS = ("done", "stopped", FIRST_OF_TWO, ONLY_ONE, FIRST_TO_RUN)


def has_effect(result: str) -> bool:
    """Return whether a press, dialog, shortcut or reaction had an effect, by its result in the audit log."""
    return result in _EFFECTS or result.startswith((RECORDED, TAKEN_BACK)) or WAS_ASKED in result
