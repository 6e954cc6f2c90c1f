"""Block Kit builders: cards, dialogs and replies as plain dictionaries."""
