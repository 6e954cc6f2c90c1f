"""The keyword engine on real files: what it cites, how sure it is, and what it never does."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING

import pytest

from bot.agents.bounced_drafts import Bounced
from bot.agents.evidence import EvidenceChecker
from bot.agents.keyword import KeywordEngine
from bot.agents.project_search import ProjectRequest, search_project
from bot.decide.bounce.correction import read_bounce
from bot.decide.retrieval.query import build_query
from bot.errors import ToolError
from bot.models.findings import MAX_DRAFT_CHARS, Assignment, EngineReport, InvestigatorReturn
from bot.models.project import Project

if TYPE_CHECKING:
    from pathlib import Path

WATCHER = '''\
"""Collects the messages of a thread."""

DEBOUNCE_SECONDS = 2.0


class Watcher:
    """Waits for the debounce window to end before a thread is investigated."""

    def window(self) -> float:
        """How long the debounce window lasts."""
        return DEBOUNCE_SECONDS
'''
DELIVERY = '''\
def post(reply):
    """Post an approved reply once; look it up in the thread before posting again."""
    if already_posted(reply):
        return None
    return send(reply)
'''
FILES = {
    "intake/watcher.py": WATCHER,
    "triage/delivery.py": DELIVERY,
    "triage/limits.py": "QUOTA = 10\n\n\ndef quota_of(user):\n    return QUOTA\n",
    "tests/test_watcher.py": "def test_window():\n    assert Watcher().window() == 2.0  # debounce window\n",
    "docs/intake.md": "# Intake\n\nMessages wait for the debounce window.\n\n```\nwindow: 2\n```\n",
}


def project(root: Path, name: str = "shop", files: dict[str, str] = FILES) -> Project:
    for path, text in files.items():
        (root / name / path).parent.mkdir(parents=True, exist_ok=True)
        (root / name / path).write_text(text)
    return Project(name=name, root=root / name)


async def ask(question: str, *projects: Project, **more: object) -> EngineReport:
    values = {"question": question, "projects": projects, **more}
    return await KeywordEngine().investigate(Assignment.model_validate(values))


def cited(findings: InvestigatorReturn) -> list[str]:
    return [reference.ref.rpartition(":")[0] for reference in findings.evidence_refs]


@pytest.mark.parametrize(
    ("question", "path"),
    [
        ("where is the debounce window set?", "intake/watcher.py"),
        ("hey, how long does the debounce last?", "intake/watcher.py"),
        ("what is DEBOUNCE_SECONDS", "intake/watcher.py"),
        ("how do we make sure an approved reply is posted only once?", "triage/delivery.py"),
        ("which test covers the debounce window?", "tests/test_watcher.py"),
        ("what does limits.py do for the quota", "triage/limits.py"),
    ],
)
async def test_the_answering_file_is_cited_first(tmp_path: Path, question: str, path: str) -> None:
    """A question in a person's words finds the place, with medium confidence and no more."""
    report = await ask(question, project(tmp_path))
    assert (report.project, report.engine) == ("shop", "keyword")
    assert cited(report.findings)[0] == path
    assert report.findings.confidence == "medium"


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("where does lunch come from?", ()),
        ("who brings the cake on Friday?", ()),
        ("where is lunch_window for debounce set?", ("What is lunch_window called in shop?",)),
        ("is the debounce window over 20 ms?", ()),
        ("does retryBudget change the debounce window?", ("What is retryBudget called in shop?",)),
    ],
)
async def test_it_asks_back_only_for_names_of_code(tmp_path: Path, question: str, asked: tuple[str, ...]) -> None:
    """Another word for lunch would find nothing; the right name of a setting may."""
    assert (await ask(question, project(tmp_path))).findings.open_questions == asked


async def test_every_quote_stands_where_it_says(tmp_path: Path) -> None:
    """Each reference passes the evidence check; the draft shows the likeliest lines in a fence, and one more place."""
    shop = project(tmp_path)
    findings = (await ask("where is the debounce window set?", shop)).findings
    checker = EvidenceChecker(shop.root)
    assert [(await checker.check(reference)).result for reference in findings.evidence_refs] == ["ok"] * len(
        findings.evidence_refs
    )
    first, second, *others = (reference.ref for reference in findings.evidence_refs)
    opening = f"`{first}` in Watcher / window:\n```\n{findings.evidence_refs[0].quote}\n```\n\nSee also `{second}`"
    assert findings.draft_reply.startswith(opening)
    assert not any(ref in findings.draft_reply for ref in others)


