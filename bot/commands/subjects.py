"""Subjects of commands: the groups in which `help` and docs/commands.md show them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.commands.command_phrases import singular, split_tokens

if TYPE_CHECKING:
    from bot.commands.command import CommandSpec


@dataclass(frozen=True)
class Subject:
    """Group of commands: its name, a sentence, and the nouns in names of tools that put a command into it."""

    name: str
    about: str
    nouns: tuple[str, ...] = ()
    own: tuple[str, ...] = ()
    """Commands that belong to it although a noun, or none, says otherwise."""
    shown_by: str = "status"
    """Command that shows what its commands have changed."""


SUBJECTS = (
    Subject(
        "questions",
        "your questions, those that wait for a decision, and threads to keep out of",
        ("question",),
        ("queue", "why", "mute", "unmute"),
        shown_by="queue",
    ),
    Subject(
        "tasks",
        "work on questions and created tasks: progress, results, stop and restart",
        ("task", "chain"),
        ("get_agent_error",),
        shown_by="list_tasks",
    ),
    Subject(
        "hooks",
        "tasks and commands that begin by themselves, on a schedule or an event",
        ("hook",),
        shown_by="list_hooks",
    ),
    Subject("agents", "who works on tasks, and each run of an agent", ("agent", "session"), shown_by="list_agents"),
    Subject(
        "channels",
        "which channels are watched, how, and for which project",
        ("channel", "interface", "autoreply"),
        ("mode",),
        shown_by="config",
    ),
    Subject("projects", "the code that answers come from", ("project",), shown_by="list_projects"),
    Subject("notes", "what a project's answers should know beside its code", ("note",), shown_by="list_notes"),
    Subject(
        "git",
        "repositories, and Triage's own branches there",
        ("repo", "git", "branch"),
        shown_by="get_git_status",
    ),
    Subject(
        "files",
        "files of a project, as agents may read them; declared commands",
        ("file",),
        ("run_command",),
        shown_by="get_git_status",
    ),
    Subject("system", "Triage itself: its state, events, costs and settings"),
)
"""All subjects, in the order of `help`. A command belongs to the first that it fits; the last one takes the rest."""

FIRST = (
    *("queue", "status", "mine", "thread", "list_tasks", "why", "services", "list_projects", "list_notes", "read_note"),
    *("stop_task", "pause", "stop", "help"),
)
"""Commands that people use first; `help` shows the first ten of those that a person may give."""


def find_subject(spec: CommandSpec) -> Subject:
    """Return the subject of a command."""
    tokens = split_tokens(spec.tool_name)
    own = (subject for subject in SUBJECTS if spec.name in subject.own)
    by_noun = (subject for subject in SUBJECTS if any(noun in tokens for noun in subject.nouns))
    return next(own, None) or next(by_noun, SUBJECTS[-1])


def say_what_shows(spec: CommandSpec | None) -> str:
    """Return a clause on the command that shows how far a command got."""
    if spec is None:
        return "`/triage help` lists the commands that show it"
    name = "list_repos" if "repo" in split_tokens(spec.tool_name) else find_subject(spec).shown_by
    return f"`/triage {name}` shows it"


def find_subject_named(word: str) -> Subject | None:
    """Return the subject that a word names, in any number."""
    return next((subject for subject in SUBJECTS if singular(word.lower()) == singular(subject.name)), None)
