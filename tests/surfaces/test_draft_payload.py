"""Sealing drafts: no secret is sealed, in one piece or in several, and none leaves by another door."""

from __future__ import annotations

import json

import pytest

from blocks.card import build_card
from blocks.reply import reply
from bot.decide.redaction.redactor import REDACTED, Redactor
from bot.models import thread_event
from bot.models.findings import EvidenceSource
from bot.surfaces.draft_payload import make_draft, redact_thread, secrets_in
from bot.triage.delivery import Delivery
from tests.builders import step
from tests.decide.test_workflow import approved, pending, press
from tests.fakes import HandClock, MemoryJournal, RememberingChat

TOKEN = "".join(("gh", "p_", "a1B2c3D4" * 5))
LOADED = "a-loaded" + "-secret-0815"
REDACTOR = Redactor([LOADED])


@pytest.mark.parametrize(
    "text",
    [
        f"It is {TOKEN}.",
        f"It is `{LOADED}`.",
        f"It is **{TOKEN[:12]}**{TOKEN[12:]}.",
        f"It is `{LOADED[:6]}`_ _`{LOADED[6:]}`".replace("_ _", ""),
        f"```\n{TOKEN}\n```",
        f"- {TOKEN}\n- {LOADED}",
        "\u200b".join(TOKEN),
        f"**{LOADED[:4]}**`{LOADED[4:8]}`**{LOADED[8:]}**",
    ],
)
def test_no_way_of_writing_it_gets_a_secret_sealed(text: str) -> None:
    """Plain, as code, in bold halves, split by what nobody sees: it is taken out, and the draft is held back."""
    draft = make_draft(pending(), text, nonce="n", redactor=REDACTOR)
    assert draft.withheld
    assert secrets_in(draft.payload, REDACTOR) == ()
    assert TOKEN[:12] not in draft.payload
    assert REDACTED in draft.text


def test_a_clean_draft_is_sealed_as_it_is() -> None:
    """Nothing is held back and no letter changes."""
    draft = make_draft(pending(), "It is **3**, see `a.py:1`.", nonce="n", redactor=REDACTOR)
    assert (draft.withheld, draft.text) == (None, "It is **3**, see `a.py:1`.")


def test_a_secret_that_is_learned_after_the_card_holds_the_draft_back_on_the_next_one() -> None:
    """Without its value, and with nothing that could post it."""
    redactor, value = Redactor(), "Tr0ub4" + "dor-3xQ7"
    thread = pending().evolve(draft_pending=make_draft(pending(), f"It signs in with {value}.", nonce="n"))
    before, seen = redact_thread(thread, redactor), redactor.redact(f'DB_PASSWORD = "{value}"')
    shown = redact_thread(thread, redactor)
    assert before == thread
    assert REDACTED in seen
    card_of = json.dumps(build_card(shown, link="https://x"))
    assert (value in card_of, "Held back" in card_of, '"approve"' in card_of) == (False, True, False)


@pytest.mark.parametrize("anyway", [False, True])
def test_a_draft_that_is_held_back_cannot_be_approved(*, anyway: bool) -> None:
    """By no button, stale or not, nor by a bot that was started since and has not seen the value."""
    thread = pending()
    assert thread.draft_pending is not None
    held = thread.evolve(draft_pending=thread.draft_pending.evolve(withheld="a GitHub token"))
    held = type(held).model_validate_json(held.model_dump_json())
    assert not step(held, press(thread_event.Approve, held, anyway=anyway)).accepted
    stale = held.evolve(stale="something changed")
    assert not step(stale, press(thread_event.Approve, stale, anyway=anyway)).accepted


async def test_a_secret_loaded_since_the_approval_stops_the_post() -> None:
    """Delivery looks once more, with what it knows now."""
    thread = approved()
    chat, replies = RememberingChat(), MemoryJournal()
    delivery = Delivery(
        chat=chat,  # type: ignore[arg-type]  # the fake has what delivery calls
        replies=replies,
        clock=HandClock(),
        redactor=Redactor(["It is set in"]),
    )
    said = await delivery.post(thread, look_first=False)
    assert isinstance(said, thread_event.PostFailed)
    assert said.reason == "The reply was not posted: it holds what looks like a loaded secret"
    assert (chat.posted, replies.kept) == ([], [])


def test_every_draft_of_a_thread_links_to_its_sources() -> None:
    """The first one, which is sealed with those just found, and one that an operator edited later."""
    source = EvidenceSource(ref="bot/a.py:1", commit="0" * 40, url="https://code.example/a.py#L1")
    first = make_draft(pending(), "See `bot/a.py:1`.", nonce="n", sources=(source,))
    later = make_draft(pending().evolve(sources=(source,)), "It is in bot/a.py:1.", nonce="n", edited_by="U0OPS")
    without = make_draft(pending(), "See `bot/a.py:1`.", nonce="n")
    assert ["https://code.example" in each.payload for each in (first, later, without)] == [True, True, False]


def test_a_reference_cannot_carry_a_secret_past_the_look() -> None:
    """The words of a link are read as all others, so delivery would refuse them."""
    payload = json.dumps(reply(f"See {LOADED}:1.", {f"{LOADED}:1": "https://code.example/a.py#L1"}))
    assert secrets_in(payload, REDACTOR)