@pytest.mark.parametrize(
    "question",
    [
        "where is the Kafka consumer group configured?",
        "how does the GraphQL subscription reconnect?",
        "which LDAP server does the login use?",
        "thanks!",
        "",
        "🎉🎉",
        "how does it work?",
    ],
)
async def test_without_an_answer_the_confidence_is_low(tmp_path: Path, question: str) -> None:
    """What stands nowhere is said to be nowhere, instead of a guess."""
    findings = (await ask(question, project(tmp_path))).findings
    assert findings.confidence == "low"
    assert "found nothing" in findings.draft_reply
    assert len(findings.evidence_refs) <= 3


async def test_the_draft_says_what_was_looked_for(tmp_path: Path) -> None:
    """The words that stand nowhere are named, in the draft and in the reason."""
    findings = (await ask("where is the Kafka consumer configured?", project(tmp_path))).findings
    assert "kafka" in findings.confidence_reason.lower()
    assert "kafka" in findings.draft_reply.lower()


async def test_the_project_that_fits_best_answers(tmp_path: Path) -> None:
    """All projects are searched, and the better match wins whatever the order."""
    shop = project(tmp_path)
    bank = project(tmp_path, "bank", {"ledger.py": "def balance(account):\n    return ledger.total(account)\n"})
    for order in ((shop, bank), (bank, shop)):
        assert (await ask("how is the balance of an account computed?", *order)).project == "bank"
        assert (await ask("where is the debounce window set?", *order)).project == "shop"


async def test_where_nothing_answers_a_number_chooses_no_project(tmp_path: Path) -> None:
    """But the word that one project is about."""
    parcels = project(tmp_path, "parcels", {"a.py": "# a parcel\n", "b.py": "# the parcel's fee\n"})
    others = [project(tmp_path, name, {"a.py": "LIMIT = 20\n", "b.py": "x = 2\n"}) for name in ("web", "chat")]
    assert (await ask("how much does a parcel over 20 kg cost?", *others, parcels)).project == "parcels"


async def test_a_project_named_in_the_question_is_preferred(tmp_path: Path) -> None:
    """The asker's own word for the project outweighs a better match elsewhere."""
    bank = project(tmp_path, "bank", {"a.py": "def window():\n    return 5\n"})
    report = await ask("where is the debounce window set in bank?", project(tmp_path), bank)
    assert report.project == "bank"


async def test_a_bounced_draft_is_not_repeated(tmp_path: Path) -> None:
    """A redraft leads with another passage, unless the feedback names the file again."""
    shop = project(tmp_path)
    question = "what about the debounce window?"
    first = (await ask(question, shop)).findings
    again = (await ask(question, shop, feedback="not that place", previous=first, round=2)).findings
    named = (await ask(question, shop, feedback="more of watcher.py please", previous=first, round=2)).findings
    assert again.evidence_refs[0].ref != first.evidence_refs[0].ref
    assert cited(named)[0] == "intake/watcher.py"
    assert again.investigator_round == 2


async def test_feedback_leads_to_what_it_names(tmp_path: Path) -> None:
    """The words of the operator count more than those of the asker."""
    shop = project(tmp_path)
    findings = (await ask("how is the window limited?", shop, feedback="it is about the quota of a user")).findings
    assert cited(findings)[0] == "triage/limits.py"


async def test_secrets_are_never_quoted(tmp_path: Path) -> None:
    """A denied file is not searched, not named and not quoted."""
    secrets = dict.fromkeys((".env", "credentials.py", "secrets.yml", "a.pem"), "debounce_window_token = 'canary'\n")
    report = await ask("where is the debounce_window_token?", project(tmp_path, files={**FILES, **secrets}))
    assert "canary" not in report.model_dump_json()


@pytest.mark.parametrize(
    "line",
    [
        "x = 'debounce window' # " + "y" * 400,
        "debounce window ```",
        "debounce window \x1b[2J",
        "debounce \u202e window",
    ],
)
async def test_lines_that_would_break_a_reply_are_not_quoted(tmp_path: Path, line: str) -> None:
    """Endless lines, fences, controls and direction marks stay out of draft and evidence."""
    shop = project(tmp_path, files={"a.py": f"{line}\n", "b.py": "# the debounce window\nwindow = 2\n"})
    findings = (await ask("debounce window", shop)).findings
    assert cited(findings) == ["b.py"]


