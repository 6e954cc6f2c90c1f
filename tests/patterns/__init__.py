"""Proof that patterns run in linear time: all of them found, and each one's automaton examined."""
