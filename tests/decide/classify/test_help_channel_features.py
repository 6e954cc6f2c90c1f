"""Openings in a channel for help and what is none there, by cause and in other trades than software."""

from __future__ import annotations

import pytest

from bot.decide.classify.classifier import compile_rules
from bot.decide.classify.features import feature_names
from bot.decide.classify.help_channel_features import derive_help_features
from bot.decide.classify.text import clean_text
from bot.models.context import MessageContext

RULES = compile_rules(bot_id="U0TRIAGE")
BEGINS = MessageContext(opens=True, is_away=True, for_help=True)
STARTS = {
    "asks of a thing, without a mark": [
        "which wards may order controlled drugs on weekends", "what counts as late arrival for year 9",
        "what is a T2 discrepancy", "who signs the hot work permit on saturdays", "was zählt als Nachtschicht",
        "which characters may an id contain",
    ],
    "a wrong state that lasts": [
        "theatre 3 thermometer pinned at 40 degrees for the last two hours", "I was billed twice for locker 204",
        "le capteur 4 affiche 0 depuis deux heures", "I was charged double hours on work order 55812",
    ],
    "a failure, whoever is named": ["@Mia the form on the intranet is broken", "the badge code does not open the gate"],
    "the line of an error alone": [
        "You're not authorized to alter the datastore", "This bookmarks already exists",
        "using both whitelist and blacklist is invalid", "must specify addr or https_addr or both",
        "Invalid JWT issued time", "provided invalid infohash",
        "Badge not recognised, contact your ward administrator", "Le patient est introuvable",
        "Ungültiges Datum", "El paciente ya existe", "A leitura já existe",
    ],
    "an invitation in words alone": ["anyone up for reviewing why dock pump 2 trips?"],
    "a request behind please": ["please reset the password for ward 6", "Bitte Zugang für Frau Kern einrichten"],
}  # fmt: skip
SILENT = {
    "words of an error in what people say": [
        "You're not allowed to bring dogs on friday, sorry folks", "Tom already exists in my heart",
        "the meeting room is already in use, sorry", "must see the new harbour film",
    ],
    "an invitation after a shift": [
        "Anyone up for football on thursday after shift?", "Anyone fancy a pint after the late shift?",
    ],
    "a welcome": [
        "please welcome Lars who joins us on monday", "Please give a big hand to Tom who joins the rendering team",
        "Souhaitons la bienvenue à Inès qui rejoint le bureau de prêt",
    ],
    "an answer to one person": [
        "@Jo that list is in the HR portal under forms", "@Lea die Liste liegt im Sekretariat",
        "<@U0TOM1> that one lives in the shared drive, folder builds",
    ],
    "a report of one's own work": [
        "Replacing the label printer in dock 4 now", "closed out the march reconciliation",
        "Tausche gerade den Filter in Halle 2", "Acabo de actualizar las notas de 5B",
    ],
    "a reminder to all": [
        "Please all remember to wear your harness", "Bitte denkt alle an die Stundenzettel",
        "por favor recuerden todos cerrar la caja antes de las seis",
    ],
}  # fmt: skip


@pytest.mark.parametrize(("expected", "texts"), [*(("actionable", each) for each in STARTS.values()),
                                                 *(("ambient", each) for each in SILENT.values())],
                         ids=[*STARTS, *SILENT])  # fmt: skip
def test_the_cause_decides_in_a_channel_for_help(expected: str, texts: list[str]) -> None:
    """Whatever the trade and the language."""
    wrong = [text for text in texts if RULES.classify_text(text, BEGINS).classification != expected]
    assert not wrong


def test_a_pleasant_text_that_asks_for_help_after_all() -> None:
    """Length and a matter of work outweigh the greeting; one of these is not enough."""
    found = {"long", "greeting", "thing", "question_at_end"}
    assert "after_all" in derive_help_features(found)
    for missing in ("long", "greeting", "thing", "question_at_end"):
        assert "after_all" not in derive_help_features(found - {missing}), missing


def test_the_hour_around_a_shift_makes_talk_no_work() -> None:
    """What is pleasant after the shift is no matter of the shift."""
    text = clean_text("the weather after the night shift was nice")
    mask = compile_rules(bot_id="U0TRIAGE").extractor.extract(text, for_help=True)
    assert "thing" not in feature_names(mask)
