"""Sentences that send the right way: which field and rule, the real reason, advice that helps whoever reads it."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from bot.chat.canned_replies import ORDERS_OF, format_failure, format_restart, format_stopped, format_usage_hint
from bot.commands.catalogue import CATALOGUE
from bot.commands.misfit import describe_invalid_input
from bot.decide.refusals import refusal_in_words
from bot.errors import NoKey, OverCap, Refused, Unreachable
from tests.decide.test_orders import KNOWN, PARSER

LINK = "https://x.slack.com/archives/C0HELP/p1700000000000100"


def said(command: str, **given: Any) -> str:
    """What is said of input that does not fit."""
    spec = CATALOGUE[command]
    with pytest.raises(ValidationError) as raised:
        spec.input.model_validate(given)
    return describe_invalid_input(spec, raised.value)


@pytest.mark.parametrize(
    ("command", "given", "words"),
    [
        ("metrics", {"days": "soon"}, "`days`: expected a whole number from 1 to 366."),
        ("metrics", {"days": "0"}, "`days`: expected a whole number from 1 to 366."),
        ("read_file", {"path": "a.py", "last": "x"}, "`last`: expected a whole number from 1 to 10,000,000."),
        ("read_note", {"title": "x" * 121}, "`title`: expected at most 120 characters."),
        ("read_note", {"title": "x", "previous": "maybe"}, "`previous`: expected true or false."),
        ("mode", {}, "`channel` is missing; `mode` is missing."),
        ("mode", {"channel": "x", "mode": "prevew"}, "expected live, preview or silent; the nearest is preview."),
        ("mode", {"channel": "x", "mode": "99"}, "`mode`: expected live, preview or silent."),
        ("status", {"word 1": "x"}, "These are more words than it takes; words in quotes are one word."),
    ],
)
def test_what_does_not_fit_names_each_field_and_its_rule(command: str, given: dict[str, str], words: str) -> None:
    """And how the command is used."""
    assert words in said(command, **given)
    assert f"Usage: `{command}" in said(command, **given)


@pytest.mark.parametrize("status", ["open", "soon", "opne", "pending-user", "approved", "99"])
def test_set_task_status_proposes_nothing_that_it_refuses(status: str) -> None:
    """It takes four statuses only."""
    words = said("set_task_status", task=LINK, status=status)
    assert "expected READY, BLOCKED, COMPLETED or FAILED" in words
    assert "nearest" not in words


@pytest.mark.parametrize(
    "problem",
    [
        Unreachable("the model's server cannot be reached"),
        NoKey("the model's server does not accept the key (401); see ANTHROPIC_API_KEY"),
        OverCap("the account at the model's server has no credit left", limit="account"),
        OverCap("a run may cost $2.00; $1.99 are spent", limit="run"),
        OverCap("the agents may cost $20.00 today", limit="day"),
        Refused("the model's server refuses the request (400)", code="400"),
        None,
    ],
)
def test_nobody_else_reads_of_servers_keys_and_sums(problem: Exception | None) -> None:
    """Operators and admins do, in their direct messages."""
    public = format_failure(problem, detailed=False)
    assert not [word for word in ("ANTHROPIC", "$", "allow", "the log") if word in public]
    assert "`/triage help`" in public


@pytest.mark.parametrize(("limit", "helps"), [("day", True), ("run", False), ("account", False)])
def test_allow_is_advised_only_where_it_helps(limit: Any, *, helps: bool) -> None:
    """It raises the day's cap, and no other."""
    assert ("/triage allow" in format_failure(OverCap("too much", limit=limit), detailed=True)) is helps


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("is_archived", "archived"),
        ("not_in_channel", "/invite"),
        ("missing_scope", "triage manifest"),
        ("token_revoked", "triage doctor"),
        ("msg_too_long", "Edit"),
        ("some_new_code", "Slack refused it: chat.postMessage: some_new_code"),
    ],
)
def test_a_refused_post_says_why_and_what_helps(code: str, words: str) -> None:
    """With Slack's own word for whoever looks it up."""
    told = refusal_in_words(Refused(f"chat.postMessage: {code}", code=code))
    assert words in told
    assert code in told


def test_what_triage_itself_holds_back_is_not_called_slacks_doing() -> None:
    """Such as a question for a channel that is not watched."""
    problem = Refused("this channel is not watched", code="not_watched")
    assert refusal_in_words(problem) == "this channel is not watched"


@pytest.mark.parametrize("place", ["watched", "silent", "unwatched", "direct"])
@pytest.mark.parametrize("role", ["member", "operator", "admin"])
@pytest.mark.parametrize("can_talk", [False, True])
def test_the_one_line_is_one_line_and_says_nothing_of_settings(place: Any, role: Any, *, can_talk: bool) -> None:
    """To nobody; it says of a channel what is true of it, and without a model which orders it does."""
    told = format_usage_hint(place, role=role, channels=["C0HELP"], can_talk=can_talk)
    assert "\n" not in told
    assert not [word for word in ("KEY", "triage.yml", "docs/", "model") if word in told]
    assert ("<#C0HELP>" in told) is (place in ("silent", "unwatched"))
    assert ("not watched" in told, "silent" in told) == (place == "unwatched", place == "silent")
    assert [order in told for order in ORDERS_OF[role]] == [not can_talk] * len(ORDERS_OF[role])


@pytest.mark.parametrize("role", ["member", "operator", "admin"])
def test_the_orders_that_the_line_names_are_orders(role: Any) -> None:
    """Which that person may give."""
    rank = ("member", "operator", "admin").index
    for text in ORDERS_OF[role]:
        order = PARSER.parse(text, KNOWN)
        assert order, text
        assert rank(CATALOGUE[str(order.command)].role) <= rank(role)


@pytest.mark.parametrize(("role", "words"), [("member", "the admin is then told"), ("admin", "`/triage resume`")])
def test_a_stop_is_told_in_words_for_its_reader(role: Any, words: str) -> None:
    """Who has the bot go on reads how."""
    assert words in format_stopped(role=role, is_question=True)


@pytest.mark.parametrize(
    ("done", "waiting", "told"),
    [
        ([], [], " No command had run. Ask again if you still need it."),
        (["Paused."], [], " Done until then:\n• Paused.\nAsk again only for what is missing."),
        (
            [],
            ["`mode`"],
            " Nothing was done until then.\nWaits for you to confirm: `mode`.\nAsk again only for what is missing.",
        ),
        (
            ["Paused."],
            ["`mode`", "`stop`", "`mode`"],
            " Done until then:\n• Paused.\nWaits for you to confirm: `mode`, `stop`.\n"
            "Ask again only for what is missing.",
        ),
    ],
)
def test_a_restart_names_what_was_done_and_what_waits_for_a_press(
    done: list[str], waiting: list[str], told: str
) -> None:
    """So that nobody says again what a button is there for."""
    assert format_restart(done, waiting=waiting).endswith(f"by myself.{told}")
