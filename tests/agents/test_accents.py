"""Words keep their accents: in what is searched for, in what is found, and in what is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from bot.agents.evidence import EvidenceChecker
from bot.agents.keyword import KeywordEngine
from bot.models.findings import Assignment
from bot.models.project import Project

if TYPE_CHECKING:
    from pathlib import Path

    from bot.models.findings import InvestigatorReturn


async def ask(root: Path, question: str, **files: str) -> InvestigatorReturn:
    """What the engine finds in a project of these files, each of whose references stands."""
    for name, text in {"other": "nothing here\n", **files}.items():
        (root / f"{name}.md").write_text(text)
    asked = Assignment(question=question, projects=(Project(name="shop", root=root),))
    found = (await KeywordEngine().investigate(asked)).findings
    for reference in found.evidence_refs:
        assert (await EvidenceChecker(root).check(reference)).result == "ok"
    return found


@pytest.mark.parametrize(
    ("question", "line"),
    [
        ("wo steht die Straße des Lagers?", "Die Straße des Lagers ist die Hafenstraße 4."),
        ("wie ist die größe vom Paket?", "Die GRÖSSE_MAX und Größe vom Paket sind 60."),
        ("qual é a ação depois do número errado?", "A Ação depois do Número errado é repetir."),
        ("où est le déjà vu du tampon?", "Le DÉJÀ_VU du tampon dure 3 s."),
        ("hvor er lagerhøjden sat?", "lagerhøjden er sat her"),
        ("gdzie jest ustawiona prędkość taśmy?", "prędkośćTaśmy jest ustawiona na 4"),
    ],
)
async def test_a_word_with_accents_is_found_and_shown_whole(tmp_path: Path, question: str, line: str) -> None:
    """In any case, and as a part of an identifier; what was looked for is shown as it was asked."""
    found = await ask(tmp_path, question, place=f"{line}\n")
    assert found.evidence_refs[0].ref.startswith("place.md:1")
    words = {word.lower().strip("?") for word in question.split()}
    looked = found.research_notes.splitlines()[0].removeprefix("searched for: ").split(", ")
    accented = [word for word in looked if not word.isascii()]
    assert accented
    assert {*accented} <= words


@pytest.mark.parametrize(
    ("question", "line"),
    [
        ("wo ist die Größe der Straße?", "groesse_der_strasse = 4"),
        ("wo ist die Größe der Straße?", "GrosseStrasse = 4"),
        ("qual é o número da configuração?", "numero_configuracao = 4"),
    ],
)
async def test_code_without_accents_is_found_too(tmp_path: Path, question: str, line: str) -> None:
    """As names of code are often written."""
    found = await ask(tmp_path, question, place=f"{line}\n")
    assert found.evidence_refs[0].ref.startswith("place.md:1")


@pytest.mark.parametrize(
    ("question", "line"),
    [
        ("wann oeffnet die acao-station in der strasse?", "Die Ação-Station an der Straße öffnet um 07:15"),
        ("gdzie jest predkosc tasmy?", "maxPrędkośćTaśmy = 4"),
        ("where is the uberlauf kept?", "ÜBERLAUF = 4"),
        ("kde je casovy limit pripojeni?", "Časový limit připojení je 5 s."),
        ("cau hinh thoi gian cho ket noi?", "cấu hình thời gian chờ kết nối là 5s"),
    ],
)
async def test_a_keyboard_without_accents_finds_words_with_them(tmp_path: Path, question: str, line: str) -> None:
    """In prose, in capitals and as a part of an identifier."""
    found = await ask(tmp_path, question, place=f"{line}\n")
    assert [reference.ref for reference in found.evidence_refs] == ["place.md:1"]


@pytest.mark.parametrize(("question", "first"), [("acao do numero?", "b.md:1"), ("ação do número?", "c.md:1")])
async def test_the_form_that_was_typed_stands_before_the_other(tmp_path: Path, question: str, first: str) -> None:
    """Both are found."""
    lines = ("acao do numero", "ação do número")
    found = await ask(tmp_path, question, b=f"{lines[0]}\n", c=f"{lines[1]}\n", a="\n")
    refs = [reference.ref for reference in found.evidence_refs]
    assert (refs[0], len(refs)) == (first, 2)


async def test_accents_that_were_typed_are_meant(tmp_path: Path) -> None:
    """*Größe* is not *große*."""
    found = await ask(tmp_path, "Größe?", place="Die große Stadt\n")
    assert not found.evidence_refs


async def test_a_short_word_with_accents_is_no_part_of_another(tmp_path: Path) -> None:
    """*já* stands in no *jágar*."""
    found = await ask(tmp_path, "já existe?", place="jágar\n")
    assert not found.evidence_refs


async def test_persian_keeps_its_non_joiner(tmp_path: Path) -> None:
    """The line is quoted letter by letter."""
    line = "سفارش می\u200cشود پس از پرداخت"
    found = await ask(tmp_path, "سفارش می\u200cشود؟", place=f"{line}\n")
    assert line in found.draft_reply
