"""Presses, dialogs and commands that somebody made up, or made once: each in Slack's own shape, or almost.

They say that they come from people who may not, of drafts that are stale or of another question, of cards that are
dismissed, of commands that others wait for. What is signed or comes over the socket is Slack's word for who pressed, so
that nobody is let in by what is said further down in a payload.
"""

from __future__ import annotations

import copy
import itertools
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

Body = dict[str, Any]

TEAM = "T0SANDBOX"
STRANGERS = (
    *(("U0ANA", TEAM), ("U0GUEST", TEAM), ("U0NOBODY", TEAM), ("U0ALERTS", TEAM), ("U0TRIAGE", TEAM)),
    *(("U0OPS", "T0OTHER"), ("U0ADMIN", "T0OTHER"), ("u0ops", TEAM), ("U0OPS ", TEAM), ("", "")),
)
"""Who may decide nothing: a member, a guest, nobody known, bots, people of other workspaces, ids that look alike."""
ACTIONS = (
    *("approve", "approve_and_save", "post_anyway", "edit", "bounce", "answer", "take_over", "redraft", "stop"),
    *("dismiss", "was_posted", "post_again", "delegate", "show_note", "ask_owner", "settle", "delete"),
    *("propose_fix", "open_merge_request", "edit_request", "discard"),
)
DIALOGS: dict[str, dict[str, str]] = {
    "edit": {"text": "evilword instead"},
    "bounce": {"feedback": "evilword"},
    "answer": {"answer": "evilword"},
    "dismiss": {"reason": "answered", "text": "evilword"},
    "delegate": {"to": "U0ANA"},
    "edit_request": {"title": "evilword", "description": "evilword"},
}
ORDERS = (
    *("stop", "pause", "resume", "mode C0HELP silent", "allow 100", "create_project x /etc", "pause_project shop"),
    *("delete_project shop", "set_project_channel shop general", "write_note Evil evilword", "queue", "config"),
)
STRANGE: tuple[Any, ...] = (None, 5, "", [], {}, ["U0OPS"], {"id": "U0OPS"}, "U0OPS", "x" * 5_000, True)


@dataclass
class Forger:
    """Makes bodies; each of another moment, unless it is to be the same."""

    numbers: Iterator[int] = field(default_factory=lambda: itertools.count(1))

    def press(self, user: str, team: str, action: str, value: Any, *, channel: str = "D0OPS") -> Body:
        """A press of a button of a message."""
        number = next(self.numbers)
        told = {"type": "button", "action_id": action, "block_id": "b", "value": value}
        return self._common_keys("block_actions", user, team) | {
            "container": {"type": "message", "message_ts": "1.000001", "channel_id": channel, "is_ephemeral": False},
            "channel": {"id": channel, "name": "forged"},
            "message": {"type": "message", "user": "U0TRIAGE", "ts": "1.000001", "text": "forged"},
            "actions": [told | {"action_ts": f"{number}.000001"}],
        }

    def chosen(self, user: str, team: str, value: str) -> Body:
        """What a card's menu carries."""
        body = self.press(user, team, "more", None)
        body["actions"][0] |= {"type": "overflow", "selected_option": {"value": value}}
        return body

    def on_home(self, user: str, team: str, action: str, value: str = "") -> Body:
        """A press on the App Home."""
        body = self.press(user, team, action, value)
        del body["channel"], body["message"]
        return body | {"container": {"type": "view"}, "view": {"id": "V0", "type": "home", "private_metadata": ""}}

    def dialog(self, user: str, team: str, callback: str, about: Any, values: dict[str, str]) -> Body:
        """A dialog as it is submitted."""
        given = {name: {name: {"type": "plain_text_input", "value": said}} for name, said in values.items()}
        view = {"id": f"V{next(self.numbers)}", "type": "modal", "callback_id": callback, "private_metadata": about}
        return self._common_keys("view_submission", user, team) | {"view": view | {"state": {"values": given}}}

    def command(self, user: str, team: str, text: str) -> Body:
        """A slash command."""
        about = {"team_id": team, "user_id": user, "user_name": "ops", "channel_id": "C0HELP"}
        return {"command": "/triage", "text": text, "trigger_id": f"{next(self.numbers)}.x", **about}

    def event(self, user: str, team: str, text: str) -> Body:
        """A message in the watched channel."""
        number = next(self.numbers)
        said = {"type": "message", "user": user, "team": team, "channel": "C0HELP", "channel_type": "channel"}
        return {
            "type": "event_callback",
            "team_id": team,
            "event_id": f"Ev{number}",
            "event_time": 1,
            "event": said | {"ts": f"1700000000.{number:06}", "text": text},
        }

    def _common_keys(self, kind: str, user: str, team: str) -> Body:
        who = {"id": user, "team_id": team, "username": "ops", "name": "ops"}
        own = {"trigger_id": f"{next(self.numbers)}.forged", "response_url": "http://127.0.0.1:9/forged"}
        return {"type": kind, "team": {"id": team, "domain": "x"}, "user": who, "api_app_id": "A0TRIAGE", **own}


@dataclass(frozen=True)
class Targets:
    """What is really there: values that buttons carry, of a card that waits, one that is dismissed and a command."""

    waits: str
    dismissed: str
    confirmation: str
    cancelled: str


