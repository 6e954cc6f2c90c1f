"""The commands of projects and their channels (spec 2). Done by `commands/projects` and others."""

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
        summary="shows one project: where its code lies, its channels, whether it is paused",
        input=inputs.MaybeProject,
        role="operator",
        tier=READ,
        untrusted="people",
    ),
    CommandSpec(
        name="create_project",
        summary="makes a project from a folder (root) or from an address that is fetched (repository)",
        deed="a project was made",
        input=inputs.NewProject,
        role="admin",
        tier=REVERSIBLE,
        needs_press=True,
    ),
    CommandSpec(
        name="edit_project",
        summary="changes a project that a command has made; one of triage.yml is changed there",
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
        summary="forgets a project that a command has made; its folder, tasks, notes and replies stay",
        deed="a project was forgotten",
        input=inputs.ProjectInput,
        role="admin",
        tier=IRREVERSIBLE,
        names="project",
    ),
    CommandSpec(
        name="set_active_project",
        summary="says which project this conversation is about, or with none that it is about no certain one",
        deed="the project of a conversation was set",
        input=inputs.ProjectOrNone,
        role="operator",
        tier=REVERSIBLE,
    ),
    CommandSpec(
        name="set_project_channel",
        summary="has the questions of a watched channel go to a project, or with none to no certain one",
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
