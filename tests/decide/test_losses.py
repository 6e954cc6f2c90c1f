"""What a channel's description comes to, by table, and that each loss says what to do."""

from __future__ import annotations

from typing import Any

import pytest

from bot.decide.losses import (
    hint_of,
    in_plain_words,
    in_words,
    is_same,
    is_told_by_change,
    lost_of,
    on_card,
    over_in_words,
)
from bot.intake.record import event_record, read
from bot.models.loss import (
    UNHEARD_LOSSES,
    AppRemoved,
    ChannelChanged,
    Loss,
    LossKind,
    PersonChanged,
    read_app_removed,
    read_channel_changed,
    read_person_changed,
)
from tests.builders import T0

HERE = {"name": "help", "is_member": True}


def loss(kind: LossKind, name: str = "", subject: str = "C0HELP") -> Loss:
    """A loss of a channel."""
    return Loss(kind=kind, subject=subject, at=T0, name=name, code="user_disabled")


@pytest.mark.parametrize(
    ("channel", "hint", "known", "before", "kind"),
    [
        (HERE, "", "help", None, None),
        (HERE, "left", "help", None, None),
        (HERE | {"is_archived": True}, "", "help", None, "archived"),
        (HERE | {"is_archived": True, "is_frozen": True}, "unshared", "help", None, "frozen"),
        (HERE | {"is_archived": True, "is_member": False}, "left", "help", None, "archived"),
        (HERE | {"is_member": False}, "", "help", None, "left"),
        (None, "left", "help", None, "left"),
        (None, "deleted", "help", None, "deleted"),
        (None, "", "help", None, "unseen"),
        (HERE | {"name": "infra"}, "", "help", None, "renamed"),
        (HERE | {"name": "infra"}, "", "", None, None),
        (HERE | {"name": "infra"}, "", "infra", None, None),
        (HERE | {"name": "infra"}, "", "infra", loss("renamed", "infra"), "renamed"),
        (HERE, "", "infra", loss("renamed", "infra"), None),
    ],
)
def test_how_slack_describes_a_channel_says_what_is_lost(
    channel: dict[str, Any] | None, hint: str, known: str, before: Loss | None, kind: str | None
) -> None:
    """Events help only where Slack shows nothing; a name that was never another one is the settings' own affair."""
    assert lost_of(channel, hint=hint, named="help", last_name=known, before=before) == kind


@pytest.mark.parametrize(
    ("more", "kind"),
    [
        ({}, None),
        ({"is_private": False}, "public"),
        ({"is_ext_shared": True}, "shared"),
        ({"is_pending_ext_shared": True}, "shared"),
        ({"is_org_shared": True, "is_shared": True}, None),
        ({"is_ext_shared": True, "is_archived": True}, "archived"),
    ],
)
def test_a_channel_of_cards_is_lost_when_others_may_read_it(more: dict[str, Any], kind: str | None) -> None:
    """Another company, or everybody; a watched channel may be read by both."""
    channel = {"is_member": True, "is_private": True, "name": "cards"} | more
    said: dict[str, Any] = {"hint": "", "named": "", "last_name": "cards", "before": None}
    assert lost_of(channel, **said, has_cards=True) == kind
    assert lost_of(channel, **said) == (kind if kind == "archived" else None)


@pytest.mark.parametrize(
    ("before", "after", "same"),
    [
        (None, None, True),
        (None, loss("left"), False),
        (loss("left"), None, False),
        (loss("left"), loss("left"), True),
        (loss("left"), loss("unseen"), True),
        (loss("unseen"), loss("left"), True),
        (loss("unseen"), loss("deleted"), True),
        (loss("left"), loss("archived"), False),
        (loss("archived"), loss("deleted"), False),
        (loss("renamed", "a"), loss("renamed", "a"), True),
        (loss("renamed", "a"), loss("renamed", "b"), False),
    ],
)
def test_what_was_told_is_not_told_again(before: Loss | None, after: Loss | None, *, same: bool) -> None:
    """Neither where only its reason is known better; another name, or another fate, is news."""
    assert is_same(before, after) is same


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("left", "`/invite @Triage`"),
        ("archived", "Unarchive it"),
        ("frozen", "Take it out of `watched_chats`"),
        ("deleted", "Take it out of `watched_chats`"),
        ("unseen", "`/invite @Triage`"),
        ("renamed", "Write `name: infra`"),
        ("shared", "End the sharing"),
        ("public", "Make it private again"),
        ("scope", "install it again"),
        ("person", "Name somebody else in `watched_chats`"),
    ],
)
def test_each_loss_says_what_to_do(kind: LossKind, words: str) -> None:
    """In the notice; the card says only what keeps its reply from being posted."""
    told = in_words(loss(kind, "infra"), ["watched_chats"], ["U0ADMIN"])
    assert words in told
    assert over_in_words(told)
    assert bool(on_card(loss(kind))) is (kind in UNHEARD_LOSSES)
    assert "<" not in in_plain_words(told, {"C0HELP": "help"})


