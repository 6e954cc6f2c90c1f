"""Terminal commands: requests over the control socket, from the owner of the home directory.

The asker is the user that the request names, else the only admin of the settings; role and membership are checked as
for every other command.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pydantic import Field, ValidationError

from bot.commands.command import CommandAnswer
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

    async def answer(self, payload: dict[str, Any]) -> dict[str, Any]:
        """Execute a request; return `outcome`, `text`, `data`, and `typed_again` if a name must be typed first."""
        try:
            request = Request.model_validate(payload)
        except ValidationError as problem:
            where = ".".join(str(part) for part in problem.errors()[0]["loc"])
            return self._format_answer(CommandAnswer(outcome="invalid", line=f"The request is not valid: {where}."))
        user = request.user or (self.admins[0] if len(self.admins) == 1 else None)
        if user is None:
            line = "Name the user: --as and a Slack user id. The settings name no admin, or more than one."
            return self._format_answer(CommandAnswer(outcome="invalid", line=line))
        asker = Asker(
            interaction_id=f"{user}-cli-{self.handler.clock.new_id()}",
            team_id=self.team_id,
            user_id=user,
            channel_id=user,
            via="cli",
        )
        name, arguments = parse_words(request.words, self.handler.catalogue)
        answer = await self.handler.execute(name, arguments, asker, typed=request.typed)
        names = await self.naming.names(find_ids(answer.text))
        return self._format_answer(
            answer, {each: name or self.channel_names.get(each, each) for each, name in names.items()}
        )

    def _format_answer(self, answer: CommandAnswer, names: Mapping[str, str] | None = None) -> dict[str, Any]:
        """Return the answer with names and times in words, since a terminal renders no mentions or Slack dates."""
        text = spell_out_times(spell_out_mentions(answer.text, names or {}), self.zone, named=True)
        data = answer.data.model_dump(mode="json") if answer.data else None
        return {"outcome": answer.outcome, "text": text, "typed_again": answer.typed_again, "data": data}
