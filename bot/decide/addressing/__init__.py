"""Addressee of a message to the bot: triage, a command or the chat agent."""
