"""Which messages say nothing but that the bot shall be silent."""

from __future__ import annotations

import pytest

from bot.decide.addressing.mute_words import is_mute_request, load_mute_words

WORDS = load_mute_words(["!mute", "@bot mute", "..."], ())


@pytest.mark.parametrize(
    ("content", "silences"),
    [
        ("!mute", True),
        ("  !MUTE  ", True),
        ("@U0BOT mute", True),
        ("@U0BOT   mute.", True),
        ("Triage, be quiet!", True),
        ("Triage, sei still", True),
        ("triage、静かに。", True),
        ("@U0ANA mute", False),
        ("should we !mute this?", False),
        ("!mute please, it talks too much", False),
        ("mute", False),
        ("...", False),
        ("", False),
        ("!mute" + " " * 100_000 + ".", False),
    ],
)
def test_a_word_is_the_whole_message(content: str, *, silences: bool) -> None:
    """In any case and spacing, with or without a full stop, and with the bot's own mention."""
    assert is_mute_request(content, WORDS, bot_id="U0BOT") is silences


def test_only_the_packs_that_are_on_add_words() -> None:
    """A team's own words count in any language."""
    words = load_mute_words(["pssst"], ("en",))
    said = ("pssst", "triage, be quiet", "triage, sei still")
    assert [is_mute_request(word, words, bot_id="U0BOT") for word in said] == [True, True, False]
