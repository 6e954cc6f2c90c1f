"""Hooks: work that begins by itself, on a schedule or an event."""
