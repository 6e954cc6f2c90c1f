"""Announcements of `triage run`: lines, and beginnings of lines, by which those who start it know where it stands."""

READY = "Triage is ready"
"""The bot listens."""
STANDING_BY = "Triage stands by"
"""A replica takes in what Slack delivers, and does not lead yet."""
WORKING = "Triage works"
"""The process only investigates."""
ENDING = "Ending: work under way has up to 70 s; a second signal ends it at once."
