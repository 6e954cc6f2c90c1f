"""The recorded answers of the demo: they hold against the code as it is, and nothing else is answered."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import aiohttp
import pytest

from bot.adapters.prices import PriceTable
from bot.cli.demo_guide import fit, introduce, introduce_replicas, list_hints, suggest_talk
from bot.cli.demo_projects import DEFECT_QUESTION, OTIS, QUESTIONS, write_demo
from bot.cli.recorded_answers import MODEL, NotRecorded, Recording, find_turn, list_orders, read_recordings
from bot.cli.recorded_model import build_message, list_events
from bot.config.settings import load
from bot.isolation import boundary
from bot.models.turn import Usage
from tests.cli.test_demo import demo
from tests.forks import ROOT
from tests.line.human import Human, shows
from tests.line.test_talk import answered

if TYPE_CHECKING:
    from pathlib import Path

TASK = '# The question, word for word\n\n⟦untrusted 1 source="slack"⟧\n{}\n⟦end 1⟧\n\nNothing: this is the first run.'
CITES = {"path": "a.py", "quote": "A = 1\nB = 2"}
TURNS = {
    "investigator": [{"calls": [{"name": "read_file", "input": {"path": "a.py"}}]}, {"answer": {"ref": "{ref}"}}],
    "chat": [{"calls": [{"name": "queue", "input": {}}]}, {"if_done": "So it is: {results}"}],
}
RECORDINGS = (Recording(question="What is A?", cites=CITES, turns=TURNS),)


def request(system: str, *texts: str, results: tuple[str, ...] = ()) -> dict[str, Any]:
    """A request of the Messages API: a person's texts, and below them what the tools of one turn gave."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": [{"type": "text", "text": text}]} for text in texts]
    if results:
        blocks = [{"type": "tool_result", "tool_use_id": "1", "content": result} for result in results]
        messages += [{"role": "assistant", "content": []}, {"role": "user", "content": blocks}]
    return {"model": MODEL, "system": [{"type": "text", "text": system}], "messages": messages}


INVESTIGATE = "You investigate one question from a team's chat."
CHAT = "You are Triage, a bot in a team's Slack."


def test_a_recorded_turn_cites_the_lines_as_they_were_read() -> None:
    """The code may have moved since; where it has changed there is no answer."""
    asked = TASK.format("what is A")
    assert find_turn(request(INVESTIGATE, asked), RECORDINGS)[0]["name"] == "read_file"
    (block,) = find_turn(request(INVESTIGATE, asked, results=("⟦⟧\n7\tA = 1\n8\tB = 2\n",)), RECORDINGS)
    assert block["text"] == '{"ref": "a.py:7-8"}'
    with pytest.raises(NotRecorded, match=r"a\.py has changed"):
        find_turn(request(INVESTIGATE, asked, results=("7\tA = 1\n8\tB = 3\n",)), RECORDINGS)


@pytest.mark.parametrize(
    ("system", "text"),
    [
        (INVESTIGATE, TASK.format("what is A, and why?")),
        (INVESTIGATE, TASK.format("what is A?").replace("Nothing: this is the first run.", "Name B, too.")),
        ("Answer with one word.", "Say pong."),
        (CHAT, "[from Ada]: what is B?"),
    ],
)
def test_nothing_else_is_answered(system: str, text: str) -> None:
    """Neither another question, nor a draft that was sent back, nor another agent."""
    with pytest.raises(NotRecorded, match="no recorded answer"):
        find_turn(request(system, text), RECORDINGS)


@pytest.mark.parametrize(
    ("system", "said"), [("You mend one defect in", "read_file"), ("Break this change. It", "pass")]
)
def test_the_agents_of_a_fix_are_known_by_its_defect(system: str, said: str) -> None:
    """Which stands in their task, in place of the question."""
    (recording,) = [each for each in read_recordings() if each.defect]
    task = f"# The defect\n\n⟦untrusted 1⟧\n{recording.defect}\n⟦end 1⟧\n\nIts place: returns.py:8-9"
    (block,) = find_turn(request(system, task), read_recordings())
    assert said in json.dumps(block)
    with pytest.raises(NotRecorded):
        find_turn(request(system, "# The defect\n\n⟦untrusted 1⟧\n⟦end 1⟧"), read_recordings())


