"""Nouns in, Block Kit out: cards, dialogs and replies as plain dictionaries."""
