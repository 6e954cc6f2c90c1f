"""From Slack's event to a message, by table."""

from __future__ import annotations

from typing import Any

import pytest

from bot.models.markup import fill_names, search_text, spell_out_mentions, strip_ids
from bot.models.message import Deletion, Edit, Message, normalise, plain_text


def event(**changes: Any) -> dict[str, Any]:
    """An `event_callback` body with a person's message."""
    inner = {"type": "message", "user": "U0ANA", "channel": "C0HELP", "ts": "1767600000.000100", "text": "hello?"}
    return {"type": "event_callback", "team_id": "T0SANDBOX", "event": inner | changes}


def test_a_message_keeps_what_the_specification_names() -> None:
    """Ids, names, time, text, mentions and sender come out as plain values."""
    made = normalise(event(text="<@U0TRIAGE> is &lt;b&gt; down?"), chat_names={"C0HELP": "help-platform"})
    assert isinstance(made, Message)
    assert made.model_dump(mode="json") == {
        "platform": "slack",
        "team_id": "T0SANDBOX",
        "chat_id": "C0HELP",
        "chat_name": "help-platform",
        "message_id": "1767600000.000100",
        "create_time": "2026-01-05T08:00:00.000100Z",
        "msg_type": "text",
        "content": "@U0TRIAGE is <b> down?",
        "thread_id": None,
        "sender": {"id": "U0ANA", "type": "user"},
        "mentions": ["U0TRIAGE"],
    }
    assert made.home == "T0SANDBOX-C0HELP-1767600000.000100"


def test_a_reply_belongs_to_its_thread() -> None:
    """A reply names its thread; the root of a thread is a message in the channel."""
    reply = normalise(event(thread_ts="1767500000.000001"), chat_names={})
    root = normalise(event(thread_ts="1767600000.000100"), chat_names={})
    assert isinstance(reply, Message)
    assert isinstance(root, Message)
    assert (reply.thread_id, reply.msg_type) == ("T0SANDBOX-C0HELP-1767500000.000001", "thread_reply")
    assert root.thread_id is None


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"subtype": "message_changed"}, id="an edit of nothing"),
        pytest.param({"subtype": "message_deleted", "deleted_ts": "../x"}, id="a deletion of nothing"),
        pytest.param({"subtype": "channel_join"}, id="a join"),
        pytest.param({"type": "reaction_added"}, id="a reaction"),
        pytest.param({"ts": "yesterday"}, id="a ts that is none"),
        pytest.param({"ts": "1/../../etc"}, id="a ts that is a path"),
        pytest.param({"ts": None}, id="no ts"),
        pytest.param({"channel": "../../x"}, id="a channel that is a path"),
        pytest.param({"text": 5}, id="a text that is none"),
        pytest.param({"thread_ts": {"a": 1}, "ts": 4}, id="shapes that Slack never sends"),
        pytest.param({"subtype": ["bot_message"]}, id="a subtype that is a list"),
    ],
)
def test_what_is_no_new_message_is_none(changes: dict[str, Any]) -> None:
    """Anything else is left alone, without an exception."""
    assert normalise(event(**changes), chat_names={}) is None


def test_a_body_without_an_event_is_no_message() -> None:
    """`app_rate_limited` has no inner event."""
    assert normalise({"type": "app_rate_limited"}, chat_names={}) is None


@pytest.mark.parametrize(
    "changes", [{"bot_id": "B1AA"}, {"subtype": "bot_message", "user": None}, {"bot_profile": {"id": "B1"}}]
)
def test_a_bots_message_is_a_bots(changes: dict[str, Any]) -> None:
    """A message by any bot says so."""
    made = normalise(event(**changes), chat_names={})
    assert isinstance(made, Message)
    assert made.sender.type == "bot"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("<https://x.org/a?b=1&amp;c=2>", "https://x.org/a?b=1&c=2"),
        ("<https://x.org|docs>", "docs (https://x.org)"),
        ("<mailto:a@x.org|a@x.org>", "a@x.org"),
        ("<#C0HELP|help-platform> <!here> <!subteam^S1|@oncall>", "#help-platform @here @oncall"),
        ("1 &lt; 2 &amp;&amp; 3 &gt; 2", "1 < 2 && 3 > 2"),
        ("&amp;lt;", "&lt;"),
        ("a <b", "a <b"),
    ],
)
def test_markup_becomes_plain_text(text: str, shown: str) -> None:
    """What is classified, searched and quoted is what a person reads."""
    assert plain_text(text) == shown


