"""Tests of `bot/assistant`."""
