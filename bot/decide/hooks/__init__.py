"""Decisions of hooks: their times, events, conditions and words, and the states of their runs. Pure."""