def test_an_edit_is_the_message_as_it_is_now() -> None:
    """The new text, under the old ts; an edit that changed no word is none."""
    inner = {"type": "message", "user": "U0ANA", "ts": "1767600000.000100", "text": "where?"}
    body = event(subtype="message_changed", hidden=True, message=inner, previous_message={**inner, "text": "whe"})
    made = normalise(body, chat_names={})
    assert isinstance(made, Edit)
    assert (made.message.content, made.message.message_id) == ("where?", "1767600000.000100")
    same = event(subtype="message_changed", message=inner, previous_message=inner)
    assert normalise(same, chat_names={}) is None


@pytest.mark.parametrize(
    "changes",
    [
        {"subtype": "message_deleted", "deleted_ts": "100.1", "previous_message": {"thread_ts": "99.1"}},
        {"subtype": "message_changed", "message": {"subtype": "tombstone", "ts": "100.1", "thread_ts": "99.1"},
         "previous_message": {"thread_ts": "99.1"}},
    ],
)  # fmt: skip
def test_a_deletion_names_the_message_and_its_thread(changes: dict[str, Any]) -> None:
    """A deleted message with replies leaves a tombstone; it is gone all the same."""
    made = normalise(event(**changes), chat_names={})
    assert isinstance(made, Deletion)
    assert (made.message_id, made.thread_id) == ("100.1", "T0SANDBOX-C0HELP-99.1")


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("@U0ABCDEF12 where is it? #C0ABCDEF12 :wave:", "where is it?"),
        ("what does @property do with #include and @UTC?", "what does @property do with #include and @UTC?"),
    ],
)
def test_of_an_old_text_only_what_is_surely_an_id_is_left_out(text: str, left: str) -> None:
    """Documents and records from before the markup was kept hold ids as words."""
    assert strip_ids(text) == left


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("<@U1>: where? cc <@U2>, <!subteam^S1|@oncall> <!here>", ": where?"),
        ("where? (see <#C1|deploys>) thx /cc <!subteam^S1>", "where? thx"),
        ("where? (cc: <@U1> und <@U2>)", "where?"),
        ("where? (schon in <#C1> gefragt)", "where?"),
        ("where?\uff08<#C1> \u3092\u53c2\u7167\uff09", "where?"),
        ("where (of parcels in <#C1>) is f(<@U1>)?\nsee\n<#C1>", "where (of parcels in ) is f ?\nsee"),
        ("in <#C1|deploys> `a :b:` and :b:", "in `a :b:` and"),
        ("std::vector::push a:b:c 10:30:15 :+1::skin-tone-2:", "std::vector::push a:b:c 10:30:15"),
        ("<!date^1^{date}|Monday> \U0001f44b\U0001f3fd \u2192 3", "Monday \u2192 3"),
        ("see <http://config.py|config.py> &lt;b&gt;", "see config.py <b>"),
    ],
)
def test_what_is_no_word_is_not_searched_for(text: str, asks: str) -> None:
    """Mentions, channels, groups and emoji; in code they are what they say."""
    assert search_text(text) == asks


def test_names_stand_in_the_place_of_ids() -> None:
    """What is no id stays; one that nobody could name is somebody."""
    names = {"U1": "Bob & Co", "C1": "", "U2": ""}
    assert (
        fill_names("@U1 @U2 in #C1 @UTC @U12 @U0ABCDEF99", names)
        == "@Bob & Co @someone in #a-channel @UTC @U12 @someone"
    )
    assert spell_out_mentions("<@U1> <@U2> in <#C1> <#C2|ops>", names) == "@Bob &amp; Co @someone in #a-channel #ops"
    assert fill_names("cc @S0ONCALL1", {"S0ONCALL1": ""}) == "cc @a-group"
    assert spell_out_mentions("cc <!subteam^S0ONCALL1> <!subteam^S2|@ops>", {}) == "cc @a-group @ops"
