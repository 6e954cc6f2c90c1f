"""Nouns: frozen facts that every other room may hold."""
