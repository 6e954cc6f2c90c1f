"""Surfaces: what people see in Slack of a thread, and its task files."""
