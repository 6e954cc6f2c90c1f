"""Triage: reads a team's channels, drafts answers with evidence, posts what a person approved."""

__version__ = "0.1.0"
