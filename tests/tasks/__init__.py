"""Tests of created tasks: their threads, their agents and their scheduler."""