async def test_the_caps_hold_for_wordy_code(tmp_path: Path) -> None:
    """However long the lines, a draft stays within its words and characters, and its quotes stay whole."""
    wordy = "\n".join(f"debounce window {' '.join('abcdefghijklmnop')} of the queue {n} limit" for n in range(60))
    shop = project(tmp_path, files={f"doc{n}.md": wordy for n in range(6)})
    findings = (await ask("limit of the debounce window queue", shop)).findings
    assert len(findings.draft_reply) <= MAX_DRAFT_CHARS
    assert len(findings.draft_reply.split()) <= 300
    assert 1 <= len(findings.evidence_refs) <= 4


@pytest.mark.parametrize(
    "question",
    [
        "word " * 8_000,
        "\0\x1b[31m\x07 where is the debounce window\u202e?",
        "デバウンスの設定はどこですか debounce",
        "di mana jendela debounce diatur?",
        "`" * 40_000,
        "<!channel> <@U0ANA> ``` debounce ``` *bold* _x_ ~y~",
        "--files -e .* ; rm -rf / $(touch tripped)",
        "{{passages}} {{project}} debounce",
        "(((((((((( [a-z]+ \\d{1,9999} debounce",
    ],
    ids=lambda text: repr(text[:12]),
)
async def test_any_text_is_handled_calmly(tmp_path: Path, question: str) -> None:
    """No question raises, and nothing of it becomes markup, an option or a placeholder."""
    report = await ask(question, project(tmp_path), feedback=question)
    assert report.findings.draft_reply
    assert "<!channel>" not in report.findings.draft_reply
    sentences = report.findings.draft_reply.count("\n> ")
    fences = report.findings.draft_reply.count("```")
    assert fences % 2 == 0
    assert fences <= 2 * (len(report.findings.evidence_refs) - sentences)


async def test_the_same_tree_gives_the_same_report(tmp_path: Path) -> None:
    """Two runs agree to the letter."""
    shop = project(tmp_path)
    assert await ask("where is the debounce window set?", shop) == await ask("where is the debounce window set?", shop)


async def test_a_project_whose_folder_is_gone_does_not_stop_the_others(tmp_path: Path) -> None:
    """One unreadable root is passed over; alone it is a failure that says why, and no empty search."""
    gone = Project(name="gone", root=tmp_path / "gone")
    assert (await ask("where is the debounce window set?", gone, project(tmp_path))).project == "shop"
    with pytest.raises(ToolError, match="cannot be searched"):
        await ask("where is the debounce window set?", gone)


async def test_without_projects_nothing_is_found() -> None:
    """No project is no error."""
    report = await ask("where is the debounce window set?")
    assert report.findings.confidence == "low"


async def test_an_empty_project_holds_nothing(tmp_path: Path) -> None:
    """A folder without files gives a low confidence."""
    (tmp_path / "empty").mkdir()
    findings = (await ask("where is the debounce?", Project(name="empty", root=tmp_path / "empty"))).findings
    assert (findings.confidence, findings.evidence_refs) == ("low", ())


async def test_a_project_says_what_is_left_out_and_whose_files_come_first(tmp_path: Path) -> None:
    """What it ignores is cited nowhere; code of another language than its own stands behind."""
    ruby = "# The retry limit of payments.\nRETRY_LIMIT = 3\n"
    shop = project(tmp_path, files={"lib/pay.rb": ruby, "lib/pay.py": ruby, "old/pay.rb": f"{ruby}# old\n"})
    question = "what is the retry limit of payments?"
    for languages, first in ((("python",), "lib/pay.py"), (("ruby",), "lib/pay.rb")):
        report = await ask(question, shop.evolve(languages=languages, ignore=("old/**",)))
        assert cited(report.findings)[0] == first
        assert "old/pay.rb" not in cited(report.findings)
    assert "old/pay.rb" in cited((await ask(question, shop)).findings)


@pytest.mark.parametrize(
    ("said", "places"),
    [
        ("and where is that tested?", True),
        ("no, that is wrong", True),
        ("what is the QUOTA of limits?", False),
    ],
)
async def test_what_says_little_by_itself_is_searched_for_with_the_question_before(
    tmp_path: Path, said: str, *, places: bool
) -> None:
    """`that` is what was asked about; a question that names something stands alone."""
    report = await ask(said, project(tmp_path), follows="how long is the debounce window?")
    assert any("watcher" in place for place in cited(report.findings)) is places


