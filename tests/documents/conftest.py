"""The documents are tried in the same local workspace as the whole line."""

from tests.line.conftest import line

__all__ = ["line"]
