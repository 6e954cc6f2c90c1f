"""Addressing: who is meant by a message to the bot (triage, a command or the chat agent)."""
