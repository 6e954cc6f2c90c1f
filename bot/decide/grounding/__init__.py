"""Grounding: claims of a draft checked against the lines that it cites."""
