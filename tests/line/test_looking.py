"""What a person looks at while they ask in a direct message, through real sockets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.line.test_commands import ADMINS, ada

if TYPE_CHECKING:
    from tests.line.conftest import Line
    from tests.line.human import Human, View

ASKED = "how often is a payment tried again?"


async def test_a_question_is_about_the_project_of_the_channel_that_its_asker_looks_at(line: Line) -> None:
    """The reply and the card say so; what was looked at stands in no file; who looks away asks as before."""
    parcels = line.folder / "parcels"
    parcels.mkdir()
    (parcels / "payments.py").write_text("PAYMENT_TRIES = 7  # how often a payment is tried again\n")
    async with line.bot(more=f"{ADMINS}\nprojects_below: [.]"):
        assert "Created `parcels`" in await ada(line).command(f"create_project parcels {parcels}")
        assert "go to `parcels` now" in await ada(line).command("set_project_channel parcels general")
        await line.ana.calls("context", channel="C0GENERAL")
        asked = await line.ana.say(ASKED, channel="D0ANA")
        assert "It is about `parcels`: #general, which you are looking at." in await answered(line.ana, asked)
        card = await line.olu.card('"approve"', "payments.py")
        await line.olu.evidence(card, "from parcels", "project by #general, which the asker looked at")
        assert "1 open task" in await answered(ada(line), await ada(line).say("open tasks", channel="D0ADMIN"))
        await ada(line).calls("context", channel="C0GENERAL")
        listed = await ada(line).say("what is open here?", channel="D0ADMIN")
        assert "0 open tasks in <#C0GENERAL>" in await answered(ada(line), listed)
        await line.ana.calls("context")
        again = await line.ana.say("how often is a payment tried again, please?", channel="D0ANA")
        assert "looking at" not in await answered(line.ana, again)
    assert "app_context" not in (line.home / "events.ndjson").read_text()


async def answered(person: Human, ts: str) -> str:
    """The first thing that the bot says below a message to it."""

    def found(view: View) -> str | None:
        said = [m for direct in view["dms"] for m in direct["messages"] if m["ts"] == ts and m["replies"]]
        return str(said[0]["replies"][0]["text"]) if said else None

    text: str = await person.sees(found)
    return text