def test_a_search_is_plain_data_in_and_out(tmp_path: Path) -> None:
    """Request and outcome can be sent to another process and back, also after a bounce, and say the same there."""
    question, correction = "where is the debounce_window set?", read_bounce("show the default", ["a.py:1"])
    request = ProjectRequest(
        project=project(tmp_path),
        question=question,
        query=build_query(question),
        bounced=Bounced.from_correction(None, correction),
        index=tmp_path / "indexes",
    )
    outcome = search_project(pickle.loads(pickle.dumps(request)))  # noqa: S301  # it was made a line above
    assert outcome.cited
    assert pickle.loads(pickle.dumps(outcome)) == outcome  # noqa: S301  # the same


LIMITS = """\
def _check():
    \"\"\"The upload limit of a user is checked here, per upload.\"\"\"
    return check(UPLOAD_LIMIT)


UPLOAD_LIMIT = 25
"""
MUTING = """\
# Muting a thread

A thread is quiet after you write `!mute` in it, until
somebody mentions the bot. Nobody else is told.
"""
SET = "`UPLOAD_LIMIT` is set to `25` in `src/limits.py:6`:\n```\nUPLOAD_LIMIT = 25\n```"
TOLD = "> A thread is quiet after you write `!mute` in it, until somebody mentions the bot."


@pytest.mark.parametrize(
    ("question", "opens"),
    [
        ("what is the default of UPLOAD_LIMIT?", SET),
        ("what's the upload limit of a user?", SET),
        (
            "is a thread quiet after !mute, until the bot is mentioned?",
            f"`docs/use.md:3-4` in Muting a thread:\n\n{TOLD}",
        ),
        ("how do I mute a thread?", f"`docs/use.md:3-4` in Muting a thread:\n\n{TOLD}"),
        ("where is a thread muted in the code?", "`src/mute.py:1-2` in mute:\n```\ndef mute(thread):"),
        (
            "what calls drop_all()?",
            "`drop_all` is called in `src/drop.py:5-6`:\n```\ndef at_night():\n    drop_all()",
        ),
    ],
)
async def test_a_draft_opens_with_the_answer(tmp_path: Path, question: str, opens: str) -> None:
    """A setting with its value, or one sentence of the documents, with its place; never a report of the search."""
    mute = "def mute(thread):\n    thread.mute = True"
    calls = "def drop_all():\n    return 1\n\n\ndef at_night():\n    drop_all()\n"
    files = {"src/limits.py": LIMITS, "docs/use.md": MUTING, "src/mute.py": mute, "src/drop.py": calls}
    shop = project(tmp_path, files=files)
    findings = (await ask(question, shop)).findings
    assert findings.draft_reply.startswith(opens)
    assert findings.draft_reply.count("See also") <= 1
    checker = EvidenceChecker(shop.root)
    assert {(await checker.check(each)).result for each in findings.evidence_refs} == {"ok"}


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        (
            "how long does the debounce window last? which quota does a user have?",
            ["intake/watcher.py", "triage/limits.py"],
        ),
        ("how long does the debounce window last? why is it so short?", ["intake/watcher.py"]),
        ("wo steht die debounce window? U0ANA12345", ["intake/watcher.py"]),
        ("where is already_posted called from?", ["triage/delivery.py"]),
    ],
)
async def test_what_is_asked_decides_what_is_looked_for(tmp_path: Path, question: str, expected: list[str]) -> None:
    """Two questions are looked for apart; ids and a language's own small words are no words of a search."""
    owners = {"CODEOWNERS": "# debounce window quota user posted\n* @die\n", "locales/de.yml": "die: debounce window\n"}
    report = await ask(question, project(tmp_path, files={**FILES, **owners}))
    assert cited(report.findings)[: len(expected)] == expected
    assert report.findings.confidence == "medium"


@pytest.mark.parametrize("question", ["anyone else seeing the debounce window broken now?", "is the watcher down?"])
async def test_a_question_of_the_present_is_low(tmp_path: Path, question: str) -> None:
    """Whatever the files hold: they cannot tell, and the reason says so."""
    findings = (await ask(question, project(tmp_path))).findings
    assert findings.confidence == "low"
    assert findings.confidence_reason.startswith("It asks about the current state")


@pytest.mark.parametrize(
    "question", ["what's the default of DEBOUNCE_SECONDS?", "¿cuál es el valor por defecto de DEBOUNCE_SECONDS?"]
)
async def test_the_default_of_a_name_is_an_answer_in_any_language(tmp_path: Path, question: str) -> None:
    """The words that ask for it need not stand in the project; the chance is told."""
    report = await ask(question, project(tmp_path))
    assert report.findings.confidence == "medium"
    assert report.findings.draft_reply.startswith("`DEBOUNCE_SECONDS` is set to `2.0` in `intake/watcher.py:3`:")
    assert report.chance is not None
    assert 0.5 < report.chance < 1


