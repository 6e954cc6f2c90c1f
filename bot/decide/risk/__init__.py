"""Risky advice in a draft, found by rules."""
