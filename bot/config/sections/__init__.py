"""Sections of `triage.yml`, each with its keys, their bounds and defaults."""
