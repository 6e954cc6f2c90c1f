"""Tier 0: classification of messages by rules and weights."""
