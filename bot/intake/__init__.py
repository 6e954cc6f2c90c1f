"""Intake: from a Slack event to a thread, with deduplication, classification and replay."""
