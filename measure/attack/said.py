"""Bodies as Slack sends them, with a hostile string in the place of what people write, choose or are called."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from sandbox.models import Message, Person

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sandbox.workspace import Workspace

Body = dict[str, Any]
TEAM = {"id": "T0SANDBOX"}
MESSAGES, PARTS, COMMANDS, PRESSES, NAMES = (
    "messages, replies, direct messages, edits",
    "files, attachments, blocks",
    "slash commands",
    "values and ids of buttons, shortcuts, emoji",
    "names of people, bots, channels",
)


@dataclass
class Said:
    """Makes bodies; what a message's thread is read for stands in the workspace too."""

    workspace: Workspace
    number: int = 0
    turn: int = 0

    def list_all(self, text: str) -> Iterator[tuple[str, list[Body]]]:
        """For each input what comes in, in another form with each string."""
        self.turn += 1
        yield MESSAGES, self._message(text)
        yield PARTS, [self._part(text)]
        yield COMMANDS, [self.command(text if self.turn % 3 == 0 else f"{self._first_word(text)} {text}")]
        yield PRESSES, [*self._presses(text)]
        yield NAMES, [self._name(text)]

    def new_person(self) -> str:
        """A person who has said nothing yet: who has would ask after the question before."""
        self.number += 1
        who = f"U0P{self.number}"
        self.workspace.roster.people[who] = Person(who, f"Person {self.number}", "Member")
        room = self.workspace.conversations["C0HELP"]
        room.members = (*room.members[:6], who)
        return who

    def forget(self) -> None:
        """Take what was said out of the workspace, so that it grows no slower with each string."""
        for room in self.workspace.conversations.values():
            for kept in (room.messages, room.roots, room.threads):
                kept.clear()

    def event(self, event: Body) -> Body:
        """An event in its envelope."""
        self.number += 1
        known = {"type": "event_callback", "team_id": TEAM["id"], "api_app_id": "A0TRIAGE"}
        return {**known, "event_id": f"Ev{self.number}", "event_time": int(time.time()), "event": event}

    def message(self, text: str, channel: str = "C0HELP", user: str = "U0ANA", **parts: Any) -> Body:
        """A message that stands in the workspace."""
        ts, kind = self.workspace.next_ts(), "im" if channel.startswith("D") else "channel"
        blocks = parts.pop("blocks", None) or _blocks(text)
        known = {name: parts[name] for name in ("thread_ts", "files", "attachments") if name in parts}
        self.workspace.restore(Message(channel, ts, user, text, blocks, **known))
        said = {"type": "message", "user": user, "ts": ts, "text": text, "blocks": blocks}
        return {**said, **parts, "channel": channel, "channel_type": kind}

    def _message(self, text: str) -> list[Body]:
        match self.turn % 4:
            case 0:
                mentioned = self.message(f"<@U0TRIAGE> {text}"[:40_000])
                changed = self._edit(mentioned, f"{text} or not?"[-40_000:])
                reply = self.event(self.message(text, thread_ts=mentioned["ts"]))
                return [self.event(mentioned), changed, reply]
            case 1:
                return [self.event(self.message(text, channel="D0ANA"))]
            case 2:
                return [self.event(self.message(f"<@U0TRIAGE> {text}"[:40_000]))]
            case _:
                return [self.event(self.message(text, user="U0GUEST" if self.turn % 8 == 3 else "U0ANA"))]

    def _edit(self, before: Body, text: str) -> Body:
        self.number += 1
        after = {**before, "text": text, "blocks": _blocks(text), "edited": {"user": before["user"], "ts": "1.1"}}
        known = self.workspace.conversations[before["channel"]]
        known.put(replace(known.messages[before["ts"]], text=text, blocks=after["blocks"]))
        changed = {"type": "message", "subtype": "message_changed", "message": after, "previous_message": before}
        return self.event({**changed, "channel": before["channel"], "ts": self.workspace.next_ts()})

    def _part(self, text: str) -> Body:
        some, few = text[:4_000], text[:400]
        file = {"id": "F1", "name": some, "title": some, "pretty_type": some, "preview": text, "plain_text": some}
        small = {"id": "F2", "name": few, "title": few, "pretty_type": few, "preview": some}
        attached = {"text": text, "title": some, "pretext": some, "fallback": some, "author_name": some}
        fields = [{"title": few, "value": few}] * 100
        shared = {"is_share": True, "author_subname": some, "text": text, "message_blocks": []}
        asked = "<@U0TRIAGE> where is this set?"
        match self.turn % 3:
            case 0:
                made = self.message(asked, files=[file, *[small] * 25], subtype="file_share")
            case 1:
                made = self.message(asked, attachments=[{**attached, "fields": fields}, shared, {"files": [file]}])
            case _:
                made = self.message(asked, blocks=_odd_blocks(text))
        return self.event(made)

    def command(self, text: str) -> Body:
        """An admin's `/triage` with these words."""
        self.number += 1
        asked = {"team_id": TEAM["id"], "user_id": "U0ADMIN", "channel_id": "C0HELP", "command": "/triage"}
        return {**asked, "text": text, "trigger_id": f"{self.number}.x", "api_app_id": "A0TRIAGE", "response_url": ""}

    def _first_word(self, text: str) -> str:
        """A command's name, so that what follows is read as its input."""
        names = ("find", "note", "notes", "ask", "route", "projects", "queue", "show", "search", "task", "why", "allow")
        return names[len(text) % len(names)]

    def _presses(self, text: str) -> Iterator[Body]:
        self.number += 1
        action = {"type": "button", "action_id": "approve", "block_id": text, "value": text, "action_ts": self._ts()}
        yield self._press(action)
        yield self._press({**action, "action_id": text, "action_ts": self._ts()})
        menu = {**action, "type": "overflow", "selected_option": {"value": f"edit {text}"}, "action_ts": self._ts()}
        yield self._press(menu)
        shortcut = {"type": "message_action", "team": TEAM, "user": {"id": "U0OPS"}, "channel": {"id": "C0HELP"}}
        said = {"type": "message", "user": "U0ANA", "ts": self.workspace.next_ts(), "text": text}
        yield {**shortcut, "callback_id": "ask", "message": said, "trigger_id": self._ts(), "action_ts": self._ts()}
        item = {"type": "message", "channel": "C0HELP", "ts": self.workspace.next_ts()}
        yield self.event({"type": "reaction_added", "user": "U0ANA", "reaction": text, "item": item, "item_user": text})

    def _press(self, action: Body) -> Body:
        where = {"channel": {"id": "C0HELP"}, "container": {"message_ts": "1.1", "is_ephemeral": True}}
        known = {"type": "block_actions", "team": TEAM, "user": {"id": "U0OPS"}, "trigger_id": self._ts()}
        return {**known, **where, "actions": [action], "response_url": "http://127.0.0.1:9/"}

    def _ts(self) -> str:
        self.number += 1
        return f"{self.number}.{self.number}"

    def _name(self, text: str) -> Body:
        self.number += 1
        who, bot = f"U0N{self.number}", f"B0N{self.number}"
        for user in (who, f"U0M{self.number}"):
            self.workspace.roster.people[user] = Person(user, text, text)
        room = self.workspace.conversations["C0HELP"]
        room.members = (*room.members[:6], who)
        asked = f"<@U0TRIAGE> where does <@U0M{self.number}|{text[:2_000]}> of <#C0X|{text[:2_000]}> set RETRY_LIMIT?"
        match self.turn % 4:
            case 0:
                profile = {"name": text, "id": bot}
                return self.event(self.message(asked, user=who, bot_id=bot, bot_profile=profile, username=text))
            case 1:
                return self.event({"type": "channel_rename", "channel": {"id": "C0HELP", "name": text, "created": 1}})
            case 2:
                known = {"id": who, "real_name": text, "profile": {"title": text}}
                return self.event({"type": "user_change", "user": known})
            case _:
                return self.event(self.message(asked, user=who))


