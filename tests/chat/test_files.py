"""Commands that read a project's files: what agents may not read nobody reads here either."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.commands.files import FileCommands
from bot.commands.inputs_work import ReadProjectFile, SearchProject
from bot.commands.search import ProjectFinder
from bot.decide.redaction.redactor import Redactor
from bot.models.project import Project
from bot.tools.guard import Guard
from tests.chat.crew import About, command
from tests.fakes import projects

SECRET = "a-loaded" + "-secret-0815"


@pytest.fixture
def files(tmp_path: Path) -> FileCommands:
    """A project of two roots."""
    for path, text in {
        "web/app.js": "".join(f"line {number} {'x' * 60}\n" for number in range(1, 101)),
        "web/key.js": f"// <b>```{SECRET}\nconst limit = 3\n",
        "web/.env": "LIMIT=4\n",
        "web/vendor/lib.js": "const limit = 5\n",
        "api/limits.py": "LIMIT = 3\n",
    }.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    (tmp_path / "web" / "link.js").symlink_to(tmp_path / "outside.js")
    (tmp_path / "outside.js").write_text("outside\n")
    roots = (
        Project(name="shop/web", root=tmp_path / "web", ignore=("vendor/**",)),
        Project(name="shop/api", root=tmp_path / "api"),
    )
    return FileCommands(
        which=ProjectFinder(projects=projects(*roots), overview=About()),  # type: ignore[arg-type]  # it has the one call
        guard=Guard(redactor=Redactor([SECRET]), new_nonce=lambda: "n"),
    )


@pytest.mark.parametrize(
    ("asked", "line", "begins"),
    [
        ({"path": "app.js", "last": "2"}, "`app.js` of `shop/web`, lines 1-2 of 100", "```\n   1 line 1 xxx"),
        ({"path": "app.js", "first": "99"}, "`app.js` of `shop/web`, lines 99-100 of 100", "```\n  99 line 99 xxx"),
        ({"path": "app.js"}, "lines 1-39 of 100; `first=40` shows what follows", "```\n   1 line 1 xxx"),
        ({"path": "limits.py"}, "`limits.py` of `shop/api`, lines 1-1 of 1", "```\n   1 LIMIT = 3\n```"),
        ({"path": "key.js", "project": "shop/web"}, "lines 1-2 of 2", "```\n   1 // &lt;b&gt;'''[redacted]\n"),
    ],
)
async def test_lines_are_shown_with_their_numbers(
    files: FileCommands, asked: dict[str, str], line: str, begins: str
) -> None:
    """In a block that they cannot end, without secrets, and with how to see the rest."""
    answer = await files.read(ReadProjectFile.model_validate(asked), command())
    assert line in answer.line
    assert answer.rows[0].startswith(begins)
    assert len(answer.text) < 3_000


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("deep.py", "`src/deep/deep.py` of `shop/api`, lines 1-1 of 1"),
        ("limits.py", "`limits.py` of `shop/api`"),  # a file of that path before those below
    ],
)
async def test_a_name_alone_finds_its_file(files: FileCommands, tmp_path: Path, path: str, line: str) -> None:
    """In any folder of any root; the answer names its whole path."""
    for other in ("src/deep/deep.py", "src/limits.py"):
        (tmp_path / "api" / other).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "api" / other).write_text("LIMIT = 3\n")
    answer = await files.read(ReadProjectFile(path=path), command())
    assert (answer.outcome, line in answer.line) == ("done", True), answer


async def test_a_name_of_several_files_lists_them(files: FileCommands, tmp_path: Path) -> None:
    """With what to add for the right one, and bounded."""
    for place in ("web/a", "api/b"):
        (tmp_path / place).mkdir()
        (tmp_path / place / "same.py").write_text("x\n")
    answer = await files.read(ReadProjectFile(path="same.py"), command())
    assert answer.outcome == "invalid"
    assert answer.line == "2 files have the name `same.py`; give the path of one."
    assert answer.rows == ("```\na/same.py project=shop/web\nb/same.py project=shop/api\n```",)
    for number in range(100):
        (tmp_path / "web" / f"folder{number:03}").mkdir()
        (tmp_path / "web" / f"folder{number:03}" / "same.py").write_text("x\n")
    answer = await files.read(ReadProjectFile(path="same.py", project="shop/web"), command())
    assert answer.line == "101 files have the name `same.py`; give the path of one. The first 20:"
    assert answer.rows[0].count("same.py") == 20


@pytest.mark.parametrize("path", [".env", "lib.js", "outside.js", "link.js", "*.js", "app*", "{app,key}.js", "x" * 900])
async def test_a_name_alone_finds_nothing_that_may_not_be_read(files: FileCommands, tmp_path: Path, path: str) -> None:
    """Not what is denied, ignored, linked or outside, and no pattern is a name."""
    (tmp_path / "web" / "deep").mkdir()
    (tmp_path / "web" / "deep" / ".env").write_text("LIMIT=4\n")
    (tmp_path / "web" / "deep" / "link.js").symlink_to(tmp_path / "outside.js")
    answer = await files.read(ReadProjectFile(path=path), command())
    assert (answer.outcome, answer.rows) == ("invalid", ())


@pytest.mark.parametrize(("word", "mode"), [("grep", "text"), ("FIND", "names"), ("text", "text"), ("names", "names")])
def test_a_search_has_its_modes_by_the_words_of_the_specification_too(word: str, mode: str) -> None:
    """Models of other products know them."""
    assert SearchProject.model_validate({"text": "x", "mode": word}).mode == mode


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"path": ".env"}, "may hold secrets"),
        ({"path": "../outside.js"}, "outside the project"),
        ({"path": "/etc/passwd"}, "outside the project"),
        ({"path": "link.js"}, "outside the project"),
        ({"path": "vendor/lib.js"}, "is left out of this project"),
        ({"path": "<!channel>`"}, "&lt;!channel&gt;` does not exist"),
        ({"path": "app.js", "first": "101"}, "has 100 lines"),
        ({"path": "app.js", "first": "5", "last": "4"}, "`last` is before `first`"),
        ({"path": "app.js", "project": "shpo"}, "The nearest is `shop`"),
        ({"path": f"{SECRET}.js"}, "[redacted].js does not exist"),
    ],
)
async def test_what_may_not_be_read_is_not(files: FileCommands, asked: dict[str, str], words: str) -> None:
    """With a sentence that says why."""
    answer = await files.read(ReadProjectFile.model_validate(asked), command())
    assert (answer.outcome, answer.rows) == ("invalid", ())
    assert words in answer.line


async def test_a_text_is_found_in_all_roots_and_secrets_are_not(files: FileCommands) -> None:
    """Nor what is ignored or denied; a path says which root it is of."""
    found = await files.search(SearchProject(text="limit"), command())
    assert found.rows == ("```\nweb/key.js:2: const limit = 3\napi/limits.py:1: LIMIT = 3\n```",)
    assert found.line == "2 lines of `shop`:"
    names = await files.search(SearchProject(text="*.js", mode="names"), command())
    assert names.rows == ("```\nweb/app.js\nweb/key.js\n```",)
    for text in (SECRET, "nowhere"):
        assert "matches" in (await files.search(SearchProject(text=text), command())).line
    many = await files.search(SearchProject(text="line"), command())
    assert many.line == "12 lines of `shop`; there are more, narrow the search:"
