"""Redaction: detection and removal of secrets in texts."""
