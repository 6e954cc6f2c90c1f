"""The baseline from the history of the watched channels, read through Slack's own calls."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from bot.cli.baseline import measure_slack
from bot.config.environment import Environment
from bot.decide.classify.classifier import compile_rules
from bot.decide.classify.stream_classifier import StreamClassifier

if TYPE_CHECKING:
    from tests.line.conftest import Line

ASKED = "how do I reset my password? it says 'account locked'"


async def test_the_history_of_watched_channels_is_the_baseline(line: Line) -> None:
    """Questions with their first answers in threads; nothing that came with the bot, and no other channel."""
    values: dict[str, Any] = {name.lower(): value for name, value in line.variables.items()}
    other = await line.ana.makes_channel("birds", "U0OPS", "U0TRIAGE", is_private=False)
    for channel in ("C0HELP", other):
        root = await line.ana.say(ASKED, channel=channel)
        await line.ana.say("anybody?", channel=channel, thread_ts=root)
        await line.olu.say("unlock it in the admin page", channel=channel, thread_ts=root)
    came = datetime.now(UTC) + timedelta(seconds=1)
    settings, env = line.configure(mode="live"), Environment(**values)
    baseline = await measure_slack(settings, env, StreamClassifier(compile_rules(bot_id="U0")), until=came)
    [channel_times] = baseline.channels
    assert (channel_times.channel, channel_times.name, len(channel_times.seconds)) == ("C0HELP", "help-platform", 1)
    assert baseline.source == "slack"
    assert baseline.until < came