@pytest.mark.parametrize(
    ("kind", "end"),
    [
        ("left", "Write `/invite @Triage` in it."),
        ("archived", "Nothing can be posted there. Unarchive it."),
        ("frozen", "and nothing can be posted there."),
        ("deleted", "was deleted.* It is no longer watched."),
        ("unseen", "Write `/invite @Triage` in it."),
    ],
)
def test_a_channel_that_no_setting_names_is_taken_out_of_none(kind: LossKind, end: str) -> None:
    """A command created it."""
    assert in_words(loss(kind, "infra")).endswith(end)


def test_the_events_of_one_deed_come_together() -> None:
    """Whatever their order, what comes last in a channel's life counts."""
    assert hint_of(hint_of("", "left"), "deleted") == "deleted"
    assert hint_of(hint_of("", "archived"), "left") == "archived"
    assert hint_of("", "joined") == ""


@pytest.mark.parametrize(
    ("event", "read"),
    [
        ({"type": "member_left_channel", "user": "U0BOT", "channel": "C0HELP"}, ("left", "U0BOT")),
        ({"type": "member_joined_channel", "user": "U0ANA", "channel": "C0HELP"}, ("joined", "U0ANA")),
        ({"type": "channel_left", "channel": "C0HELP", "actor_id": "U0ANA"}, ("left", "")),
        ({"type": "group_archive", "channel": "C0HELP", "user": "U0ANA"}, ("archived", "")),
        ({"type": "channel_rename", "channel": {"id": "C0HELP", "name": "infra"}}, ("renamed", "")),
        ({"type": "channel_deleted", "channel": "C0HELP"}, ("deleted", "")),
        ({"type": "channel_shared", "channel": "C0HELP", "connected_team_id": "T0PARTNER"}, ("shared", "")),
        ({"type": "channel_unshared", "channel": "C0HELP", "is_ext_shared": False}, ("unshared", "")),
        ({"type": "channel_created", "channel": "C0HELP"}, None),
        ({"type": "channel_rename", "channel": ["C0HELP"]}, None),
    ],
)
def test_events_of_a_channels_life_are_read(event: dict[str, Any], read: tuple[str, str] | None) -> None:
    """Only of members it is said who; another form of one is none."""
    found = read_channel_changed({"event": event})
    assert found == (ChannelChanged(chat_id="C0HELP", change=read[0], user_id=read[1]) if read else None)


def test_a_persons_change_is_read() -> None:
    """By their id alone: nothing of their profile is kept."""
    event = {"type": "user_change", "user": {"id": "U0OPS", "profile": {"real_name": "Olu"}}, "cache_ts": 1}
    assert read_person_changed({"event": event}) == PersonChanged(user_id="U0OPS")
    assert read_person_changed({"event": {"type": "user_change", "user": "U0OPS"}}) is None
    assert read_person_changed({"event": {"type": "team_join", "user": {"id": "U0OPS"}}}) is None


@pytest.mark.parametrize(
    ("event", "user"),
    [
        ({"type": "user_change", "user": {"id": "U0OPS", "deleted": True}}, "U0OPS"),
        ({"type": "user_change", "user": {"id": "W0OPS", "profile": {"status_text": "away"}}}, "W0OPS"),
        ({"type": "team_join", "user": {"id": "U0OPS"}}, None),
        ({"type": "user_change", "user": "U0OPS"}, None),
        ({"type": "user_change", "user": {"id": "../x"}}, None),
    ],
)
def test_whose_account_changed_is_read(event: dict[str, Any], user: str | None) -> None:
    """By id alone, and the journal holds nothing of their profile."""
    body = {"type": "event_callback", "event_id": "Ev1", "event": event}
    changed = read_person_changed(body)
    assert (changed and changed.user_id) == user
    assert set(event_record(read(body, chat_names={}), body, received_at="now")) == {
        *("kind", "event_id", "received_at", "chat_id", "mode")
    }


def test_the_apps_removal_is_read() -> None:
    """Whose tokens they were, or all."""
    revoked = {"type": "tokens_revoked", "tokens": {"oauth": ["U0ANA"], "bot": ["U0BOT"]}}
    assert read_app_removed({"event": revoked}) == AppRemoved(user_ids=("U0BOT",))
    assert read_app_removed({"event": {"type": "app_uninstalled"}}) == AppRemoved()
    assert read_app_removed({"event": {"type": "message"}}) is None


@pytest.mark.parametrize(
    ("before", "after", "is_told"),
    [
        ("left", "archived", True),
        ("archived", "deleted", True),
        ("renamed", "left", False),
        ("shared", "public", False),
    ],
)
def test_a_notice_is_changed_in_place_while_the_channel_stays_unusable(
    before: LossKind, after: LossKind, is_told: bool
) -> None:
    """Its readers know already that nothing can be posted there."""
    assert is_told_by_change(loss(before), loss(after)) is is_told


def test_the_last_operator_who_is_lost_leaves_nobody() -> None:
    """The notice asks for another name; otherwise it says who goes on."""
    gone = loss("person", subject="U0OPS")
    assert "Nobody is left who could decide" in in_words(gone, ["operators"])
    assert "the other operators: <@U0BEN>." in in_words(gone, ["operators"], ["U0BEN"])
