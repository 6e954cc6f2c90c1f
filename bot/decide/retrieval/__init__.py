"""Retrieval: from a question to ranked passages of a project."""
