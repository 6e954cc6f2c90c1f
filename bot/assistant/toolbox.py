"""The chat agent's tools: the catalogue's commands that a person's role may give. Called by `assistant/chat`."""

from __future__ import annotations


class Taint:
    """Whether text of others was read in a conversation. Kept with it by whoever leads it; nothing takes it back."""

    def __init__(self, *, is_tainted: bool = False) -> None:
        self._is_tainted = is_tainted

    @property
    def is_tainted(self) -> bool:
        """Whether it was: then only commands that change nothing run without a press."""
        return self._is_tainted

    def mark(self) -> None:
        """It was read just now."""
        self._is_tainted = True
