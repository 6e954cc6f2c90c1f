"""Approval: what operators do with cards, and what readers say of replies."""
