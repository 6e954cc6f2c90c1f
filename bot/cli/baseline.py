"""Baseline of `triage report`: answer times before Triage came, from an export or from the channels' own history."""

from __future__ import annotations

import sys
import time
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from bot.cli.message_source import open_source
from bot.cli.progress import ProgressBar
from bot.errors import Misconfigured
from bot.models.line_message import parse_line_message
from bot.reports.baseline import measure_baseline

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator
    from pathlib import Path

    from bot.adapters.slack import SlackChat
    from bot.config.environment import Environment
    from bot.config.sections.slack import WatchedChat
    from bot.config.settings import Settings
    from bot.decide.classify.stream_classifier import StreamClassifier
    from bot.models.baseline import Baseline
    from bot.models.line_message import LineMessage

HISTORY = timedelta(days=28)
"""Period before Triage's first message that is read from Slack."""


def measure_export(path: Path, classifier: StreamClassifier, *, until: datetime | None) -> Baseline:
    """Measure an export or an events file up to `until`. Raises `Misconfigured` if it has no message before that."""
    source, progress = open_source(path), ProgressBar(sys.stderr, time.monotonic)

    def read() -> Iterator[LineMessage]:
        for message in source:
            progress.show(source.done, source.size)
            if message is not None:
                yield message

    try:
        baseline = measure_baseline(read(), classifier, source=path.name, until=until)
    finally:
        progress.end()
    if baseline is None:
        before = f" before {until:%Y-%m-%d %H:%M} UTC, when Triage came" if until else ""
        raise Misconfigured(f"{path}: found no message{before}")
    return baseline


async def measure_slack(
    settings: Settings, env: Environment, classifier: StreamClassifier, *, until: datetime | None
) -> Baseline:
    """Measure the history of the watched channels in the four weeks before `until`, at which Triage came.

    Raises `Misconfigured` without a token or without any message, and `TriageError` if Slack refuses.
    """
    from bot.adapters.clock import SystemClock
    from bot.adapters.pace import Pacer
    from bot.adapters.slack import SlackChat
    from bot.adapters.slack.client import web_client

    if env.slack_bot_token is None:
        raise Misconfigured("SLACK_BOT_TOKEN: expected the bot's token in the environment; docs/install.md")
    pacer = Pacer(SystemClock(), scale=settings.slack.pace)
    chat = SlackChat(web_client(env.slack_bot_token.get_secret_value(), env.slack_api_url), pacer)
    came = until or datetime.now(UTC)
    messages = [
        message
        for channel in settings.watched_chats
        async for message in _read_channel(chat, channel, since=came - HISTORY, until=came)
    ]
    baseline = measure_baseline(messages, classifier, source="slack", until=came)
    if baseline is None:
        raise Misconfigured(f"no watched channel has a message in the four weeks before {came:%Y-%m-%d %H:%M} UTC")
    return baseline


async def _read_channel(
    chat: SlackChat, watched: WatchedChat, *, since: datetime, until: datetime
) -> AsyncIterator[LineMessage]:
    """Yield the messages of a channel and of the threads that began in it."""
    channel, name = watched.chat_id, watched.name or watched.chat_id
    oldest = f"{since.timestamp():.6f}"
    print(f"Reading #{name} …", file=sys.stderr, flush=True)  # noqa: T201  # progress
    for root in await chat.messages_since(channel=channel, oldest=oldest):
        replies = []
        if root.get("reply_count") and float(root["ts"]) < until.timestamp():
            replies = await chat.replies_since(channel=channel, thread_ts=root["ts"], oldest=oldest)
        for message in (root, *replies):
            try:
                line = parse_line_message({**message, "type": "message", "channel": channel})
            except ValueError:
                continue
            if line:
                yield line._replace(channel_name=name)
