"""The handler: one door for every command, whoever it comes from. It authorises, validates, runs and audits.

Called by the desk for `/triage` and `!triage`. An answer never raises: what breaks is in the log and is said as such.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from blocks.text import clip, escape
from bot.assistant.commands.catalogue import CATALOGUE
from bot.assistant.commands.command import Answer, CommandSpec, Run
from bot.assistant.commands.words import LONGEST_WORD, nearest
from bot.errors import TriageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bot.assistant.commands.permission import Permission
    from bot.decide.redact import Redactor
    from bot.models.interaction import Asker
    from bot.ports import Clock, Journal

log = logging.getLogger(__name__)

LONGEST_ANSWER = 3_500
"""Characters of an answer; Slack recommends at most 4,000."""


@dataclass(frozen=True, kw_only=True)
class CommandHandler:
    """Executes commands. `runs` has a function for each name of the catalogue; `audit` is a journal."""

    runs: Mapping[str, Run]
    permission: Permission
    audit: Journal
    clock: Clock
    redactor: Redactor

    def __post_init__(self) -> None:
        """Raises `TypeError` when a command of the catalogue has no function, or a function no command."""
        if strange := self.runs.keys() ^ CATALOGUE.keys():
            raise TypeError(f"commands without a function, or the other way round: {sorted(strange)}")

    async def execute(self, name: str, given: Mapping[str, Any], asker: Asker) -> Answer:
        """Do the command `name` with this input for this person."""
        spec = CATALOGUE.get(name)
        answer = self._shown(await self._executed(name, spec, given, asker))
        await self.audit.append(self._audited(name, spec, given, asker, answer))
        return answer

    async def _executed(self, name: str, spec: CommandSpec | None, given: Mapping[str, Any], asker: Asker) -> Answer:
        try:
            if refusal := await self.permission.refusal(asker, spec.role if spec else "member"):
                return Answer(outcome="refused", line=refusal)
            if spec is None:
                return Answer(outcome="unknown", line=_unknown(name))
            return await self.runs[name](spec.input.model_validate(dict(given)), asker)
        except ValidationError as problem:
            return Answer(outcome="invalid", line=_misfit(spec, problem))
        except TriageError as problem:
            log.warning("the command %s: %s", name, problem)
            return Answer(outcome="failed", line=f"This did not work: {escape(clip(str(problem), 300))}")
        except Exception:
            log.exception("the command %s broke", name)
            return Answer(outcome="failed", line="This did not work; the log says why.")

    def _shown(self, answer: Answer) -> Answer:
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

    def _audited(
        self, name: str, spec: CommandSpec | None, given: Mapping[str, Any], asker: Asker, answer: Answer
    ) -> dict[str, Any]:
        said = {key[:LONGEST_WORD]: clip(str(value), 300) for key, value in [*given.items()][:10]}
        return {
            "kind": "command",
            "at": self.clock.now().isoformat(),
            **asker.model_dump(mode="json", exclude={"text"}),
            "action": name if spec else clip(self.redactor.redact(name), LONGEST_WORD),
            "input": self.redactor.value(said),
            "role": spec.role if spec else None,
            "tier": spec.tier if spec else None,
            "outcome": answer.outcome,
            "result": answer.line,
        }


def _unknown(name: str) -> str:
    said = escape(clip(" ".join(name.split()), LONGEST_WORD)).replace("`", "'")
    return f"There is no command `{said}`. The nearest is `{nearest(name, CATALOGUE)}`; `help` lists them all."


def _misfit(spec: CommandSpec | None, problem: ValidationError) -> str:
    """What was expected, in one line; what was typed is not repeated."""
    first = problem.errors()[0]
    word = escape(clip(".".join(str(part) for part in first["loc"]), LONGEST_WORD))
    match first["type"]:
        case "missing":
            said = f"`{word}` is missing"
        case "extra_forbidden":
            said = "these are more words than it takes"
        case _:
            text = escape(clip(first["msg"].removeprefix("Value error, "), 200))
            said = f"`{word}`: {text}" if word else f"{text[:1].upper()}{text[1:]}"
    return f"{said}. Usage: `{escape(spec.usage) if spec else ''}`".replace("Usage: ``", "")
