"""Measurements of the keyword engine over public code bases."""
