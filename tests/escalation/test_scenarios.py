"""Scenarios of the specification of handoffs (spec 3), each with its test."""

from __future__ import annotations

import ast
from pathlib import Path

from tests.tables import each_row

TESTS = Path(__file__).resolve().parent.parent
HANDOFFS, FORMS, PROMPTS = (f"escalation/test_handoff{name}.py" for name in ("s", "_forms", "_prompts"))
CONTEXT, WATCHES = "escalation/test_context.py", "escalation/test_watch_handoffs.py"
CHAINS, SHOWN = "decide/test_session_chains.py", "chat/test_sessions.py"

SCENARIOS = {
    "Tier 1 writes handoff for Tier 2": (WATCHES, "test_tier_1_writes_its_checks"),
    "Tier 2 writes handoff for Tier 3": (WATCHES, "test_tier_2_writes_what_it_found_and_what_was_tried"),
    "Handoff file not written when all services healthy": (
        "decide/test_escalation.py",
        "test_a_run_of_tier_1_leads_on",
    ),
    "Handoff file not written when Tier 2 resolves the issue": (
        WATCHES,
        "test_a_tier_2_that_resolves_the_issue_writes_no_handoff",
    ),
    "Check result object structure": (FORMS, "test_a_check_result_has_its_fields"),
    "Invalid handoff file rejected": (FORMS, "test_an_invalid_handoff_is_refused"),
    "Supervisor reads and deletes handoff after Tier 1": (HANDOFFS, "test_tier_1_hands_over_by_the_bot_s_own_code"),
    "Supervisor reads and deletes handoff after Tier 2": (HANDOFFS, "test_tier_3_continues_tier_2_with_its_handoff"),
    "Stale handoff file from previous cycle": (
        HANDOFFS,
        "test_the_next_question_takes_no_handoff_of_the_one_before",
    ),
    "Handoff file deleted on supervisor crash recovery": (HANDOFFS, "test_a_stale_handoff_is_removed_at_the_start"),
    "CLI process exits with non-zero code": (HANDOFFS, "test_the_handoff_of_a_failed_run_is_ignored"),
    "Supervisor spawns Tier 2 from handoff": (HANDOFFS, "test_tier_2_continues_tier_1_in_a_session_of_its_own"),
    "Supervisor spawns Tier 3 from handoff": (HANDOFFS, "test_tier_3_continues_tier_2_with_its_handoff"),
    "Dry-run mode prevents escalation": (HANDOFFS, "test_a_dry_run_starts_no_tier"),
    "Maximum tier limit enforced": (HANDOFFS, "test_a_tier_above_the_highest_is_blocked"),
    "No handoff file after session exit": (HANDOFFS, "test_a_run_without_a_handoff_ends_its_chain"),
    "Escalation chain terminates at Tier 3": (HANDOFFS, "test_tier_3_ends_the_chain"),
    "Parent session ID column added": (HANDOFFS, "test_tier_2_continues_tier_1_in_a_session_of_its_own"),
    "Tier 1 session has no parent": (CHAINS, "test_parents_and_children_are_those_of_other_tiers"),
    "Full escalation chain queryable": (CHAINS, "test_the_chain_is_found_from_any_session"),
    "Index on parent_session_id": ("adapters/test_sessions.py", "test_links_are_read_once_and_sessions_by_name"),
    "Tier 1 prompt writes handoff instead of spawning Task": (PROMPTS, "test_tier_1_asks_by_a_field_of_its_answer"),
    "Tier 2 prompt writes handoff instead of spawning Task": (PROMPTS, "test_no_tier_is_told_to_start_another"),
    "Tier 2 receives handoff context via system prompt": (PROMPTS, "test_a_prompt_has_the_whole_handoff"),
    "Tier 3 receives handoff context via system prompt": (PROMPTS, "test_a_prompt_has_the_whole_handoff"),
    "Task tool removed from allowed tools": (PROMPTS, "test_no_tier_is_told_to_start_another"),
    "Dashboard Escalation Chain Display": (SHOWN, "test_the_chain_is_shown_from_any_session_and_from_its_thread"),
    "Sessions list shows escalation indicator": (
        SHOWN,
        "test_sessions_are_listed_newest_first_with_a_mark_at_chains",
    ),
    "Escalation chain cost rollup": (SHOWN, "test_the_chain_is_shown_from_any_session_and_from_its_thread"),
    "Tier 1 cost recorded independently": (HANDOFFS, "test_tier_2_continues_tier_1_in_a_session_of_its_own"),
    "Tier 2 cost recorded independently": (HANDOFFS, "test_each_tier_has_its_own_cost"),
    "Chain cost breakdown visible": (SHOWN, "test_the_chain_is_shown_from_any_session_and_from_its_thread"),
    "Critical event on handoff read failure": (FORMS, "test_an_unreadable_handoff_is_refused"),
    "Critical event on handoff validation failure": (FORMS, "test_an_invalid_handoff_is_refused"),
    "Info event when dry-run suppresses escalation": (HANDOFFS, "test_a_dry_run_starts_no_tier"),
    "Tier 2 receives complete failure context": (PROMPTS, "test_a_prompt_has_the_whole_handoff"),
    "Tier 3 receives complete investigation context": (CONTEXT, "test_the_section_has_every_field_of_a_watch"),
    "Handoff context size limit": (CONTEXT, "test_a_handoff_that_is_too_long_keeps_what_is_not_healthy"),
}
"""Module and test of each; the one display without a title stands under its requirement. Kills: `test_handoff_kills`.

Tier 1 runs inside the bot, so its handoff is data of the thread; sessions are files, so an index is a cache in memory;
the prompt's section stands behind the question, since all that other people wrote does.
"""

SERVERS, REMEDIES = "adapters/checks/test_scenarios.py", "line/test_incidents.py"

SCENARIOS_OF_CHECKS = {
    "Tier 1 writes handoff for Tier 2": (SERVERS, "test_checks_lead_to_a_handoff", "test_a_cooldown_is_in_the_handoff"),
    "Tier 2 writes handoff for Tier 3": (REMEDIES, "test_a_runbook_that_did_not_help_leads_to_the_last_tier"),
    "Handoff file not written when all services healthy": (SERVERS, "test_checks_lead_to_a_handoff"),
    "Handoff file not written when Tier 2 resolves the issue": (
        REMEDIES,
        "test_an_approved_runbook_ends_its_incident",
    ),
    "Check result object structure": (SERVERS, "test_checks_lead_to_a_handoff"),
    "No handoff file after session exit": (SERVERS, "test_a_single_failure_is_a_session_alone"),
    "Tier 1 session has no parent": (SERVERS, "test_checks_lead_to_a_handoff"),
    "Tier 1 cost recorded independently": (SERVERS, "test_checks_lead_to_a_handoff"),
}
"""Module and tests of each that concerns checks, cooldown and remediation, with real servers on loopback.

Checks are tier 1 there, as in the specification; the table above is about questions, and about the form of handoffs.
"""


@each_row(("title", "place"), [*SCENARIOS.items(), *SCENARIOS_OF_CHECKS.items()])
def test_a_scenario_is_named_by_its_test(title: str, place: tuple[str, ...]) -> None:
    """So a reader finds it from either side."""
    module, *names = place
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    bodies = [node for node in ast.parse((TESTS / module).read_text()).body if isinstance(node, functions)]
    for name in names:
        (test,) = [node for node in bodies if node.name == name]
        assert title in " ".join((ast.get_docstring(test) or "").split())
