"""The handler: one door for every command, whoever it comes from. It authorises, validates, runs and audits.

A command that nothing takes back, and one that a tainted conversation chose, is not run but kept (`confirming`) until
its asker presses (`pressing`). An answer never raises: what breaks is in the log and is said as such.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from blocks.text import clip, escape
from bot.commands.buttons import REPLACED, find_origin, find_place, replace_buttons, show_buttons
from bot.commands.catalogue import CATALOGUE
from bot.commands.command import CommandAnswer, CommandSpec, Preview, Run, all_names, named
from bot.commands.misfit import misfit
from bot.commands.nearest_name import LONGEST_WORD, suggestion
from bot.errors import RetryLater, TriageError
from bot.runtime.offload import beside

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from bot.commands.confirmations import Confirmations
    from bot.commands.permission import Permission
    from bot.decide.redaction.redactor import Redactor
    from bot.models.fact import Fact
    from bot.models.interaction import Asker
    from bot.models.pending_command import Confirmation
    from bot.ports.outbound import Clock, Journal
    from bot.ports.slack import Chat

log = logging.getLogger(__name__)

LONGEST_ANSWER = 3_500
"""Characters of an answer; Slack recommends at most 4,000."""

_CHANGED = ("done", "asked")
"""Outcomes of a command that may have changed something."""

LONGEST_VALUE = 150
"""Characters of one word of the input that a question repeats."""


@dataclass(frozen=True, kw_only=True)
class CommandHandler:
    """Executes commands. `runs` has a function for each name of the catalogue; `audit` is a journal."""

    runs: Mapping[str, Run]
    permission: Permission
    audit: Journal
    clock: Clock
    redactor: Redactor
    confirmations: Confirmations
    chat: Chat
    url: str = ""
    """The workspace's address."""
    catalogue: Mapping[str, CommandSpec] = field(default_factory=lambda: CATALOGUE)
    previews: Mapping[str, Preview] = field(default_factory=dict)
    """Of commands that wait for a press: what is looked at before somebody is asked to confirm, and what they read."""
    project_of: Callable[[Asker], str | None] = lambda _: None
    """Which project a conversation is about; a command that waits is done to the one of the moment it was given."""

    def __post_init__(self) -> None:
        """Raises `TypeError` when a command of the catalogue has no function, or a function no command."""
        if strange := self.runs.keys() ^ self.catalogue.keys():
            raise TypeError(f"commands without a function, or the other way round: {sorted(strange)}")

    async def execute(
        self, name: str, given: Mapping[str, Any], asker: Asker, *, tainted: bool = False, typed: str | None = None
    ) -> CommandAnswer:
        """Do the command `name` with this input for this person, or have it wait for their press.

        `tainted` says that words of others were read in the conversation that chose it. `typed` is what the person
        typed again at a terminal; it counts from there only.
        """
        spec = named(name, self.catalogue)
        answer = self._shown(await self._safely(name, spec, self._execute(name, spec, given, asker, tainted, typed)))
        if not (answer.outcome == "asked" and answer.confirmation):  # that stands there since before its button
            await self._audit(name, spec, given, asker, answer)
        return answer

    async def confirm(self, waiting: Confirmation, asker: Asker) -> CommandAnswer:
        """Do what waited, once: `asker` is whoever asked for it, and has pressed and typed by now what was needed."""
        spec = self.catalogue.get(waiting.command)
        answer = self._shown(await self._safely(waiting.command, spec, self._confirm(spec, waiting, asker)))
        answer = answer.evolve(confirmation=waiting.confirmation_id)
        await self._audit(waiting.command, spec, waiting.given, asker, answer, is_confirmed=True)
        return answer

    async def settle(self, waiting: Confirmation | None, asker: Asker, answer: CommandAnswer) -> None:
        """Record a press after which nothing was done."""
        command = waiting.command if waiting else ""
        await self._audit(command, self.catalogue.get(command), {}, asker, answer)

    async def _execute(
        self,
        name: str,
        spec: CommandSpec | None,
        given: Mapping[str, Any],
        asker: Asker,
        tainted: bool,
        typed: str | None,
    ) -> CommandAnswer:
        if refusal := await self.permission.refusal(asker, spec.role if spec else "member"):
            return CommandAnswer(outcome="refused", line=refusal)
        if spec is None:
            return CommandAnswer(outcome="unknown", line=self._unknown(name))
        asked = spec.input.model_validate(dict(given))
        if spec.tier != "read":
            asker = asker.evolve(looks_at="")  # what changes something is named
            await self._replace(spec, self._settled(given, asked, asker), asker)
        if _must_wait(spec, asker, tainted=tainted):
            preview = self.previews.get(spec.name)
            effect = await preview(asked, asker) if preview else ""
            if isinstance(effect, CommandAnswer):
                return effect
            word, settled = _typed_again(spec, asked), self._settled(given, asked, asker)
            said = self._would(spec, settled, effect)
            if asker.via != "cli":
                note = partial(self._audit, name, spec, given, asker)
                return await self._ask(spec, settled, asker, said, word if spec.tier == "irreversible" else None, note)
            if typed is None:
                return CommandAnswer(outcome="asked", line=said, typed_again=word)
            if typed.strip() != word:
                return CommandAnswer(outcome="refused", line="This is not the name that confirms it. Nothing was done.")
        return await self.runs[spec.name](asked, asker)

    async def _replace(self, spec: CommandSpec, given: Mapping[str, Any], asker: Asker) -> None:
        """Let the same thing that this person asked for before wait no more: else its button would do it again."""
        asked = spec.input.model_validate(dict(given)).model_dump()

        def is_same(kept: Mapping[str, Any]) -> bool:
            try:
                before = spec.input.model_validate(dict(kept)).model_dump()
            except ValidationError:
                return False
            if not (before.get("project") and asked.get("project")):  # one that is not named may be the same
                return {**before, "project": None} == {**asked, "project": None}
            return before == asked

        for before in await self.confirmations.replace(spec.name, asker.user_id, is_same):
            await replace_buttons(self.chat, self.confirmations, before, f"`{spec.name}`: {REPLACED}")

    async def _confirm(self, spec: CommandSpec | None, waiting: Confirmation, asker: Asker) -> CommandAnswer:
        if spec is None:
            return CommandAnswer(outcome="unknown", line="There is no such command any more. Nothing was done.")
        if refusal := await self.permission.refusal(asker, spec.role):
            return CommandAnswer(outcome="refused", line=refusal)
        asked = spec.input.model_validate(waiting.given)
        if await self.confirmations.take(waiting.confirmation_id) is None:
            return CommandAnswer(outcome="refused", line="This was settled already, and nothing is done twice.")
        return await self.runs[spec.name](asked, asker)

    async def _ask(
        self,
        spec: CommandSpec,
        given: Mapping[str, Any],
        asker: Asker,
        said: str,
        word: str | None,
        note: Callable[[CommandAnswer], Awaitable[None]],
    ) -> CommandAnswer:
        """Keep it, `note` that, and show its buttons to whoever asked, in a direct message."""
        place = await find_place(self.chat, asker)
        waiting = await self.confirmations.ask(spec.name, given, asker, said=said, typed_again=word, buttons=place)
        where = "here" if place.channel == asker.channel_id else "in your direct message with Triage"
        rows = (f"It waits for a press of <@{asker.user_id}> for 15 minutes; the button is {where}.",)
        known = {"confirmation": waiting.confirmation_id, "typed_again": word}
        answer = CommandAnswer(outcome="asked", line=said, rows=rows, **known)
        await note(self._shown(answer))  # before the button, which stays should a crash come between
        origin = find_origin(asker, url=self.url, redact=self.redactor.redact)
        await show_buttons(self.chat, self.confirmations, waiting, place, origin)
        return answer

    def _settled(self, given: Mapping[str, Any], asked: Fact, asker: Asker) -> Mapping[str, Any]:
        """The input with the conversation's project where it names none: that may be another one at the press."""
        project = self.project_of(asker) if getattr(asked, "project", None) in ("", None) else None
        return {**given, "project": project} if project and "project" in type(asked).model_fields else given

    def _would(self, spec: CommandSpec, given: Mapping[str, Any], effect: str) -> str:
        """What would happen, with the input: in short, but whole where the press permits what is named there."""
        limit = LONGEST_ANSWER if spec.needs_press else LONGEST_VALUE
        words = "; ".join(f"{name}: {self._short(value, limit)}" for name, value in given.items() if value is not None)
        back = " Nothing takes it back." if spec.tier == "irreversible" else ""
        effect = f" {effect}" if effect else ""
        return f"*Not done yet:* `{spec.name}` {spec.summary}{f' ({words})' if words else ''}.{effect}{back}"

    def _short(self, value: Any, limit: int) -> str:
        text = " ".join(self.redactor.redact(str(value)).split())
        return f"`{escape(clip(text, limit)).replace('`', chr(39))}`" if text else "nothing"

    async def _safely(self, name: str, spec: CommandSpec | None, work: Awaitable[CommandAnswer]) -> CommandAnswer:
        try:
            return await work
        except ValidationError as problem:
            return CommandAnswer(outcome="invalid", line=misfit(spec, problem))
        except TriageError as problem:
            log.warning("the command %s: %s", name, problem)
            return CommandAnswer(outcome="failed", line=f"This did not work: {escape(clip(str(problem), 300))}")
        except Exception:
            log.exception("the command %s broke", name)
            return CommandAnswer(outcome="failed", line="This did not work; the log says why.")

    def _shown(self, answer: CommandAnswer) -> CommandAnswer:
        """Without secrets, and no longer than Slack shows well."""
        rows, left = [], LONGEST_ANSWER - len(answer.line)
        for row in answer.rows:
            left -= len(row) + 1
            if left < 0:
                rows.append("…")
                break
            rows.append(row)
        said = {"line": answer.line, "rows": rows, "blocks": [*answer.blocks]}
        safe: dict[str, Any] = self.redactor.value(said)
        return answer.evolve(
            line=clip(safe["line"], LONGEST_ANSWER), rows=tuple(safe["rows"]), blocks=tuple(safe["blocks"])
        )

    async def _audit(
        self,
        name: str,
        spec: CommandSpec | None,
        given: Mapping[str, Any],
        asker: Asker,
        answer: CommandAnswer,
        *,
        is_confirmed: bool = False,
    ) -> None:
        """One line: the catalogue's name, and the one used where that is another.

        A full disk keeps no command from an answer that changed nothing.
        """
        said = await beside(self._input, dict(given))
        used = await beside(self._recorded, name, LONGEST_WORD)
        record = {
            "kind": "command",
            "at": self.clock.now().isoformat(),
            **asker.model_dump(mode="json", exclude={"text"}),
            "action": spec.name if spec else used,
            "input": said,
            "takes_role": spec.role if spec else None,
            "tier": spec.tier if spec else None,
            "outcome": answer.outcome,
            "result": answer.line,
        }
        further = {"called": used} if spec and name != spec.name else {}
        if answer.confirmation:
            further["confirmation"] = answer.confirmation
        if is_confirmed:
            further["settled"] = "confirmed"
        if answer.is_unchanged:
            further["unchanged"] = "yes"
        changed = answer.outcome in _CHANGED and (spec is None or spec.tier != "read")
        try:
            await self.audit.append(record | further, may_be_lost=not changed)
        except RetryLater as problem:
            log.warning("`%s` of %s is not in the audit: %s", used, asker.user_id, problem)

    def _input(self, given: dict[str, Any]) -> dict[str, str]:
        """The first words of an input, as the audit has them."""
        return {self._recorded(key, LONGEST_WORD): self._recorded(value, 300) for key, value in [*given.items()][:10]}

    def _recorded(self, said: Any, limit: int) -> str:
        """A word of the input without secrets: one that was cut would not be known for one any more."""
        return clip(self.redactor.redact(str(said)), limit)

    def _unknown(self, name: str) -> str:
        said = escape(clip(" ".join(name.split()), LONGEST_WORD)).replace("`", "'")
        near = suggestion(name, all_names(self.catalogue))
        return f"There is no command `{said}`.{near} `help` lists them all."


def _must_wait(spec: CommandSpec, asker: Asker, *, tainted: bool) -> bool:
    """Return whether a press is waited for: a model's word is no person's, and its conversation may hold text of
    others."""
    by_model = asker.via == "chat" and spec.needs_press
    return spec.tier == "irreversible" or by_model or (tainted and spec.tier != "read")


def _typed_again(spec: CommandSpec, asked: Fact) -> str:
    """The name of the object, where the input has one; else the command's."""
    value = asked.model_dump(mode="json").get(spec.names) if spec.names else None
    return value.strip() if isinstance(value, str) and value.strip() else spec.name
