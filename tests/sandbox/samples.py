"""Shapes of Slack's own samples, and the comparison of what the workspace sends with them.

A shape has the names and types of a sample's fields, without its values; `scripts/reduce_slack_samples.py` writes it.
A sample is a superset of what Slack sends: a key that it lacks is a key of an imaginary Slack.
"""

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parents[1] / "data/slack"

Json = dict[str, Any]

OPEN = {
    "blocks": "echoes what the app or the person wrote; tests of the limits hold it to Block Kit",
    "values": "the samples blank the state of a view to {}; its keys are the app's own block_ids and action_ids",
    "event_payload": "the app's own words; the samples blank it to {}",
}
"""Keys whose content is not compared, each with its reason."""

EXTRA = {
    "response_metadata": "Slack's pages show its messages with every error about arguments; few samples have it",
    "response_metadata.messages": "as above",
    "*.state.values": "shown on Slack's page of interaction payloads; the samples' state is empty",
    "event.metadata.event_payload": "the sample of the event has its type alone; Slack's page shows both",
    "event.app_id": "a bot's message has it in the sample of conversations.history; the event's sample is a person's",
    "event.bot_id": "as above; the sample of thread_broadcast is a person's",
    "event.bot_profile": "as event.bot_id",
    "event.message.app_id": "as event.app_id",
    "event.previous_message.app_id": "as event.app_id",
    "messages.subtype": "in the sample of conversations.history, not in that of conversations.replies",
    "messages.username": "as messages.subtype",
    "channel.user": "Slack's page of conversations.info shows it for direct messages; the sample is of a channel",
    "view.blocks": "the samples of views in payloads leave the blocks out; Slack's page of the payload shows them",
    "event.view.blocks": "as view.blocks",
    "response_urls": "shown on Slack's page of view_submission",
    "actions.selected_options": "shown on Slack's page of checkboxes and multi selects",
    "actions.selected_users": "as above, for multi_users_select",
    "actions.selected_channels": "as above, for multi_channels_select",
    "actions.selected_conversations": "as above, for multi_conversations_select",
    "actions.selected_date_time": "shown on Slack's page of datetimepicker",
}
"""Keys that the sample of the very payload lacks, each with where Slack does show them."""


@cache
def shapes(kind: str) -> Json:
    """Read the shapes of one kind: `api`, `events` or `interactions`."""
    read: Json = json.loads((FOLDER / f"{kind}.json").read_text())
    return read


def sample(kind: str, name: str) -> Json:
    """Return the shape of a sample by its kind and name."""
    shape: Json = shapes(kind)[name]
    return shape


def strangers(sent: Any, known: Any, path: str = "") -> Iterator[str]:
    """Yield the paths in `sent` that the sample does not know, or knows as another type."""
    if sent is None or path.rpartition(".")[2] in OPEN:
        return
    if isinstance(sent, dict) and isinstance(known, dict):
        for key, value in sent.items():
            inner = f"{path}.{key}".lstrip(".")
            if key in known:
                yield from strangers(value, known[key], inner)
            elif not _listed(inner):
                yield f"{inner}: not in the sample"
    elif isinstance(sent, list) and isinstance(known, list):
        for each in sent if known else ():
            yield from strangers(each, known[0], path)
    elif known != _type_name(sent):
        yield f"{path}: {type(sent).__name__}, in the sample {known}"


used: set[str] = set()
"""The exceptions that were needed so far."""


def _listed(path: str) -> bool:
    names = [each for each in EXTRA if each == path or (each.startswith("*") and f".{path}".endswith(each[1:]))]
    used.update(names)
    return bool(names)


def _type_name(value: Any) -> str:
    """Return JSON's name of a scalar's type."""
    if isinstance(value, bool):
        return "boolean"
    return {str: "string", int: "number", float: "number"}.get(type(value), type(value).__name__)
