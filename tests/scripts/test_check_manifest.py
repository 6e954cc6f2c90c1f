"""`make check` on the manifest: neither a scope too few nor one too many, in no form of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from scripts.check_manifest import problems

SHIPPED = (Path(__file__).parents[2] / "manifest.yml").read_text()


def test_the_shipped_manifest_is_right() -> None:
    """In every form that `triage manifest` prints."""
    assert problems(SHIPPED) == []


@pytest.mark.parametrize(
    ("shipped", "changed", "problem"),
    [
        ("- assistant:write", "- chat:write", "assistant:write is missing, for assistant.threads.setSuggestedPrompts"),
        ("- assistant:write", "- chat:write", "assistant:write is missing, for app_context_changed"),
        ("- commands", "- chat:write", "commands is missing, for slash_commands"),
        ("- im:write", "- chat:write", "im:write is missing, for conversations.open"),
        ("- users:read", "- users:read\n      - im:read", "im:read is asked for and never needed"),
        ("- user_change", "- user_change\n      - pin_added", "the event pin_added needs is not in sandbox/required"),
        ("- app_home_opened", "- user_change", "the Home and the event app_home_opened go together"),
        ("display_name: Triage", "name: Triage", "'display_name' is a required property"),
        ("socket_mode_enabled: true", "socket_mode_enabled: false", "the wrong one of Socket Mode and HTTP"),
        ("bot_optional:", "bot_possible:", "triage doctor looks for other scopes"),
    ],
)
def test_a_fault_is_named(shipped: str, changed: str, problem: str) -> None:
    """With what needs the scope."""
    assert shipped in SHIPPED
    assert any(problem in found for found in problems(SHIPPED.replace(shipped, changed, 1)))
