"""Tests of `bot/chat`."""