def forgeries(made: Forger, on: Targets) -> Iterator[tuple[str, Body]]:
    """All of them, each with a word on what is wrong with it."""
    yield from _of_strangers(made, on)
    yield from _of_stale_drafts(made, on)
    yield from _of_commands(made, on)
    yield from _misshapen(made, on)


def _of_strangers(made: Forger, on: Targets) -> Iterator[tuple[str, Body]]:
    for user, team in STRANGERS:
        who = f"by {user or 'nobody'} of {team or 'nowhere'}"
        for action in ACTIONS:
            yield f"{action} {who}", made.press(user, team, action, on.waits)
        yield f"menu {who}", made.chosen(user, team, f"approve {on.waits}")
        for name, values in DIALOGS.items():
            yield f"dialog {name} {who}", made.dialog(user, team, name, on.waits, values)
        for action in ("home_pause", "home_resume", "home_approve"):
            yield f"{action} {who}", made.on_home(user, team, action)
        if user not in ("U0ANA", "U0ALERTS", "U0TRIAGE"):  # whose words in a channel are a member's, or a program's
            for order in ORDERS:
                yield f"!triage {order} {who}", made.event(user, team, f"!triage {order}")
        for order in ORDERS:
            yield f"/triage {order} {who}", made.command(user, team, order)


def _of_stale_drafts(made: Forger, on: Targets) -> Iterator[tuple[str, Body]]:
    """By the operator, whose card names another draft by now, or is settled."""
    draft, nonce = on.waits.split(" ")
    thread, number = draft.rsplit("/", 1)
    other, other_nonce = on.dismissed.split(" ")
    values = (
        *(f"{draft} {other_nonce}", f"{other} {nonce}", f"{thread}/{int(number) + 1} {nonce}", f"{draft} {nonce[:-1]}"),
        *(f"{thread}/999 {nonce}", f"T0OTHER-{thread.partition('-')[2]}/{number} {nonce}", f"{draft} {'a' * 32}"),
        *(f"T0SANDBOX-C0GENERAL-1.000001/1 {nonce}", f"{draft}  {nonce}", f"{draft}\n{nonce}", draft, nonce, ""),
        *(on.dismissed, f"{draft.lower()} {nonce}", f"../{draft} {nonce}", f"{draft} {nonce} extra words"),
    )
    for value in values:
        for action in ("approve", "approve_and_save", "post_anyway", "redraft", "take_over", "stop", "ask_owner"):
            yield f"{action} of {value[-40:]!r}", made.press("U0OPS", TEAM, action, value)
        for name, said in DIALOGS.items():
            yield f"dialog {name} of {value[-40:]!r}", made.dialog("U0OPS", TEAM, name, value, said)


def _of_commands(made: Forger, on: Targets) -> Iterator[tuple[str, Body]]:
    """Confirm and Cancel of what the admin was asked, by everybody else; of what is cancelled or unknown, by them."""
    everybody = [(user, team) for user, team in (*STRANGERS, ("U0OPS", TEAM))]
    whose = [(*who, on.confirmation) for who in everybody]
    whose += [("U0ADMIN", TEAM, name) for name in (on.cancelled, "0" * 16, "", "x y", on.confirmation.upper() + "0")]
    for user, team, name in whose:
        for action in ("command_confirm", "command_cancel"):
            yield f"{action} of {name} by {user} of {team}", made.press(user, team, action, name)
        for typed in ("Deploys", "shop", ""):
            yield (
                f"{typed!r} typed for {name} by {user} of {team}",
                made.dialog(user, team, "command_confirm", name, {"typed": typed}),
            )


def _misshapen(made: Forger, on: Targets) -> Iterator[tuple[str, Body]]:
    """A member's press, dialog and command in which one part is missing or of another kind."""
    whole = (
        made.press("U0ANA", TEAM, "approve", on.waits),
        made.dialog("U0ANA", TEAM, "edit", on.waits, {"text": "evilword"}),
        made.dialog("U0ANA", TEAM, "command_confirm", on.confirmation, {"typed": "Deploys"}),
        made.command("U0ANA", TEAM, "stop"),
    )
    for body in whole:
        for path in _paths(body):
            for new in (..., *STRANGE):
                if not (path[-1] in ("user", "user_id") or path[-2:] == ("user", "id")) or new in (..., None, 5, ""):
                    yield (
                        f"{body.get('type', 'command')} with {'.'.join(map(str, path))} = {new!r}"[:90],
                        _replace_part(body, path, new),
                    )


def _paths(body: Any, above: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where something stands in a body."""
    pairs = body.items() if isinstance(body, dict) else enumerate(body) if isinstance(body, list) else ()
    for key, inner in pairs:
        yield (*above, key)
        yield from _paths(inner, (*above, key))


def _replace_part(body: Body, path: tuple[Any, ...], new: Any) -> Body:
    """A copy in which one part is another, or not there."""
    made = copy.deepcopy(body)
    inner: Any = made
    for key in path[:-1]:
        inner = inner[key]
    if new is ...:
        del inner[path[-1]]
    else:
        inner[path[-1]] = new
    return made
