"""Grounding: claims of a draft held against the lines that it cites."""
