"""Names of commands in the product's specification: each is declared."""

from __future__ import annotations

import re

from bot.commands.catalogue import CATALOGUE
from bot.commands.command import list_names
from scripts.commands_page import page

_SECTION_2 = """
list_projects create_project pause_project resume_project edit_project delete_project set_active_project
set_project_channel set_control_interface get_project_channels get_project_for_channel list_tasks create_task
get_task edit_task stop_task restart_task delete_task approve_task skip_task get_task_result get_task_diff
get_chain_health set_task_status get_agent_error add_repo list_repos list_agents create_agent get_status
get_recent_events get_token_usage orchestrator_control restart_daemon read_file run_command search_files
git_commit git_push git_create_branch git_merge git_create_pr git_changed_files get_git_status git_log
git_diff create_branch checkout_branch commit_changes push_branch merge_branch list_notes write_note
delete_note read_note append_note compare_specs_notes create_hook list_hooks edit_hook delete_hook
list_hook_runs fire_hook
"""
SPECIFIED = _SECTION_2.split()
"""The tools of its section 2, in its order."""

SECOND_NAMES = {
    *("set_control_interface", "create_branch", "commit_changes", "push_branch", "merge_branch"),
}
"""Names of which the specification has another one for the same command."""

DECLARED = {*list_names(CATALOGUE)}


def test_each_name_is_declared() -> None:
    """Of all 63."""
    assert len(SPECIFIED) == len({*SPECIFIED}) == 63
    assert {*SPECIFIED} <= DECLARED


def test_a_model_calls_a_declared_one_by_its_specified_name() -> None:
    """Or by the name of which it is a further one."""
    tools = {spec.tool_name: {spec.name, *spec.also} for spec in CATALOGUE.values()}
    for name in SPECIFIED:
        assert name in tools or any(name in names for names in tools.values())
    assert {name for name in SPECIFIED if name not in tools} <= SECOND_NAMES


def test_the_page_has_a_row_for_each_command_in_one_section() -> None:
    """With who may give it, its risk and its confirmation."""
    rows = re.findall(r"^\| `([\w]+)[^`]*` \|", page(), re.MULTILINE)
    assert sorted(rows) == sorted(CATALOGUE)
