"""Questions for a confirmation: what a command would do, saved, audited, and shown with its buttons to its asker."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from blocks.text import clip, escape
from bot.commands.buttons import REPLACED, find_origin, find_place, replace_buttons, show_buttons
from bot.commands.command import CommandAnswer, SealedRequest

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from bot.commands.command import CommandSpec
    from bot.commands.confirmations import Confirmations
    from bot.decide.redaction.redactor import Redactor
    from bot.models.fact import Fact
    from bot.models.interaction import Asker
    from bot.ports.slack import Chat

LONGEST_VALUE = 150
"""Characters of one input value that a confirmation repeats."""
LONGEST_IN_FULL = 3_500
"""Characters of the same where the press authorises what the input names."""


def build_seal(text: str) -> str:
    """Return a short digest of what was shown, for the name that confirms it in a terminal."""
    return hashlib.sha256(text.encode()).hexdigest()[:6]


@dataclass(frozen=True, kw_only=True)
class Question:
    """Question for a confirmation."""

    given: Mapping[str, Any]
    """Input that the confirmation keeps."""
    brief: str
    """Text of the answer to the command."""
    shown: str
    """Text above the buttons, and in a terminal."""
    word: str
    """Name that confirms it in Slack, if one is typed there."""
    terminal_word: str
    """Name that confirms it in a terminal: it changes with what is shown."""
    is_typed: bool
    """True if the name is typed in Slack, too."""

    def build_answer(self) -> CommandAnswer:
        """Build the answer in a terminal, where the name is given with the command again."""
        line, _, rest = self.shown.partition("\n")
        rows = (rest,) if rest else ()
        return CommandAnswer(outcome="asked", line=line, rows=rows, typed_again=self.terminal_word)


_CHANNEL = re.compile(r"<#([CG][A-Z0-9]{2,30})(?:\|[^<>|]*)?>")
"""A channel as Slack writes one that is named in a command."""


@dataclass(frozen=True, kw_only=True)
class ConfirmationQuestions:
    """Asks for confirmations. `url` is the address of the workspace."""

    confirmations: Confirmations
    chat: Chat
    redactor: Redactor
    url: str

    def build(
        self,
        spec: CommandSpec,
        request: Fact,
        arguments: Mapping[str, Any],
        effect: SealedRequest | str,
        *,
        is_sealed: bool = False,
    ) -> Question:
        """Build the question for a command with this input and this effect, as its preview describes it.

        With `is_sealed` the name that confirms it in a terminal changes with the text.
        """
        if isinstance(effect, SealedRequest):
            shown, word = f"{self._describe_effect(spec, arguments, '')}\n{effect.shown}", effect.typed_again
            return Question(
                given=effect.request.model_dump(mode="json"),
                brief=self._describe_effect(spec, arguments, effect.brief),
                shown=shown,
                word=word,
                terminal_word=f"{word}#{build_seal(shown)}" if effect.is_typed else word,
                is_typed=effect.is_typed,
            )
        text = self._describe_effect(spec, arguments, effect)
        word, is_irreversible = _confirmation_word(spec, request), spec.tier == "irreversible"
        return Question(
            given=arguments,
            brief=text,
            shown=text,
            word=word,
            terminal_word=f"{word}#{build_seal(text)}" if effect and (is_irreversible or is_sealed) else word,
            is_typed=is_irreversible,
        )

    async def ask(
        self, spec: CommandSpec, question: Question, asker: Asker, note: Callable[[CommandAnswer], Awaitable[None]]
    ) -> CommandAnswer:
        """Save the confirmation, audit it by `note`, and post its buttons to the asker in a direct message."""
        if spec.sealed and spec.names:
            name, value = spec.names, question.given.get(spec.names)
            await self._replace(spec, asker, lambda pending: pending.get(name) == value)
        place = await find_place(self.chat, asker)
        word = question.word if question.is_typed else None
        waiting = await self.confirmations.add(
            spec.name, question.given, asker, preview=question.shown, typed_again=word, buttons=place
        )
        where = "here" if place.channel == asker.channel_id else "in your direct message with Triage"
        rows = (f"It waits 15 minutes for <@{asker.user_id}> to confirm it; the buttons are {where}.",)
        fields = {"confirmation": waiting.confirmation_id, "typed_again": word}
        answer = CommandAnswer(outcome="asked", line=question.brief, rows=rows, **fields)
        await note(answer)  # before the button, which outlives a crash in between
        origin = find_origin(asker, url=self.url, redact=self.redactor.redact)
        await show_buttons(self.chat, self.confirmations, waiting, place, origin)
        return answer

    async def replace_earlier(self, spec: CommandSpec, arguments: Mapping[str, Any], asker: Asker) -> None:
        """Replace this person's earlier confirmations of the same command and input, whose buttons would repeat it."""
        request = spec.input.model_validate(dict(arguments)).model_dump()

        def is_same(pending_arguments: Mapping[str, Any]) -> bool:
            try:
                before = spec.input.model_validate(dict(pending_arguments)).model_dump()
            except ValidationError:
                return False
            if not (before.get("project") and request.get("project")):  # an unnamed project may be the same one
                return {**before, "project": None} == {**request, "project": None}
            return before == request

        await self._replace(spec, asker, is_same)

    async def _replace(self, spec: CommandSpec, asker: Asker, is_same: Callable[[Mapping[str, Any]], bool]) -> None:
        for before in await self.confirmations.replace(spec.name, asker.user_id, is_same):
            await replace_buttons(self.chat, self.confirmations, before, f"`{spec.name}`: {REPLACED}")

    def _describe_effect(self, spec: CommandSpec, arguments: Mapping[str, Any], effect: str) -> str:
        """Describe the effect with the input: shortened, but in full if the press authorises what the input names."""
        limit = LONGEST_IN_FULL if spec.needs_press or spec.always_asks else LONGEST_VALUE
        words = "; ".join(
            f"{name}: {self._format_value(value, limit)}" for name, value in arguments.items() if value is not None
        )
        back = " Nothing takes it back." if spec.tier == "irreversible" else ""
        effect = f" {effect}" if effect else ""
        return f"*Not done yet:* `{spec.name}` {spec.summary}{f' ({words})' if words else ''}.{effect}{back}"

    def _format_value(self, value: Any, limit: int) -> str:
        text = " ".join(self.redactor.redact(str(value)).split())
        if channel := _CHANNEL.fullmatch(text):
            return f"<#{channel[1]}>"
        return f"`{escape(clip(text, limit)).replace('`', chr(39))}`" if text else "nothing"


def _confirmation_word(spec: CommandSpec, request: Fact) -> str:
    """Return the object's name from the input, else the command's name."""
    value = request.model_dump(mode="json").get(spec.names) if spec.names else None
    return value.strip() if isinstance(value, str) and value.strip() else spec.name
