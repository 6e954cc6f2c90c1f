"""Wiring: the composition root."""
