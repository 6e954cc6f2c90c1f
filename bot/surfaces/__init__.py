"""Surfaces: all that Slack shows of a thread, and its task files."""
