"""Terminal commands: requests over the control socket, from the owner of the home directory.

The asker is the user that the request names, else the only admin of the settings; role and membership are checked as
for every other command.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pydantic import Field, ValidationError

from bot.commands.command import CommandAnswer, find_spec
from bot.commands.parsing import parse_words
from bot.models.fact import Fact
from bot.models.interaction import Asker
from bot.models.markup import find_ids, spell_out_mentions, spell_out_times
from bot.models.message import SlackId

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import tzinfo

    from bot.commands.handler import CommandHandler
    from bot.triage.slack_names import SlackNames


_LONGEST_USER = 60
_NO_USER = "Name the user by Slack's id, such as `--as U0123ABCD`; a name or nothing is none."
_NO_OBJECT = "expected one JSON object in a line"


class Request(Fact):
    """Request of a terminal."""

    words: tuple[str, ...] = ()
    """The command's name and its words, as split by the shell."""
    user: SlackId | None = None
    typed: str | None = Field(default=None, max_length=3_000)
    """Name typed to confirm the command, if it needs one."""


@dataclass(frozen=True, kw_only=True)
class TerminalCommands:
    """Answers requests. `admins` are those of the settings; `channel_names` has the names of watched channels, used if
    Slack gives none; times are shown in `zone`, by name."""

    handler: CommandHandler
    naming: SlackNames
    channel_names: Mapping[str, str]
    admins: Sequence[str]
    team_id: str
    zone: tzinfo

    async def answer(self, payload: Any) -> dict[str, Any]:
        """Execute a request; return the command's name, and its answer as mrkdwn without mentions and times."""
        try:
            request = Request.model_validate(payload)
        except ValidationError as problem:
            where = ".".join(str(part) for part in problem.errors()[0]["loc"])
            line = _NO_USER if where == "user" else f"The request is not valid: {where or _NO_OBJECT}."
            fields = payload if isinstance(payload, dict) else {}
            return await self._reject("", fields, str(fields.get("user") or ""), line)
        name, arguments = parse_words(request.words, self.handler.catalogue, self.handler.object_names)
        spec = find_spec(name, self.handler.catalogue)
        name = spec.name if spec else name
        user = request.user or (self.admins[0] if len(self.admins) == 1 else None)
        if user is None:
            line = "Name the user: --as and a Slack user id. The settings name no admin, or more than one."
            return await self._reject(name, arguments, "", line)
        asker = Asker(
            interaction_id=f"{user}-cli-{self.handler.clock.new_id()}",
            team_id=self.team_id,
            user_id=user,
            channel_id=user,
            via="cli",
        )
        answer = await self.handler.execute(name, arguments, asker, typed=request.typed)
        return _format_answer(name, await self._spell_out(answer))

    async def _reject(self, name: str, arguments: Mapping[str, Any], user: str, line: str) -> dict[str, Any]:
        """Record a request that does not get as far as a command, and return its answer."""
        answer = CommandAnswer(outcome="invalid", line=line)
        who = {"team_id": self.team_id, "user_id": self.handler.redactor.redact(user)[:_LONGEST_USER], "via": "cli"}
        await self.handler.record_rejected(name, arguments, who, answer)
        return _format_answer(name, answer)

    async def _spell_out(self, answer: CommandAnswer) -> CommandAnswer:
        """Replace mentions by names, and Slack's times by words, since a terminal renders neither."""
        names_by_id = await self.naming.names(find_ids(answer.text))
        names = {each: name or self.channel_names.get(each, each) for each, name in names_by_id.items()}
        line, *rows = (
            spell_out_times(spell_out_mentions(text, names), self.zone, named=True)
            for text in (answer.line, *answer.rows)
        )
        return answer.evolve(line=line, rows=tuple(rows))


def _format_answer(name: str, answer: CommandAnswer) -> dict[str, Any]:
    """Return the answer as JSON; the terminal converts its texts."""
    fields = {"outcome", "line", "rows", "table", "typed_again", "data"}
    return {"command": name, **answer.model_dump(mode="json", include=fields)}