def _blocks(text: str) -> list[Body]:
    """What Slack's own editor makes of a text."""
    section = {"type": "rich_text_section", "elements": [{"type": "text", "text": text}]}
    return [{"type": "rich_text", "block_id": "b", "elements": [section]}]


def _odd_blocks(text: str) -> list[Body]:
    """Blocks of every kind, deep ones among them."""
    inner: Body = {"type": "rich_text_section", "elements": [{"type": "link", "url": text, "text": text}]}
    deep: Body = inner
    for _ in range(100):
        deep = {"type": "rich_text_list", "elements": [deep]}
    cell = {"type": "raw_text", "text": text[:400]}
    return [
        {"type": "rich_text", "elements": [inner, {"type": "emoji", "name": text}, {"type": "rich_text_quote"}]},
        {"type": "section", "text": {"type": "mrkdwn", "text": text}, "fields": [{"text": text[:2_000]}] * 10},
        {"type": "context", "elements": [{"type": "mrkdwn", "text": text[:3_000]}] * 10},
        {"type": "header", "text": {"type": "plain_text", "text": text}},
        {"type": "markdown", "text": text},
        {"type": "table", "rows": [[cell] * 20] * 100},
        {"type": text[:200], "title": text, "elements": [{"text": text[:400]}] * 40},
        {"type": "rich_text", "elements": [deep]},
    ]
