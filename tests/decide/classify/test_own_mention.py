"""Which mentions ask a question of their own, by table."""

from __future__ import annotations

from bot.decide.classify.classifier import compile_rules
from bot.decide.classify.own_mention import is_self_contained
from tests.tables import each_row

READER = compile_rules(bot_id="U0TRIAGE").extractor


@each_row(
    ("said", "is_own"),
    [
        ("where is Mount defined?", True),
        ("hi, which port does redis use", True),
        ("wo wird das Limit gesetzt?", True),
        ("comment changer le port ?", True),
        ("RETRY_LIMITはどこで設定されていますか？", True),
        ("MAX_CONNECTIONS کجا تعریف شده؟", True),
        ("can somebody tell me where sessions are stored?", True),
        ("and where is it tested?", False),
        ("und wo wird das getestet?", False),
        ("e nos testes?", False),
        ("what about the tests?", False),
        ("is that normal?", False),
        ("any idea?", False),
        ("I mean the async one", False),
        ("the build fails with exit 137", False),
        ("in redis", False),
    ],
)
def test_who_asks_again_with_a_whole_question_asks_another_one(said: str, is_own: bool) -> None:
    """What goes on with something, points to it or only adds to it belongs to it."""
    assert is_self_contained(said, READER) is is_own
