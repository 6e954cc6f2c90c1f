"""Canaries: secrets planted where the bot reads, looked for where it writes. None arrives."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import aiohttp

from bot.models.findings import Assignment, EngineReport
from tests.builders import findings, reference
from tests.line.human import shows

if TYPE_CHECKING:
    from tests.line.conftest import Line

TOKEN = "".join(("gh", "p_", "z9Y8x7W6" * 5))
OTHER = "gl" + "pat-" + "z9Y8x7W6v5U4t3S2r1Q0"
QUESTION = "which token does the mirror of the shop use?"


async def sent(line: Line) -> str:
    """All that the bot has sent to Slack."""
    async with aiohttp.ClientSession() as session, session.get(f"{line.workspace.url}/calls") as answer:
        return json.dumps(await answer.json(), ensure_ascii=False)


def kept(line: Line) -> str:
    """All that the bot keeps of threads and replies."""
    return "".join(path.read_text() for path in (*(line.home / "state").iterdir(), line.home / "replies.ndjson"))


class Telling:
    """An engine that tells what it was given to tell; what it was asked is kept."""

    name = "telling"

    def __init__(self, draft: str, **changes: Any) -> None:
        self.draft, self.changes = draft, changes
        self.asked: list[Assignment] = []

    async def investigate(self, assignment: Assignment) -> EngineReport:
        """The same findings each time."""
        self.asked.append(assignment)
        found = findings(draft_reply=self.draft, investigator_round=assignment.round, **self.changes)
        return EngineReport(project="shop", engine=self.name, findings=found)


async def test_a_secret_in_the_code_stops_the_post(line: Line) -> None:
    """The card says so and shows it taken out; what is edited without it can be posted."""
    (line.folder / "shop" / "mirror.py").write_text(
        f'MIRROR_TOKEN = "{TOKEN}"  # the token of the mirror of the shop\n'
    )
    async with line.bot():
        asked = await line.ana.say(QUESTION)
        card = await line.olu.card("Held back", "a GitHub token", "mirror.py", "[redacted]", "Edit")
        assert not shows(card, '"approve"')
        assert not shows(card, '"post_anyway"')
        await line.olu.press("edit", card)
        dialog = await line.olu.dialog()
        assert TOKEN not in json.dumps(dialog)
        refused = await line.olu.submit(dialog, text=f"It is **{TOKEN[:9]}**{TOKEN[9:]}")
        assert refused["errors"]["text"].startswith("This holds what looks like a GitHub token.")
        await line.olu.submit(dialog, text="The one in the vault.")
        await line.olu.press("approve", await line.olu.card("The one in the vault", '"approve"'))
        assert len(await line.ana.replies(asked)) == 1
    assert TOKEN not in await sent(line) + kept(line)


async def test_a_value_that_a_cited_file_assigns_stops_the_post(line: Line) -> None:
    """Though no name stands beside it in the draft; what is edited without it can be posted."""
    value = "Tr0ub4" + "dor-3xQ7"
    (line.folder / "shop" / "mirror.py").write_text(f'limit = 3\nDB_PASSWORD = "{value}"\n')
    draft = f"It signs in with `{value}` and waits 3 s (mirror.py:1)."
    engine = Telling(draft, evidence_refs=(reference(ref="mirror.py:1", quote="limit = 3"),))
    async with line.bot(engine=engine):
        asked = await line.ana.say(QUESTION)
        card = await line.olu.card("Held back", "assign to a secret's name", "[redacted]", "Edit")
        assert not shows(card, '"approve"')
        await line.olu.press("edit", card)
        dialog = await line.olu.dialog()
        refused = await line.olu.submit(dialog, text=f"It is {value[:5]}**{value[5:]}**")
        assert refused["errors"]["text"].startswith("This holds what looks like a value that")
        await line.olu.submit(dialog, text="The one in the vault.")
        await line.olu.press("approve", await line.olu.card("The one in the vault", '"approve"'))
        assert len(await line.ana.replies(asked)) == 1
    assert value not in await sent(line) + kept(line)


async def test_a_secret_in_the_question_is_not_shown_and_not_searched_for(line: Line) -> None:
    """Not on the card, where it would be cut in half, and not to the engine."""
    engine = Telling("Use the vault.", evidence_refs=(), confidence="low")
    async with line.bot(engine=engine):
        await line.ana.say(f"{'x' * 580} why is {OTHER} refused?")
        await line.olu.card("why is [redacted]", "Use the vault.")
    assert "[redacted]" in engine.asked[0].question
    assert OTHER[:14] not in await sent(line)


async def test_a_password_told_in_a_sentence_arrives_nowhere(line: Line) -> None:
    """Not at the engine, on the card, in the task's papers or in the name of their folder."""
    engine = Telling("Use the vault.", evidence_refs=(), confidence="low")
    async with line.bot(engine=engine):
        await line.ana.say("where is RETRY_LIMIT, my password: Topaz7" + "!kkOnyx22 is refused?")
        await line.olu.card("my password: [redacted] is refused", "Use the vault.")
    assert "password: [redacted] is" in engine.asked[0].question
    papers = [path for path in (line.home / "tasks").rglob("*") if path.is_file()]
    assert papers
    told = "".join(f"{path} {path.read_text()}" for path in papers) + await sent(line)
    assert "onyx22" not in told.lower()


async def test_a_secret_anywhere_in_findings_is_left_out(line: Line) -> None:
    """Draft, quote, notes and reasons: neither card nor state has it. A quote as the tools show it still stands."""
    (line.folder / "shop" / "mirror.py").write_text(f'MIRROR_TOKEN = "{TOKEN}"\nMIRROR = "eu"\n')
    quoted = reference(ref="mirror.py:1-2", quote=f'MIRROR_TOKEN = "{TOKEN}"\nMIRROR = "eu"')
    said: dict[str, Any] = {"confidence_reason": f"I saw {TOKEN}.", "research_notes": TOKEN, "evidence_refs": (quoted,)}
    async with line.bot(engine=Telling("It is in `mirror.py`.", **said)):
        asked = await line.ana.say(QUESTION)
        card = await line.olu.card("It is in", "checked", '"approve"')
        await line.olu.evidence(card, "[redacted]")
        await line.olu.press("approve", card)
        assert len(await line.ana.replies(asked)) == 1
    assert TOKEN not in await sent(line) + kept(line)
