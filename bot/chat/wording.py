"""Wording for the chat agent: what code shows its model is told in names and on the reader's clock, not in ids.

`chat/reply_poster` asks whom a turn's model has been told of, and only those can be mentioned by it.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from bot.models.bare_ids import candidates
from bot.models.markup import dated, ids_in, plain_text, spelled

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bot.models.interaction import Asker
    from bot.triage.reader_clock import ReaderClock

TURNS = 200
"""Turns whose names are remembered."""

_LINK = re.compile(r"<(?P<url>https?://[^<>|]+)(?:\|(?P<label>[^<>]*))?>")


class NameLookup(Protocol):
    """Who knows names (`triage/slack_names`)."""

    async def names(self, known: Mapping[str, str]) -> dict[str, str]:
        """The same ids with their names, as far as they are known now."""


@dataclass(kw_only=True)
class ChatWording:
    """Puts texts into words. `clock` is the reader's."""

    naming: NameLookup
    clock: ReaderClock
    _given: OrderedDict[str, dict[str, str]] = field(default_factory=OrderedDict)

    async def words(self, mrkdwn: Sequence[str], asker: Asker) -> list[str]:
        """Texts of Slack's as the model of a turn reads them: names, times, Markdown links, nothing escaped."""
        zone = await self.clock.of(asker.user_id)
        names = await self.naming.names({each: name for text in mrkdwn for each, name in ids_in(text).items()})
        self.give(asker, names)
        return [plain_text(_LINK.sub(_markdown, dated(spelled(text, names), zone))) for text in mrkdwn]

    def give(self, asker: Asker, names: Mapping[str, str]) -> None:
        """Let the model of a turn mention these; a name that two go by stands for nobody."""
        given = self._given.setdefault(asker.interaction_id, {})
        for each, name in names.items():
            if not name or each[0] not in "UWC":
                continue
            shown = f"{'#' if each.startswith('C') else '@'}{name}"
            given[shown] = each if given.get(shown, each) == each else ""
        self._given.move_to_end(asker.interaction_id)
        while len(self._given) > TURNS:
            self._given.popitem(last=False)

    def given(self, asker: Asker) -> dict[str, str]:
        """The ids by name of those of whom the model of a turn was told."""
        return {name: each for name, each in self._given.get(asker.interaction_id, {}).items() if each}

    async def known(self, text: str, asker: Asker) -> dict[str, str]:
        """The names by id of those whose ids a model has written into a text, as far as somebody knows them."""
        told = {each: name[1:] for name, each in self.given(asker).items()}
        names = await self.naming.names({each: told.get(each, "") for each in candidates(text)})
        return {each: name for each, name in names.items() if name}


def _markdown(link: re.Match[str]) -> str:
    return f"[{link['label']}]({link['url']})" if link["label"] else link["url"]
