"""Redaction: secrets found in a text and taken out."""
