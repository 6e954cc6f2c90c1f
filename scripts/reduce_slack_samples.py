"""Reduce Slack's published samples to the names and types of their fields, for the tests of the local workspace.

    python scripts/reduce_slack_samples.py SAMPLES TIERS

Slack publishes both in github.com/slackapi/java-slack-sdk: `json-logs/samples` and `rate_limit_tiers.json` below
`metadata/web-api`. The tests read the result in tests/data/slack; run this again when the workspace learns a method or
an event.
"""

import json
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from sandbox.rates import METHODS  # noqa: E402  # a script finds the packages beside its folder only now
from tests.sandbox.documented import ALWAYS, EVENTS, INTERACTIONS  # noqa: E402  # as for the first
from tests.sandbox.samples import FOLDER, OPEN  # noqa: E402  # as for the first

NOT_SENT = ("assistant_app_thread", "attachments", "list_metadata", "room", "shares")
"""Fields that the workspace does not send; most of a sample's size is in them."""

TYPES = {bool: "boolean", int: "number", float: "number", str: "string", type(None): "null"}


def reduced(value: Any, key: str = "") -> Any:
    """Return the shape of a JSON value: names of fields and names of types, and of a list its first item."""
    if key in OPEN:
        return "any"
    if key in NOT_SENT:
        return "not sent"
    if isinstance(value, dict):
        return {name: reduced(inner, name) for name, inner in sorted(value.items())}
    if isinstance(value, list):
        return [reduced(value[0])] if value else []
    return TYPES[type(value)]


def main() -> None:
    """Write the shapes of the samples that the tests name, and the tiers of the methods that the workspace limits."""
    samples, tiers = (Path(argument) for argument in sys.argv[1:3])
    names = {
        "api": ((method, f"api/{method}") for method in sorted(ALWAYS)),
        "events": ((name, f"events/{name}") for name in sorted(set(EVENTS.values()))),
        "interactions": ((path.rpartition("/")[2], f"app-backend/{path}") for path in sorted(INTERACTIONS)),
    }
    for kind, pairs in names.items():
        shapes = {name: reduced(json.loads((samples / f"{path}.json").read_text())) for name, path in pairs}
        (FOLDER / f"{kind}.json").write_text(json.dumps(shapes, indent=1) + "\n")
    published = json.loads(tiers.read_text())
    known = {method: published[method] for method in sorted(METHODS) if method in published}
    (FOLDER / "rate_limit_tiers.json").write_text(json.dumps(known, indent=1) + "\n")


if __name__ == "__main__":
    main()
