"""Commands on projects and their channels."""

from __future__ import annotations

from bot.commands import project_inputs as inputs
from bot.commands.command import IRREVERSIBLE, READ, REVERSIBLE, CommandSpec
from bot.commands.inputs import EmptyInput

SPECS = (
    CommandSpec(
        name="list_projects",
        summary="lists the projects, with what waits for each, and those that cannot be used",
        input=EmptyInput,
        role="operator",
        tier=READ,
        untrusted="people",
    ),
    CommandSpec(
        name="get_project",
        summary="shows one project: its code, its channels, and its pause",
        input=inputs.MaybeProject,
        role="operator",
        tier=READ,
        untrusted="people",
    ),
    CommandSpec(
        name="create_project",
        summary="creates a project from a folder (root) or from a repository address to fetch (repository)",
        deed="a project was created",
        input=inputs.NewProject,
        role="admin",
        tier=REVERSIBLE,
        needs_press=True,
    ),
    CommandSpec(
        name="edit_project",
        summary="changes a project that a command created; projects of triage.yml are changed there",
        deed="a project was changed",
        input=inputs.ProjectChange,
        role="admin",
        tier=REVERSIBLE,
        needs_press=True,
    ),
    CommandSpec(
        name="pause_project",
        summary="lets the questions of one project wait until resume_project; what runs goes on",
        deed="a project was paused",
        input=inputs.ProjectInput,
        role="admin",
        tier=REVERSIBLE,
    ),
    CommandSpec(
        name="resume_project",
        summary="has the questions that waited for a paused project investigated",
        deed="a project was resumed",
        input=inputs.ProjectInput,
        role="admin",
        tier=REVERSIBLE,
    ),
    CommandSpec(
        name="delete_project",
        summary="deletes a project that a command created; its folder, tasks, notes and replies stay",
        deed="a project was deleted",
        input=inputs.ProjectInput,
        role="admin",
        tier=IRREVERSIBLE,
        names="project",
    ),
    CommandSpec(
        name="set_active_project",
        summary="sets the project of this conversation; `none` removes it",
        deed="the project of a conversation was set",
        input=inputs.ProjectOrNone,
        role="operator",
        tier=REVERSIBLE,
    ),
    CommandSpec(
        name="set_project_channel",
        summary="sends the questions of a watched channel to a project; `none` ends that",
        deed="the project of a channel was set",
        input=inputs.ProjectChannel,
        role="admin",
        tier=REVERSIBLE,
        needs_press=True,
        also=("set_control_interface",),
    ),
    CommandSpec(
        name="get_project_channels",
        summary="lists the channels whose questions go to a project",
        input=inputs.MaybeProject,
        role="operator",
        tier=READ,
    ),
    CommandSpec(
        name="get_project_for_channel",
        summary="says which project the questions of a channel go to",
        input=inputs.MaybeChannel,
        role="operator",
        tier=READ,
    ),
)
