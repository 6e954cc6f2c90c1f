"""Wording for the chat agent: texts for its model have names and the reader's local times instead of ids.

A model can mention only those users and channels that its turn has shown to it (`chat/reply_poster`).
"""

from __future__ import annotations

import re
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from bot.models.bare_ids import candidates
from bot.models.markup import find_ids, plain_text, spell_out_mentions, spell_out_times

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bot.models.interaction import Asker
    from bot.triage.reader_clock import ReaderClock

TURNS = 200
"""Number of turns whose names are remembered."""

_LINK = re.compile(r"<(?P<url>https?://[^<>|]+)(?:\|(?P<label>[^<>]*))?>")


class NameLookup(Protocol):
    """Lookup of names (`triage/slack_names`)."""

    async def names(self, names_by_id: Mapping[str, str]) -> dict[str, str]:
        """Return the ids with their names, as far as they are known."""


@dataclass(kw_only=True)
class ChatWording:
    """Converter of texts. `clock` gives the reader's time zone."""

    naming: NameLookup
    clock: ReaderClock
    _mentionable: OrderedDict[str, dict[str, str]] = field(default_factory=OrderedDict)

    async def convert(self, mrkdwn: Sequence[str], asker: Asker) -> list[str]:
        """Convert Slack texts for the model of a turn: names, times, Markdown links, nothing escaped."""
        zone = await self.clock.time_zone_of(asker.user_id)
        names = await self.naming.names({each: name for text in mrkdwn for each, name in find_ids(text).items()})
        self.allow_mentions(asker, names)
        return [
            plain_text(_LINK.sub(_markdown, spell_out_times(spell_out_mentions(text, names), zone))) for text in mrkdwn
        ]

    def allow_mentions(self, asker: Asker, names: Mapping[str, str]) -> None:
        """Let the model of a turn mention these; a name shared by two ids is not used."""
        ids_by_name = self._mentionable.setdefault(asker.interaction_id, {})
        for each, name in names.items():
            if not name or each[0] not in "UWC":
                continue
            label = f"{'#' if each.startswith('C') else '@'}{name}"
            ids_by_name[label] = each if ids_by_name.get(label, each) == each else ""
        self._mentionable.move_to_end(asker.interaction_id)
        while len(self._mentionable) > TURNS:
            self._mentionable.popitem(last=False)

    def get_mentionable(self, asker: Asker) -> dict[str, str]:
        """Return the ids by name that the model of a turn may mention."""
        return {name: each for name, each in self._mentionable.get(asker.interaction_id, {}).items() if each}

    async def find_names(self, text: str, asker: Asker) -> dict[str, str]:
        """Return the names by id for the ids that a model has written into a text, as far as known."""
        mentionable = {each: name[1:] for name, each in self.get_mentionable(asker).items()}
        names = await self.naming.names({each: mentionable.get(each, "") for each in candidates(text)})
        return {each: name for each, name in names.items() if name}


def _markdown(link: re.Match[str]) -> str:
    return f"[{link['label']}]({link['url']})" if link["label"] else link["url"]
