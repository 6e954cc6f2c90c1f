"""A bounce that helps: what an operator says of the references and of what is missing, on the whole line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.line.human import shows

if TYPE_CHECKING:
    from tests.line.conftest import Line

CLIENT = "def wait_for_upload(client):\n    # the client waits for an upload\n    return client.wait(UPLOAD_TIMEOUT)\n"
COPY = "def upload_again(client):\n    # the client waits for an upload once more\n    return client.again()\n"


async def test_a_bounce_takes_out_what_it_names_and_shows_the_value(line: Line) -> None:
    """One place is wrong: it goes and the other stays; the default that was asked for stands on the card."""
    (line.folder / "shop" / "client.py").write_text(CLIENT)
    (line.folder / "shop" / "copy_client.py").write_text(COPY)
    (line.folder / "shop" / "limits.py").write_text("UPLOAD_TIMEOUT = 30\n")
    async with line.bot():
        await line.ana.say("what does the client do while it waits for an upload?")
        await line.olu.press("bounce", await line.olu.card("copy_client.py", '"bounce"'))
        said = "copy_client.py is wrong, and Ana wants the default"
        assert (await line.olu.submit(await line.olu.dialog(), feedback=said, reason="wrong_place"))["ok"]
        card = await line.olu.card("UPLOAD_TIMEOUT = 30", '"approve"')
        assert not shows(card, "copy_client.py:1")
        assert shows(card, "client.py:1")
        await line.olu.press("bounce", await line.olu.card("UPLOAD_TIMEOUT = 30", '"bounce"'))
        said = "no, mira copy_client.py, línea 3"
        assert (await line.olu.submit(await line.olu.dialog(), feedback=said, reason="wrong_place"))["ok"]
        card = await line.olu.card("copy_client.py:3", '"approve"')
        assert not shows(card, "client.py:1")


async def test_what_was_refused_does_not_come_back_in_a_later_round(line: Line) -> None:
    """The example that a first bounce takes out is cited after the second one neither."""
    (line.folder / "shop" / "examples").mkdir()
    (line.folder / "shop" / "examples" / "main.py").write_text(COPY)
    (line.folder / "shop" / "client.py").write_text(CLIENT)
    async with line.bot():
        await line.ana.say("what does the client do while it waits for an upload?")
        assert shows(await line.olu.card("/1 ", '"bounce"'), "examples/main.py:")
        for number, said in enumerate(("not the example", "too long, shorter please"), start=1):
            await line.olu.press("bounce", await line.olu.card(f"/{number} ", '"bounce"'))
            assert (await line.olu.submit(await line.olu.dialog(), feedback=said, reason="wrong_place"))["ok"]
            card = await line.olu.card(f"/{number + 1} ", '"bounce"')
            assert not shows(card, "examples/main.py:")
        assert shows(card, "Nothing new was found: this repeats round 2, which was bounced.")
        assert str(card).index('"answer"' if '"answer"' in str(card) else "'answer'") < str(card).index("approve")
