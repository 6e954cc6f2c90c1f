"""Command handler: authorise, validate, execute and audit each command, from every interface.

An irreversible command, and one that a tainted conversation chose, is saved (`confirmations`) until its asker confirms
it (`confirmation_buttons`). An answer never raises: an exception is logged and reported as a failure.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from blocks.text import clip, escape
from bot.commands.answer_limits import limit_answer
from bot.commands.argument_names import rename_arguments
from bot.commands.audit_log import CommandAudit
from bot.commands.command import CommandAnswer, CommandSpec, SealedRequest, find_spec
from bot.commands.confirmation_questions import ConfirmationQuestions
from bot.commands.field_order import NO_NAMES, list_surplus
from bot.commands.misfit import describe_invalid_input
from bot.commands.suggestions import describe_unknown, suggest_narrower
from bot.errors import TriageError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Mapping

    from bot.commands.confirmations import Confirmations
    from bot.commands.field_order import ObjectNames
    from bot.commands.permission import Permission
    from bot.commands.projects import ProjectOverview
    from bot.commands.registry import Command
    from bot.decide.orders import OrderParser
    from bot.decide.redaction.redactor import Redactor
    from bot.models.fact import Fact
    from bot.models.interaction import Asker
    from bot.models.pending_command import Confirmation
    from bot.ports.outbound import Clock, Journal
    from bot.ports.slack import Chat

log = logging.getLogger(__name__)


_OTHER_NAME = "This is not the name that confirms it. Nothing was done."
_CHANGED_NAME = f"{_OTHER_NAME} It changes with what it confirms: give the command without it to see both."

_CHANGED_EFFECT = (
    "What it would do has changed since you were asked. Nothing was done: give the command again to see it."
)


@dataclass(frozen=True, kw_only=True)
class CommandHandler:
    """Executes commands, held by name. `audit` is a journal."""

    commands: Mapping[str, Command]
    permission: Permission
    audit: Journal
    clock: Clock
    redactor: Redactor
    confirmations: Confirmations
    chat: Chat
    url: str = ""
    """URL of the workspace."""
    overview: ProjectOverview | None = None
    """Projects of conversations; a confirmation keeps the project of the moment it was requested."""
    orders: OrderParser | None = None
    """Parser of everyday orders, by which words that name no command may find one."""

    @cached_property
    def _audit_log(self) -> CommandAudit:
        return CommandAudit(journal=self.audit, clock=self.clock, redactor=self.redactor)

    @cached_property
    def _questions(self) -> ConfirmationQuestions:
        return ConfirmationQuestions(
            confirmations=self.confirmations, chat=self.chat, redactor=self.redactor, url=self.url
        )

    @cached_property
    def catalogue(self) -> Mapping[str, CommandSpec]:
        """The declarations of its commands, by name."""
        return {name: command.spec for name, command in self.commands.items()}

    @property
    def object_names(self) -> ObjectNames:
        """Names of projects and watched channels as they are now, by which typed words find their fields."""
        return self.overview.object_names if self.overview else NO_NAMES

    async def execute(
        self, name: str, arguments: Mapping[str, Any], asker: Asker, *, tainted: bool = False, typed: str | None = None
    ) -> CommandAnswer:
        """Execute the command `name` with this input for this person, or ask them to confirm it.

        `tainted`: the conversation that chose the command contains text by other people. `typed` is the name that the
        person typed at a terminal; it is accepted from there only.
        """
        spec, arguments = self._find_command(name, arguments)
        answer = limit_answer(
            await self._catch_errors(name, spec, self._execute(name, spec, arguments, asker, tainted, typed)),
            asker,
            self.redactor,
        )
        if not (answer.outcome == "asked" and answer.confirmation):  # audited before its button was posted
            await self._audit_log.record(name, spec, arguments, asker, answer)
        return answer

    def _find_command(self, name: str, arguments: Mapping[str, Any]) -> tuple[CommandSpec | None, Mapping[str, Any]]:
        """Return the command of this name, or the one that it stands for, with its input."""
        spec = find_spec(name, self.catalogue)
        if spec is None or spec.stands_for is None:
            return spec, arguments
        try:
            request = spec.input.model_validate(rename_arguments(spec.input, arguments))
        except ValidationError:
            return spec, arguments  # the answer says what does not fit
        return self.catalogue[getattr(request, spec.stands_for)], {}

    async def confirm(self, waiting: Confirmation, asker: Asker) -> CommandAnswer:
        """Execute a confirmed command, once: `asker` is the person who asked for it and has confirmed it."""
        spec = self.catalogue.get(waiting.command)
        answer = limit_answer(
            await self._catch_errors(waiting.command, spec, self._confirm(spec, waiting, asker)), asker, self.redactor
        )
        answer = answer.evolve(confirmation=waiting.confirmation_id)
        if not (
            waiting.is_under_way and await self._audit_log.has_outcome(waiting, asker)
        ):  # else a crash came after the record
            await self._audit_log.record(waiting.command, spec, waiting.given, asker, answer, is_confirmed=True)
        return answer

    async def record_rejected(
        self, name: str, arguments: Mapping[str, Any], who: Mapping[str, Any], answer: CommandAnswer
    ) -> None:
        """Record a try that did not get as far as `execute`; `who` are the known fields of its asker."""
        await self._audit_log.record_rejected(name, find_spec(name, self.catalogue), arguments, who, answer)

    async def record_late(self, name: str, arguments: Mapping[str, Any], asker: Asker, answer: CommandAnswer) -> None:
        """Record a command of an earlier process that ended before it could; a confirmed one has its confirmation."""
        spec, arguments = self._find_command(name, arguments)
        is_confirmed = answer.confirmation is not None
        await self._audit_log.record(name, spec, arguments, asker, answer, is_confirmed=is_confirmed)

    async def record_press(self, waiting: Confirmation | None, asker: Asker, answer: CommandAnswer) -> None:
        """Record a press after which nothing was done."""
        command, given = (waiting.command, waiting.given) if waiting else ("", {})
        await self._audit_log.record(command, self.catalogue.get(command), given, asker, answer)

    async def _execute(
        self,
        name: str,
        spec: CommandSpec | None,
        arguments: Mapping[str, Any],
        asker: Asker,
        tainted: bool,
        typed: str | None,
    ) -> CommandAnswer:
        if refusal := await self.permission.refusal(asker, spec.role if spec else "member"):
            return CommandAnswer(outcome="refused", line=refusal)
        if spec is None:
            return self._answer_unknown(name, arguments, asker)
        arguments = rename_arguments(spec.input, arguments)
        try:
            request = spec.input.model_validate(arguments)
        except ValidationError as problem:
            return self._answer_invalid(spec, problem, arguments, asker)
        if spec.tier != "read":
            asker = asker.evolve(looks_at="")  # a change must name its object
            await self._questions.replace_earlier(spec, self._with_project(arguments, request, asker), asker)
        if _needs_confirmation(spec, asker, tainted=tainted) or self._is_sealed_by_text(spec, request):
            confirmed = await self._ask(name, spec, request, arguments, asker, typed)
            if isinstance(confirmed, CommandAnswer):
                return confirmed
            if spec.resumes:
                return await self._run_resumably(spec, confirmed, asker)
            request = confirmed
        return await self.commands[spec.name].run(request, asker)

    async def _ask(
        self, name: str, spec: CommandSpec, request: Fact, arguments: Mapping[str, Any], asker: Asker, typed: str | None
    ) -> CommandAnswer | Fact:
        """Ask for a confirmation; return the input to execute if it is given already, in a terminal."""
        preview = self.commands[spec.name].preview
        effect = await preview(request, asker) if preview else ""
        if isinstance(effect, CommandAnswer):
            return effect
        completed = self._with_project(arguments, request, asker)
        question = self._questions.build(
            spec, request, completed, effect, is_sealed=self._is_sealed_by_text(spec, request)
        )
        if asker.via != "cli":

            async def note(answer: CommandAnswer) -> None:
                await self._audit_log.record(name, spec, arguments, asker, limit_answer(answer, asker, self.redactor))

            return await self._questions.ask(spec, question, asker, note)
        if typed is None:
            return question.build_answer()
        if typed.strip() != question.terminal_word:
            is_sealed = bool(spec.sealed) or question.terminal_word != question.word
            return CommandAnswer(outcome="refused", line=_CHANGED_NAME if is_sealed else _OTHER_NAME)
        return effect.request if isinstance(effect, SealedRequest) else request

    async def _run_resumably(self, spec: CommandSpec, request: Fact, asker: Asker) -> CommandAnswer:
        """Run a command that was confirmed in a terminal; after a crash the next process goes on with it."""
        given = request.model_dump(mode="json")
        waiting = await self.confirmations.add(spec.name, given, asker, preview="", typed_again=None)
        await self._take(spec, waiting, asker)
        answer = await self.commands[spec.name].run(request, asker)
        await self.confirmations.finish(waiting.confirmation_id)
        return answer

    async def _confirm(self, spec: CommandSpec | None, waiting: Confirmation, asker: Asker) -> CommandAnswer:
        if spec is None:
            return CommandAnswer(outcome="unknown", line="This command no longer exists. Nothing was done.")
        if not waiting.is_under_way and (refusal := await self.permission.refusal(asker, spec.role)):
            return CommandAnswer(outcome="refused", line=refusal)
        request = (spec.sealed or spec.input).model_validate(waiting.given)
        if not waiting.is_under_way and not await self._take(spec, waiting, asker):
            return CommandAnswer(outcome="refused", line="This was settled already; nothing is done twice.")
        return await self._find_change(spec, request, waiting, asker) or await self.commands[spec.name].run(
            request, asker
        )

    async def _take(self, spec: CommandSpec, waiting: Confirmation, asker: Asker) -> bool:
        """Take a confirmation; return whether it was pending. Raises `RetryLater`."""
        taken = await self.confirmations.mark_taken(
            waiting.confirmation_id, asker.interaction_id, keeps_input=spec.resumes
        )
        return taken is not None

    async def _find_change(
        self, spec: CommandSpec, request: Fact, waiting: Confirmation, asker: Asker
    ) -> CommandAnswer | None:
        """Return the refusal of an irreversible command, or of one that is sealed by its text, whose effect is no
        longer the one that its asker confirmed.

        A sealed command looks for itself.
        """
        preview = self.commands[spec.name].preview
        is_compared = spec.tier == "irreversible" or self._is_sealed_by_text(spec, request)
        if not is_compared or spec.sealed or preview is None:
            return None
        effect = await preview(request, asker)
        if isinstance(effect, CommandAnswer):
            return effect
        shown = self._questions.build(spec, request, waiting.given, effect).shown
        return None if shown == waiting.said else CommandAnswer(outcome="refused", line=_CHANGED_EFFECT)

    def _is_sealed_by_text(self, spec: CommandSpec, request: Fact) -> bool:
        """Return whether this input needs a confirmation of exactly the text that is shown."""
        asks_if = self.commands[spec.name].asks_if
        return asks_if is not None and asks_if(request)

    def _with_project(self, arguments: Mapping[str, Any], request: Fact, asker: Asker) -> Mapping[str, Any]:
        """Add the conversation's project to an input that names none: it may be another one at the press."""
        is_unnamed = self.overview is not None and getattr(request, "project", None) in ("", None)
        project = self.overview.find_conversation_project(asker) if self.overview and is_unnamed else None
        return {**arguments, "project": project} if project and "project" in type(request).model_fields else arguments

    async def _catch_errors(self, name: str, spec: CommandSpec | None, work: Awaitable[CommandAnswer]) -> CommandAnswer:
        try:
            return await work
        except ValidationError as problem:
            return CommandAnswer(outcome="invalid", line=describe_invalid_input(spec, problem), repeats_nothing=True)
        except TriageError as problem:
            log.warning("the command %s: %s", name, problem)
            return CommandAnswer(outcome="failed", line=f"This did not work: {escape(clip(str(problem), 300))}")
        except Exception:
            log.exception("the command %s failed", name)
            return CommandAnswer(outcome="failed", line="This did not work; the log says why.")

    def _answer_unknown(self, name: str, arguments: Mapping[str, Any], asker: Asker) -> CommandAnswer:
        """Answer words that name no command."""
        words = (name, *list_surplus(arguments))
        line = describe_unknown(words, self._list_allowed(asker), self.orders, self.object_names)
        return CommandAnswer(outcome="unknown", line=line)

    def _answer_invalid(
        self, spec: CommandSpec, problem: ValidationError, arguments: Mapping[str, Any], asker: Asker
    ) -> CommandAnswer:
        """Answer input that does not fit; surplus words may mean a command for one object."""
        nearest = suggest_narrower(spec, list_surplus(arguments), self._list_allowed(asker), self.object_names)
        line = f"{describe_invalid_input(spec, problem)}{nearest}"
        return CommandAnswer(outcome="invalid", line=line, repeats_nothing=True)

    def _list_allowed(self, asker: Asker) -> Mapping[str, CommandSpec]:
        """Return the commands that this person may give."""
        return {key: spec for key, spec in self.catalogue.items() if self.permission.has_role(asker.user_id, spec.role)}


def _needs_confirmation(spec: CommandSpec, asker: Asker, *, tainted: bool) -> bool:
    """Return whether to ask for a confirmation: a model's choice is not a person's; its conversation may contain text
    of others."""
    by_model = asker.via == "chat" and spec.needs_press
    return spec.tier == "irreversible" or spec.always_asks or by_model or (tainted and spec.tier != "read")
