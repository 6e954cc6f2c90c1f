"""Each question is looked up in what is known, before the engine starts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.line.test_secrets import Telling

if TYPE_CHECKING:
    from tests.line.conftest import Line


async def test_each_question_comes_with_earlier_answers(line: Line) -> None:
    """From the notes and from an approved reply of the channel; the second question of the day, too."""
    (line.folder / "shop" / "notes").mkdir()
    (line.folder / "shop" / "notes" / "refunds.md").write_text("# Refunds\n\nThe deadline of a refund is two days.\n")
    before = Telling("The refund deadline is two days.", evidence_refs=(), confidence="low")
    async with line.bot(engine=before):
        asked = await line.ana.say("hello, is there a deadline of a refund?")
        await line.olu.press("approve", await line.olu.card("two days", '"approve"'))
        await line.ana.replies(asked)
    settings = line.configure()
    project = settings.projects["shop"].model_copy(update={"knowledge": (line.folder / "shop" / "notes",)})
    engine = Telling("Two days.", evidence_refs=(), confidence="low")
    line.configure = lambda **_: settings.model_copy(update={"projects": {"shop": project}})  # type: ignore[method-assign]  # settings of this test
    async with line.bot(engine=engine):
        await line.ana.say("what is the deadline of a refund?")
        await line.olu.card("what is the deadline", '"approve"')
        await line.ana.say("and where is the deadline of a refund set?")
        await line.olu.card("where is the deadline", '"approve"')
    first, second = engine.asked
    assert {(place.source, place.in_project) for place in first.earlier} == {("knowledge", True), ("reply", False)}
    assert "notes/refunds.md:1-3" in [place.ref for place in first.earlier]
    assert "notes/refunds.md:1-3" in [place.ref for place in second.earlier]