@pytest.mark.parametrize(("outcome", "words"), [("done", "So it is: Two wait."), ("refused", "Two wait.")])
def test_the_chat_says_what_commands_have_done(outcome: str, words: str) -> None:
    """And not what was recorded, where one of them was not carried out."""
    result = f'⟦untrusted 1⟧\n{{"outcome": "{outcome}", "line": "Two wait."}}\n⟦end 1⟧'
    (block,) = find_turn(request(CHAT, "[from Ada]: what is A?", results=(result,)), RECORDINGS)
    assert block["text"] == words


def test_a_stream_has_the_whole_message() -> None:
    """Its blocks, the reason of its end, and the tokens estimated from its length."""
    body = request(INVESTIGATE, "x" * 4_000)
    call = {"type": "tool_use", "id": "1", "name": "read_file", "input": {"path": "a.py"}}
    events = list_events(build_message(body, [{"type": "text", "text": "I look."}, call]))
    assert [event["delta"] for event in events if event["type"] == "content_block_delta"] == [
        {"type": "text_delta", "text": "I look."},
        {"type": "input_json_delta", "partial_json": '{"path": "a.py"}'},
    ]
    assert (events[-2]["delta"]["stop_reason"], events[-2]["usage"]["input_tokens"] > 1_000) == ("tool_use", True)


def test_the_name_of_the_model_says_recorded_and_has_a_price() -> None:
    """So that cards, evidence and costs are marked."""
    assert "recorded" in MODEL
    assert PriceTable().cost(MODEL, Usage(input_tokens=1_000, output_tokens=100))


@pytest.mark.parametrize("width", [40, 60, 130])
def test_the_introduction_fits_the_terminal(tmp_path: Path, width: int) -> None:
    """With whole words below their heading; a pipe has the lines as they are."""
    text = introduce(load(write_demo(tmp_path, "http://127.0.0.1:1", MODEL)), "http://127.0.0.1:2", tmp_path, 1, None)
    shown = fit(text, width)
    assert [line for line in shown.split("\n") if len(line) > width and len(line[10:].split()) > 1] == []
    assert (shown.split(), fit(text, None)) == (text.split(), text)
    assert "\n  Try     As Ana, " in shown


def test_the_state_of_replicas_is_their_database(tmp_path: Path) -> None:
    """The home has only what is each one's own; one bot keeps everything in it."""
    settings = load(write_demo(tmp_path, "http://127.0.0.1:1", MODEL))
    shown = introduce_replicas(settings, "http://127.0.0.1:2", tmp_path, 2, None)
    assert (
        f"\n  State   a PostgreSQL database of the demo; what each replica has of its own is in {tmp_path}\n" in shown
    )
    assert f"\n  State   {tmp_path}\n" in introduce(settings, "http://127.0.0.1:2", tmp_path, 1, None)


def test_hints_fit_the_settings(tmp_path: Path) -> None:
    """What is suggested to write to the bot is recorded, or needs no model; without an admin nothing is."""
    recorded = load(write_demo(tmp_path / "one", "http://127.0.0.1:1", MODEL))
    assert {each.question for each in read_recordings()} >= set(QUESTIONS)
    assert all(order in suggest_talk(recorded) for order in list_orders())
    assert "recorded" in introduce(recorded, "http://127.0.0.1:2", tmp_path, 1, None)
    plain = load(write_demo(tmp_path / "two"))
    assert "Without a model" in suggest_talk(plain)
    assert "recorded" not in introduce(plain, "http://127.0.0.1:2", tmp_path, 1, None)
    config = tmp_path / "triage.yml"
    config.write_text("watched_chats: [{chat_id: C0HELP}, {chat_id: C0ELSEWHERE}]\nprojects: {docs: {root: .}}\n")
    assert suggest_talk(load(config)) == ""
    assert "Talk" not in introduce(load(config), "http://127.0.0.1:2", tmp_path, 1, None)
    assert list_hints(load(config)) == {"C0HELP": "Ask about docs: the draft goes to the operator of the settings."}


