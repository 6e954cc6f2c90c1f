"""The keyword engine after a bounce: what it keeps, what it takes out, and the definitions that it shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from bot.agents.bounced_drafts import Bounced, BouncedLines
from bot.agents.evidence import EvidenceChecker
from bot.decide.bounce.correction import Correction
from bot.models.reasons import BOUNCED
from tests.agents.test_keyword import ask, project
from tests.builders import findings, reference

if TYPE_CHECKING:
    from pathlib import Path

    from bot.models.findings import InvestigatorReturn

QUESTION = "how long does the client wait for an upload?"
CLIENT = "def wait_for_upload(client):\n    # the client waits for an upload\n    return client.wait(UPLOAD_TIMEOUT)\n"


def refs(findings: InvestigatorReturn) -> list[str]:
    return [reference.ref for reference in findings.evidence_refs]


async def test_what_was_not_named_stays(tmp_path: Path) -> None:
    """One reference is called wrong: it goes, in the next round too, and the others stay as they stood."""
    files = {f"upload{n}.py": f"def upload{n}():\n    # the client waits for an upload\n    return {n}\n" for n in "ab"}
    shop = project(tmp_path, files=files)
    first = (await ask(QUESTION, shop)).findings
    wrong, right = refs(first)[:2]
    said = {"feedback": f"{wrong} is wrong", "previous": first, "round": 2}
    second = (await ask(QUESTION, shop, **said)).findings
    assert right in refs(second)
    assert not any(ref.startswith(wrong.split(":")[0]) for ref in refs(second))
    third = (await ask(QUESTION, shop, feedback="show the default", previous=second, round=3)).findings
    assert right in refs(third)
    assert wrong not in refs(third)


@pytest.mark.parametrize(
    ("path", "text", "shows"),
    [
        (
            "settings.py",
            "class Settings:\n    upload_timeout: float = 30.0\n    other: int = 1\n",
            "upload_timeout: float = 30.0",
        ),
        ("limits.py", "UPLOAD_TIMEOUT = 30\n", "UPLOAD_TIMEOUT = 30"),
        ("conf.yml", "client:\n  upload:\n    timeout_seconds: 30\n", "timeout_seconds: 30"),
        ("conf.toml", "[client]\nupload_timeout = 30\n", "upload_timeout = 30"),
        ("conf.js", "const defaults = {\n  uploadTimeout: 30,\n};\n", "uploadTimeout: 30"),
        ("conf.go", "const (\n\tdefaultUploadTimeout = 30 * time.Second\n)\n", "30 * time.Second"),
        ("Conf.java", "class Conf {\n  static final long UPLOAD_TIMEOUT = 30;\n}\n", "UPLOAD_TIMEOUT = 30"),
        ("conf.rs", "pub const UPLOAD_TIMEOUT: Duration = Duration::from_secs(30);\n", "from_secs(30)"),
        ("docs/client.md", "# Upload\n\nThe upload timeout of the client defaults to 30 seconds.\n", "30 seconds"),
    ],
)
@pytest.mark.parametrize("feedback", ["show the default", "she wants the number"])
async def test_the_definition_is_shown(tmp_path: Path, path: str, text: str, shows: str, feedback: str) -> None:
    """In settings, constants, YAML, TOML, other languages and documents; the first place is the one that holds it."""
    shop = project(tmp_path, files={"client.py": CLIENT, path: text})
    previous = (await ask(QUESTION, shop)).findings
    if shows in previous.draft_reply:
        previous = (await ask("where does the client wait?", shop)).findings
    again = (await ask(QUESTION, shop, feedback=feedback, previous=previous, round=2)).findings
    assert shows in again.draft_reply
    checker = EvidenceChecker(shop.root)
    assert {(await checker.check(ref)).result for ref in again.evidence_refs} == {"ok"}


PURGE = "def other():\n    pass\n\n\ndef purge(keys):\n    keys.clear()\n"


@pytest.mark.parametrize("code", ["", "wrong_place"])
@pytest.mark.parametrize("said", ["db/purge.py:5 is the right place", "look at purge.py line 5", "falta db/purge.py:5"])
async def test_a_place_that_was_named_comes_first(tmp_path: Path, said: str, code: str) -> None:
    """Whatever of the question it holds; the lines that were named are no words to search for."""
    shop = project(tmp_path, files={"client.py": CLIENT, "db/purge.py": PURGE})
    first = (await ask(QUESTION, shop)).findings
    wrong = BOUNCED["wrong_place"][1] if code else ""
    report = await ask(QUESTION, shop, feedback=said, bounced_as=wrong, previous=first, round=2)
    assert refs(report.findings)[0] == "db/purge.py:5-6"
    assert not report.found_nothing


async def test_no_bounce_makes_more_references_than_a_draft_may_have(tmp_path: Path) -> None:
    """Each place that is named comes first, and what stood longest goes."""
    files = {
        f"upload{n}.py": f"def upload{n}():\n    # the client waits for an upload\n    return {n}\n" for n in range(9)
    }
    shop = project(tmp_path, files=files)
    before = (await ask(QUESTION, shop)).findings
    for n in range(9):
        before = (await ask(QUESTION, shop, feedback=f"see upload{n}.py:2", previous=before, round=2)).findings
    assert len(before.evidence_refs) == 8
    assert refs(before)[0] == "upload8.py:2-3"


async def test_words_that_prove_nothing_lose_no_draft(tmp_path: Path) -> None:
    """Words that the project does not hold, in whatever language: what was not refused stays."""
    shop = project(tmp_path, files={"client.py": CLIENT})
    first = (await ask(QUESTION, shop)).findings
    for said in ("рубашка совсем другая", "utterly daft rubbish", "完全滅茶苦茶"):
        report = await ask(QUESTION, shop, feedback=said, previous=first, round=2)
        assert (refs(report.findings), report.found_nothing) == (refs(first), False)


async def test_a_reason_that_says_nothing_of_the_content_finds_nothing_either(tmp_path: Path) -> None:
    """Tone, and a wish for less, on a card that found nothing; a place that is named is an answer."""
    shop = project(tmp_path, files={"client.py": CLIENT})
    question = "how long does the client wait for a kafka upload?"
    first = (await ask(question, shop)).findings
    nothing = first.evolve(evidence_refs=(await ask(QUESTION, shop)).findings.evidence_refs)
    for words in ({"bounced_as": BOUNCED["tone"][1]}, {"feedback": "zu lang"}):
        report = await ask(QUESTION, shop, **words, previous=nothing, round=2)
        assert (report.found_nothing, report.findings.confidence) == (True, "low")
    assert not (await ask(question, shop, feedback="see client.py:3", previous=nothing, round=2)).found_nothing


async def test_a_value_that_proves_no_word_of_the_question_is_not_shown(tmp_path: Path) -> None:
    """Another number that the cited lines name stays out, and lines are cited once."""
    text = "def keep(client):\n    # how many uploads the client keeps\n    return client.keep(UPLOADS, MAX_DOORS)\n"
    shop = project(tmp_path, files={"client.py": text, "a.py": "UPLOADS = 4\n", "b.py": "MAX_DOORS = 250\n"})
    question = "how many uploads does the client keep?"
    first = (await ask(question, shop)).findings
    again = (await ask(question, shop, feedback="the value is missing", previous=first, round=2)).findings
    assert "UPLOADS = 4" in again.draft_reply
    assert "250" not in again.draft_reply
    spans = [
        (span.path, line)
        for ref in refs(again)
        if (span := BouncedLines.parse(ref))
        for line in range(span.start, span.end + 1)
    ]
    assert len(spans) == len(set(spans))
    alone = (await ask(question, shop, feedback="keep only the first", previous=again, round=3)).findings
    assert refs(alone) == refs(again)[:1]


async def test_a_constant_is_followed_to_its_value(tmp_path: Path) -> None:
    """A field that takes its default from a constant leads to the constant, in whatever file it stands."""
    settings = "from limits import UPLOAD_WAIT\n\nclass Settings:\n    client_upload_timeout: float = UPLOAD_WAIT\n"
    shop = project(tmp_path, files={"client.py": CLIENT, "settings.py": settings, "limits.py": "UPLOAD_WAIT = 30\n"})
    previous = (await ask("where does the client wait?", shop)).findings
    again = (await ask(QUESTION, shop, feedback="show the default", previous=previous, round=2)).findings
    assert "UPLOAD_WAIT = 30" in again.draft_reply


async def test_a_short_enum_is_shown_whole(tmp_path: Path) -> None:
    """All of its members, not the best eight lines of them."""
    members = "".join(f"    STATE_{n} = '{n}'\n" for n in range(12))
    shop = project(tmp_path, files={"client.py": CLIENT, "states.py": f"class UploadState(Enum):\n{members}"})
    previous = (await ask("which states does an upload have?", shop)).findings
    said = {"feedback": "list all the values", "previous": previous, "round": 2}
    again = (await ask("which states does an upload have?", shop, **said)).findings
    assert all(f"STATE_{n} = " in again.draft_reply for n in range(12))


def test_what_was_moved_down_stays_down_over_all_rounds() -> None:
    """A second bounce, about something else, does not bring it back."""
    first = findings(evidence_refs=(reference(ref="a.py:1"),))
    down = Bounced.from_correction(first, Correction(demotes=True))
    second = findings(evidence_refs=(reference(ref="b.py:1"),), alternatives_dropped=down.dropped)
    assert Bounced.from_correction(second, Correction(demotes=True)).demoted == ("a.py:1", "b.py:1")
    assert Bounced.from_correction(second, Correction(asks_value=True)).demoted == ("a.py:1",)
