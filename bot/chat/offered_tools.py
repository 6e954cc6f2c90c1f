"""Tools that a model is told about: the core always, other subjects when a conversation is about them.

The words of the conversation choose subjects, in the languages of the commands' synonyms; whatever they miss, the model
loads by `more_tools`. The order never changes, so that equal conversations share the cached beginning of a request.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from bot.commands.command_phrases import singular, split_tokens
from bot.commands.subjects import SUBJECTS, find_subject
from bot.commands.synonyms import SYNONYMS
from bot.commands.tool_schema import compact_schema
from bot.errors import ToolError
from bot.models.fact import Fact
from bot.tools.tool import Tool

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from bot.commands.command import CommandSpec
    from bot.commands.subjects import Subject

CORE = frozenset(
    {
        *("help", "get_my_questions", "get_status", "queue", "why", "get_recent_events"),
        *("list_tasks", "get_task", "get_task_result", "create_task", "list_projects", "set_active_project"),
    }
)
"""Tools of every conversation, by name."""
MORE_TOOLS = "more_tools"
FEW = 20
"""Commands that are all declared, without subjects: what members have."""

_BY_NAME = {subject.name: subject for subject in SUBJECTS}
_WORD = re.compile(r"\w{2,40}")
_MAX_WORDS = 2_000
"""Words of a conversation that are read, the newest ones."""


class SubjectName(Fact):
    """Subject of commands."""

    subject: Annotated[str, Field(description="A subject of this conversation's tools.", max_length=40)]


@dataclass(kw_only=True)
class OfferedTools:
    """Commands that a person may give: those of the core and of the chosen subjects, and those that wait."""

    allowed: Sequence[CommandSpec]
    subjects: frozenset[str]
    """Subjects that the conversation is about."""
    loaded: list[str] = field(default_factory=list)
    """Subjects that the model has loaded since, in order."""

    @property
    def is_grouped(self) -> bool:
        """Return whether there are so many commands that the model is told about a part of them."""
        return len(self.allowed) > FEW

    @property
    def core(self) -> tuple[CommandSpec, ...]:
        """Return the commands of every conversation."""
        return tuple(spec for spec in self.allowed if not self.is_grouped or spec.tool_name in CORE)

    @property
    def declared(self) -> tuple[CommandSpec, ...]:
        """Return the commands that the model is told about besides: by the conversation's subjects, then as loaded."""
        chosen = [subject.name for subject in SUBJECTS if subject.name in self.subjects]
        return tuple(spec for name in dict.fromkeys((*chosen, *self.loaded)) for spec in self._rest(_BY_NAME[name]))

    @property
    def undeclared(self) -> tuple[CommandSpec, ...]:
        """Return the commands that the model may load."""
        return tuple(spec for subject in self.waiting for spec in self._rest(subject))

    @property
    def waiting(self) -> tuple[Subject, ...]:
        """Return the subjects with commands that the model is not told about."""
        named = {*self.subjects, *self.loaded}
        return tuple(subject for subject in SUBJECTS if subject.name not in named and self._rest(subject))

    def build_loader(self) -> Tool:
        """Build the tool by which the model loads the commands of a subject."""

        async def load(request: SubjectName) -> str:
            name = request.subject.strip().lower()
            subject = _BY_NAME.get(name)
            if subject is None or not self._rest(subject):
                names = ", ".join(subject.name for subject in self.waiting) or "none is left"
                raise ToolError(f"there are no further tools for this; the subjects are: {names}")
            if subject in self.waiting:
                self.loaded.append(name)
            return f"You have now: {', '.join(spec.tool_name for spec in self._rest(subject))}."

        about = "Gives you the tools of another subject, if the request needs them."
        return Tool(
            name=MORE_TOOLS, description=about, input=SubjectName, declared_schema=compact_schema(SubjectName), run=load
        )

    def _rest(self, subject: Subject) -> tuple[CommandSpec, ...]:
        """Return the commands of a subject without those of the core."""
        if not self.is_grouped:
            return ()
        return tuple(spec for spec in self.allowed if spec.tool_name not in CORE and find_subject(spec) == subject)


def choose_subjects(texts: Iterable[str], specs: Iterable[CommandSpec]) -> frozenset[str]:
    """Return the names of the subjects that the words of a conversation are about."""
    words = [word for text in texts for word in _WORD.findall(text.lower())][-_MAX_WORDS:]
    singulars = {singular(part) for word in {*words} for part in word.split("_")}
    meanings = singulars.union(*(group for word in {*words, *singulars} for group in SYNONYMS.get(word, ())))
    return frozenset(find_subject(spec).name for spec in specs if meanings & _significant_words(spec))


def _significant_words(spec: CommandSpec) -> set[str]:
    """Return the words of a name that its subject alone has: its nouns, else those beside the verb."""
    tokens = split_tokens(spec.tool_name)
    own = {*tokens}.intersection(find_subject(spec).nouns)
    return own or {*(tokens[1:] or tokens)}