@pytest.mark.parametrize(
    "recording", [each for each in read_recordings() if each.cites], ids=lambda each: each.question
)
def test_each_recording_cites_what_is_in_the_code(recording: Recording) -> None:
    """Word for word, once; a change of the code there needs another recording."""
    roots = (ROOT, ROOT / "bot" / "cli" / "demo_project", ROOT / "bot" / "cli" / "demo_returns")
    (path,) = [root / recording.cites["path"] for root in roots if (root / recording.cites["path"]).exists()]
    assert path.read_text().count(f"{recording.cites['quote']}\n") == 1


@pytest.mark.long
async def test_the_demo_plays_investigator_validator_chat_and_costs(tmp_path: Path) -> None:
    """Without a key; an unknown question goes to the keyword engine, and its card says why."""
    async with demo(tmp_path / "home") as (_, url, _):
        ana, olu, ada = Human(url, "U0ANA"), Human(url, "U0OPS"), Human(url, "U0ADMIN")
        assert (await ana.now())["notice"] == "The model's answers are recorded."
        await ana.say(QUESTIONS[0])
        await ana.say("how many kilos may the heaviest parcel have?", channel="C0SHARED")
        card = await olu.card("2000 milliseconds", "✓ validated", '"approve"')
        await olu.evidence(card, MODEL, "Recorded for the demo", "investigator $")
        await olu.card("*Without the model:*", "no recorded answer")
        assert await answered(ada, await ada.say(list_orders()[0], channel="D0ADMIN"), "for a decision", "tokens")
        asked = await ada.say(list_orders()[1], channel="D0ADMIN")
        assert shows(await answered(ada, asked, "until you resume it"), "paused")


@pytest.mark.long
@pytest.mark.skipif(not boundary().bwrap, reason=f"no boundary here: {boundary().problem}")
async def test_the_demo_mends_a_defect_up_to_its_merge_request(tmp_path: Path) -> None:
    """The check of the project fails before the change and passes after it; the demo's forge shows the draft."""
    async with demo(tmp_path / "home") as (_, url, _):
        ana, olu = Human(url, "U0ANA"), Human(url, "U0OPS")
        await ana.say(DEFECT_QUESTION)
        await olu.press("propose_fix", await olu.card("leaves out the last day", '"propose_fix"'))
        fix = await olu.card("open_merge_request", "+    return days <= RETURN_DAYS", "Take returns on the last day")
        await olu.press("open_merge_request", fix)
        opened = json.dumps(await olu.card("The merge request is open"))
        link = re.search(r"http://127\.0\.0\.1:\d+/demo/returns/-/merge_requests/1", opened)
        assert link
        async with aiohttp.ClientSession() as session, session.get(link[0]) as page:
            assert "Draft: Take returns on the last day" in await page.text()


@pytest.mark.long
async def test_a_copy_of_the_settings_keeps_the_recordings_and_may_want_two_approvals(tmp_path: Path) -> None:
    """The server of the recorded answers is where the copy says; after Olu's press the card is for Otis."""
    home = tmp_path / "home"
    async with demo(home):
        pass
    config = home / "demo" / "mine.yml"
    text = (home / "demo" / "triage.yml").read_text()
    config.write_text(text.replace("approval:\n", "approval:\n  second_approver: true\n"))
    async with demo(home, "--config", str(config)) as (_, url, _):
        ana, olu, otis = Human(url, "U0ANA"), Human(url, "U0OPS"), Human(url, OTIS)
        asked = await ana.say(QUESTIONS[1])
        await olu.press("approve", await olu.card("After 5 days", "✓ validated", '"approve"'))
        await otis.press("approve", await otis.card("After 5 days", '"approve"'))
        assert len(await ana.replies(asked)) == 1