async def test_a_file_that_a_tool_wrote_stands_behind_those_of_people(tmp_path: Path) -> None:
    """However often it repeats what was asked, since its first lines say so."""
    stub = "# DO NOT EDIT MANUALLY\n\n# The timeout of a lease.\ndef pool_lease_timeout():\n"
    files = {f"rbi/{name}.py": stub for name in ("a", "b", "c")}
    files["app/pool.py"] = "# Until the timeout of a lease.\nLASTS = 30\n"
    report = await ask("how long is the timeout of a lease of the pool?", project(tmp_path, files=files))
    assert report.findings.evidence_refs[0].ref.startswith("app/pool.py")


@pytest.mark.parametrize(
    ("question", "lead"),
    [
        ("how long does a parcel stay open?", "docs/parcels.md"),
        ("how do I back up the parcels?", "docs/parcels.md"),
        ("does it send parcels outside of the hours?", "docs/parcels.md"),
        ("how much may a parcel cost?", "limits.py"),
    ],
)
async def test_a_setting_leads_that_holds_what_is_asked(tmp_path: Path, question: str, lead: str) -> None:
    """One whose own name has none of it does not, nor any where the answer is yes or no."""
    files = {
        "parcels/open.py": 'SECONDS = 30.0\n"""How long the references of one text may take."""\n',
        "limits.py": "MAX_PARCEL_PRICE = 200\n",
        "docs/parcels.md": "# Parcels\n\n## How long a parcel stays open\n\nA parcel stays open for three days.\n\n"
        "## Backups\n\nCopy the folder of parcels.\n\n## Hours\n\nOutside of the hours no parcel is sent.\n",
    }
    report = await ask(question, project(tmp_path, files=files))
    assert cited(report.findings)[0] == lead


async def test_the_plainer_setting_is_stated(tmp_path: Path) -> None:
    """A word of a setting's name that nobody asked for is held against it."""
    files = {
        "client.rb": "# How much of a parcel header is read at once.\nMAX_CHUNK_PARCEL_HEADER_SIZE = 4096\n",
        "limits.rb": "# The largest parcel header.\nMAX_PARCEL_HEADER = 65536\n",
    }
    report = await ask("how big may a parcel header get?", project(tmp_path, files=files))
    assert "`MAX_PARCEL_HEADER` is set to `65536`" in report.findings.draft_reply


@pytest.mark.parametrize(
    ("path", "text", "quoted"),
    [
        ("docs/a.md", "# Parcel relabelling\n\nTwo labels are printed.\n", "Two labels are printed."),
        ("docs/a.md", "# Parcel relabelling\n\n# Other\n\nNothing.\n", ""),
        (
            "rules.yml",
            "- alert: A\n  expr: rate(parcel_relabelling[5m])\n  summary: More are relabelled than sent.\n",
            "More",
        ),
        ("rules.yml", "- alert: A\n  expr: rate(parcel_relabelling[5m])\n", ""),
    ],
)
async def test_a_heading_or_a_query_is_no_answer(tmp_path: Path, path: str, text: str, quoted: str) -> None:
    """Its sentence is quoted where it has one; else the draft is low."""
    report = await ask("what is parcel relabelling?", project(tmp_path, files={path: text, "b.py": "B = 1\n"}))
    if quoted:
        assert quoted in (report.findings.evidence_refs[0].quote or "")
    else:
        assert report.findings.confidence == "low"
        assert "do not have what was asked for" in report.findings.confidence_reason


@pytest.mark.parametrize("question", ["how long is the debounce window?", "how do I set the debounce window?"])
async def test_what_was_denied_in_the_thread_is_not_offered_again(tmp_path: Path, question: str) -> None:
    """Neither its lines, through code or document, nor its certainty come back below *no, that is not it*."""
    shop = project(tmp_path)
    first = (await ask(question, shop)).findings
    denied = tuple(ref.ref for ref in first.evidence_refs if ref.ref in first.draft_reply)
    again = await ask("no, that is not it", shop, follows=question, denied=denied)
    assert denied
    assert not {*denied} & {ref.ref for ref in again.findings.evidence_refs}
    assert again.found_nothing
    assert not (await ask("what is the QUOTA of limits?", shop, follows=question, denied=denied)).found_nothing
