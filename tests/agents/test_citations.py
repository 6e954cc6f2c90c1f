"""References of texts, in whatever form people write them: found, opened, and nothing else shown for them."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from bot.agents.citations import Citation, CitationOpener
from bot.agents.evidence import cited_lines
from bot.decide.grounding.references import find_references
from bot.decide.grounding.unsupported_claims import find_unsupported
from bot.models.project import Project
from bot.tools.denied_paths import is_denied
from tests.agents.fabricated import tracked
from tests.builders import reference
from tests.tools.conftest import commit, git

ROOT = Path(__file__).resolve().parents[2]
PAGE = "https://github.com/example/platform"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A small project."""
    for name, text in {
        "src/orders.py": "LIMIT = 3\n\nRETRIES = 5\nTIMEOUT = 30\n",
        "src/web/config.toml": "port = 8080\n",
        "docs/my notes.md": "# Notes\nUse the vault.\n",
        "tests/a/helpers.py": "A = 1\n",
        "tests/b/helpers.py": "B = 1\n",
        "Makefile": "all:\n\techo\n",
        ".env": "KEY=1\n",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


async def opened(root: Path, text: str, **changes: object) -> dict[str, str]:
    """Each reference of the text with what code found there."""
    project = Project(name="platform", root=root, web_url=PAGE)
    return {one.reference.ref: one.check.result for one in await CitationOpener(project).open(text, **changes)}  # type: ignore[arg-type]  # tables hand in words


@pytest.mark.parametrize(
    "text",
    [
        "see src/orders.py:3.",
        "see `src/orders.py:3`",
        "`src/orders.py` line 3",
        "`src/orders.py`, line 3, says",
        "src/orders.py (line 3)",
        "line 3 of `src/orders.py`",
        "Zeile 3 in src/orders.py",
        "`src/orders.py`の3行目",
        "設定はsrc/orders.py:3にある",
        "src/orders.pyの3行目にある",
        "src/orders.py خط ۳",
        "/home/ana/code/platform/src/orders.py:3",
        "`C:\\work\\platform\\src\\orders.py:3`",
        "src/orders.py:٣",
        "[the limit](src/orders.py#L3)",
        "<src/orders.py#L3|the limit>",
        f"<{PAGE}/blob/main/src/orders.py#L3|the limit>",
        f"{PAGE}/blob/main/src/orders.py#L3.",
        "platform/src/orders.py:3",
        "platform:src/orders.py:3",
        "./src/orders.py:3",
        "/src/orders.py:3",
        "src\\orders.py:3",
        "src\\orders.py(3)",
        "src/orders.py(3,5)",
        "src/orders.py:3:5",
        "`orders.py:3`",
        "**src/orders.py:3**",
        "_src/orders.py:3_",
        '"src/orders.py":3',
        "- src/orders.py:3, twice: `src/orders.py:3`",
        "```\nsrc/orders.py:3 RETRIES\n```",
        "RETRIES (src/orders.py:3)",
        "> src/orders.py:3",
        "位置：src/orders.py：３",
        "файл:src/orders.py:3",
        "위치:src/orders.py:3",
        "Datei:src/orders.py:3",
        "path=src/orders.py:3",
        "->src/orders.py:3",
        "-src/orders.py:3",
        ".../src/orders.py:3",
        "src/../src/orders.py:3",
        "ファイル「src/orders.py」の3行目",
        "3行目：src/orders.py",
        "строка 3 файла src/orders.py",
    ],
)
async def test_one_place_in_many_forms(root: Path, text: str) -> None:
    """Each is the same reference."""
    assert await opened(root, text) == {"src/orders.py:3": "ok"}


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("In src/orders.py line 1, and used in line 3.", {1, 3}),
        ("src/orders.py, line 1 (lines 3 and 4 for context)", {1, 3, 4}),
        ("in `src/orders.py`: RETRIES in line 3", {3}),
        ("src/orders.py in Zeile 1 und dann in Zeile 4", {1, 4}),
        ("в src/orders.py, строка 3 (строка 4 для контекста)", {3, 4}),
        ("在 src/orders.py 第 3 行，并在第 4 行使用", {3, 4}),
        ("dans src/orders.py ligne 1, puis ligne 3", {1, 3}),
        ("src/orders.py:3. It has 4 lines of code, about 3行", {3}),
        ("line 3 of src/orders.py and line 1 of src/web/config.toml", {3}),
    ],
)
async def test_lines_named_apart_from_their_file_are_references(root: Path, text: str, lines: set[int]) -> None:
    """They are of the file that was named before them, and opened."""
    found = await opened(root, text)
    assert {int(ref.rsplit(":", 1)[1]) for ref in found if ref.startswith("src/orders.py:")} == lines
    assert set(found.values()) == {"ok"}


@pytest.mark.parametrize(
    "words",
    [
        "{} between lines 3 and 4",
        "{}, from line 3 to line 4",
        "Between lines 3 and 4 of {}",
        "{} zwischen den Zeilen 3 und 4",
        "In den Zeilen 3 bis 4 der Datei {}",
        "{}, entre les lignes 3 et 4",
        "aux lignes 3 à 4 de {}",
        "{} entre las líneas 3 y 4",
        "{} de la línea 3 a la 4",
        "{} entre as linhas 3 e 4",
        "nas linhas 3 a 4 de {}",
        "{}の3行から4行",
        "{}の3行目から4行目まで",
        "{} の3行と4行の間",
        "{} بین خطوط ۳ و ۴",
        "خطوط ۳ تا ۴ از {}",
        "{} между строками 3 и 4",
        "строки с 3 по 4 файла {}",
        "{} (3\u20134)",
    ],
)
async def test_a_range_in_words_is_one_reference(root: Path, words: str) -> None:
    """Whatever the language, with marks around the path and without; its numbers are no values."""
    for path in ("src/orders.py", "`src/orders.py`"):
        assert await opened(root, words.format(path)) == {"src/orders.py:3-4": "ok"}
        assert find_unsupported(words.format(path), "", ["src/orders.py:3-4 RETRIES = 5"]) == ()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("/etc/passwd:1", "it lies outside platform"),
        ("`~/.ssh/config:3`", "it lies outside platform"),
        ("C:\\work\\other\\src\\orders.py:3", "it lies outside platform"),
        ("/home/ana/other/orders.py line 9", "it lies outside platform"),
        ("look in src/nope/ for it", "it does not exist in platform"),
        ("`src/nope/`", "it does not exist in platform"),
        ("../../etc/passwd:1", "it lies outside platform"),
        ("src/../../etc/passwd:1", "it lies outside platform"),
        ("..\\..\\etc\\shadow:1", "it lies outside platform"),
        ("see ../../secrets", "it lies outside platform"),
        ("file:///etc/passwd:1", "it lies outside platform"),
        ("it stands in nope/, not in src/", "it does not exist in platform"),
        ("位于nope/文件夹", "it does not exist in platform"),
        ("see nope.py", "it does not exist in platform"),
        ("src/orders.py ligne 99", "line 99 does not exist, src/orders.py has 4 lines"),
        ("helpers.py:1", "it names 2 files of platform: tests/a/helpers.py, tests/b/helpers.py"),
    ],
)
async def test_what_cannot_be_opened_says_why(root: Path, text: str, reason: str) -> None:
    """In words that the card can show."""
    (one,) = await CitationOpener(Project(name="platform", root=root)).open(text)
    assert (one.check.result, one.check.reason) == ("failed", reason)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("`src/orders.py:3-4` and src/orders.py:1", {"src/orders.py:3-4": "ok", "src/orders.py:1": "ok"}),
        ("src/orders.py:1,3-4", {"src/orders.py:1": "ok", "src/orders.py:3-4": "ok"}),
        ("lines 1 and 3 of src/orders.py", {"src/orders.py:1": "ok", "src/orders.py:3": "ok"}),
        ("src/orders.py#L3-L4", {"src/orders.py:3-4": "ok"}),
        ("src/orders.py lines 3\u20134", {"src/orders.py:3-4": "ok"}),
        ("see src/orders.py", {"src/orders.py": "not_checkable"}),
        ("see `Makefile`", {"Makefile": "not_checkable"}),
        ("see config.toml", {"src/web/config.toml": "not_checkable"}),
        ("src/orders.py, see src/orders.py:1", {"src/orders.py:1": "ok"}),
        ("`docs/my notes.md:2`", {"docs/my notes.md:2": "ok"}),
        ('"docs/my notes.md", line 2', {"docs/my notes.md:2": "ok"}),
        ("src/orders.py:2", {"src/orders.py:2": "ok"}),
        ("`pytest src/orders.py`", {"src/orders.py": "not_checkable"}),
        ("`pytest -x src/orders.py:3`", {"src/orders.py:3": "ok"}),
        ("`cat src/orders.py`, then src/orders.py", {"src/orders.py": "not_checkable"}),
        ("`git add src/nope.py`", {"git add src/nope.py": "failed"}),
        ("`cat .env:1`", {"cat .env:1": "failed"}),
        ("`cat ../../etc/passwd.txt:1`", {"etc/passwd.txt:1": "failed"}),
        ("`config/nope.toml:3`", {"config/nope.toml:3": "failed"}),
        ("config/nope.toml", {"config/nope.toml": "failed"}),
        ("`nope.py`", {"nope.py": "failed"}),
        ("src/nope:3", {"src/nope:3": "failed"}),
        ("src/orders.py:99", {"src/orders.py:99": "failed"}),
        ("src/orders.py:4-1", {"src/orders.py:4-1": "failed"}),
        ("src/orders.py:0", {"src/orders.py:0": "failed"}),
        ("helpers.py:1", {"helpers.py:1": "failed"}),
        ("`.env:1`", {".env:1": "failed"}),
        ("../../etc/passwd.txt:1", {"../../etc/passwd.txt:1": "failed"}),
        (f"{PAGE}/blob/main/nope.py#L3", {"nope.py:3": "failed"}),
        (f"{PAGE}/blob/{'a' * 40}/src/orders.py#L3", {"src/orders.py:3": "failed"}),
        ("since commit abc1234f", {"abc1234f": "failed"}),
        ("https://example.com/a.py:3", {"https://example.com/a.py:3": "not_checkable"}),
    ],
)
async def test_what_is_there_is_opened_and_what_is_not_has_failed(root: Path, text: str, found: dict[str, str]) -> None:
    """Lists, ranges, files alone, addresses; and nothing beside."""
    assert await opened(root, text) == found


@pytest.mark.parametrize(
    "text",
    [
        "GET /api/v1/users:8080",
        "src/web/ and/or/ other, he/ she/",
        "import x from '../web/config', all *.go and .rb files, helpers.py",
        "localhost:3000/x.json, git@github.com:team/site.js, package:team/x.dart, key:value, docs.rs",
        "localhost:3000/x:5",
        "in 5 steps, between 3 and 4",
        "It is and/or that, 24/7, on client/server, over TCP/IP.",
        "Node.js, e.g. at 10:30 on localhost:8080, redis:6379 or 10.0.0.1:80.",
        "Set `slack.debounce_ms: 2000`, then call `orders.cancel()`.",
        "`process.env`, `console.log`, `event.ts`, `response.json`",
        "Use version 1.2.3 or v2.0, image team/app:12.",
        "ana@example.com writes to @team/platform",
        "`src/**/*.py` and `{name}.md` and $HOME/x.toml",
        "/api/v1/orders answers 404",
        "~/.triage/triage.yml and /etc/nginx/nginx.conf",
        "deadbee is no word, #abc1234 neither, 1234567 times",
        "Line 3 of the file. See line 12.",
    ],
)
async def test_plain_language_is_no_reference(root: Path, text: str) -> None:
    """What could be words, hosts, versions or names of code cites nothing."""
    assert await opened(root, text) == {}


async def test_a_commit_is_opened_where_there_is_one(root: Path) -> None:
    """By its SHA, by the page of it, and lines at it."""
    git(root, "init", "--quiet")
    sha = commit(root, "first")
    (root / "src" / "orders.py").write_text("changed\n")
    assert await opened(root, f"since commit {sha[:10]}") == {sha[:10]: "ok"}
    assert await opened(root, f"{PAGE}/commit/{sha}") == {sha: "ok"}
    assert await opened(root, f"{PAGE}/blob/{sha}/src/orders.py#L3") == {"src/orders.py:3": "ok"}
    assert await opened(root, "src/orders.py:3") == {"src/orders.py:3": "failed"}


async def test_what_the_findings_cited_keeps_its_quote_while_that_stands(root: Path) -> None:
    """Else code quotes the lines anew; what the text drops goes, and so it is of what names no place."""
    opener = CitationOpener(Project(name="platform", root=root))
    good = reference(ref="src/orders.py:3", quote="RETRIES = 5", supports_claim="It is five.")
    wrong = reference(ref="src/orders.py:4", quote="TIMEOUT = 31", supports_claim="It is 31.")
    log = reference(kind="log_query", ref="errors since 10:00", quote="boom")
    drafted = "Five, `src/orders.py:3`, and `src/orders.py:4`."
    before = (good, wrong, log)
    found = {one.reference.ref: one.reference for one in await opener.open("`src/orders.py:3`", before, drafted)}
    assert found == {"src/orders.py:3": good, "errors since 10:00": log}
    found = {one.reference.ref: one.reference for one in await opener.open("`src/orders.py:4`.", before, drafted)}
    assert found["src/orders.py:4"].quote == "TIMEOUT = 30"
    assert set(found) == {"src/orders.py:4", "errors since 10:00"}


FORMS = (
    "`{path}:{lines}`",
    "{path}:{lines}",
    "({path}:{lines})",
    "`{path}`, lines {first} to {last}",
    "lines {first}-{last} of `{path}`",
    "[there]({path}#L{first}-L{last})",
    "platform/{path}:{lines}",
    PAGE + "/blob/main/{path}#L{first}-L{last}",
    "**{path}:{lines}**",
    "{windows}:{lines}",
)
WORDS = ("It is set there", "then it is tried again", "which runs at night", "and nobody else calls it", "so it goes")


def _tree(root: Path) -> list[tuple[str, list[str]]]:
    files = [name for name in tracked(root) if name.endswith((".py", ".md", ".js", ".toml")) and not is_denied(name)]
    return [(name, (root / name).read_text().split("\n")[:-1]) for name in files]


def _written(chance: random.Random, place: tuple[str, int, int]) -> str:
    path, first, last = place
    lines = f"{first}-{last}" if last > first else f"{first}"
    form = chance.choice(FORMS)
    return form.format(path=path, lines=lines, first=first, last=last, windows=path.replace("/", "\\"))


def _place(chance: random.Random, tree: list[tuple[str, list[str]]]) -> tuple[str, int, int]:
    path, lines = chance.choice([one for one in tree if one[1]])
    first = chance.randint(1, len(lines))
    return path, first, min(len(lines), first + chance.choice((0, 0, 1, 4)))


async def _edited(seed: int, root: Path, tree: list[tuple[str, list[str]]]) -> None:
    """One draft, and some edits after each other that add, change and remove references; some are of nothing."""
    chance = random.Random(seed)
    project = Project(name="platform", root=root, web_url=PAGE)
    known = dict(tree)
    cited = [_place(chance, tree) for _ in range(chance.randint(1, 3))]
    before = tuple(
        reference(ref=_ref(place), quote="\n".join(known[place[0]][place[1] - 1 : place[2]])) for place in cited
    )
    drafted = ". ".join(f"{chance.choice(WORDS)}, see `{_ref(place)}`" for place in cited)
    for _ in range(4):
        change = chance.choice(("add", "change", "remove", "break"))
        if change == "remove" and cited:
            cited.pop(chance.randrange(len(cited)))
        elif change == "change" and cited:
            cited[chance.randrange(len(cited))] = _place(chance, tree)
        elif change == "break":
            cited.append((f"nowhere/{chance.randrange(99)}.py", 1, 1))
        else:
            cited.append(_place(chance, tree))
        text = ". ".join(f"{chance.choice(WORDS)}, {_written(chance, place)}" for place in cited)
        opener = CitationOpener(project)
        citations = await opener.open(text, before, drafted)
        assert {one.reference.ref for one in citations} == {_ref(place) for place in cited}, text
        for one in citations:
            _stands_as_it_is(one, known)


def _ref(place: tuple[str, int, int]) -> str:
    path, first, last = place
    return f"{path}:{first}-{last}" if last > first else f"{path}:{first}"


def _stands_as_it_is(one: Citation, known: dict[str, list[str]]) -> None:
    place = cited_lines(one.reference.ref)
    assert place
    path, first, last = place
    if path not in known:
        assert (one.check.result, one.check.reason) == ("failed", "it does not exist in platform")
        return
    assert one.check.result == "ok", (one.reference.ref, one.check.reason)
    assert one.reference.quote == "\n".join(known[path][first - 1 : last])


async def test_the_evidence_is_that_of_the_text_after_every_edit() -> None:
    """Over a folder of this project, four edits a draft: what the text cites, no more and no less, with its lines."""
    tree = _tree(ROOT / "sandbox")
    for seed in range(15):
        await _edited(seed, ROOT / "sandbox", tree)


@pytest.mark.long
async def test_the_evidence_is_that_of_the_text_after_a_thousand_edits() -> None:
    """The same on other seeds, over all of the project."""
    tree = _tree(ROOT)
    for seed in range(1_000, 1_250):
        await _edited(seed, ROOT, tree)


def test_a_long_text_is_read_in_no_time() -> None:
    """Hostile ones too."""
    for text in (
        "a/" * 1_500,
        f"a/{'b' * 60}{{",
        "../" * 1_000,
        "`" * 3_000,
        "x.py:1 " * 400,
        "(" * 3_000,
        "a:" * 1_500,
        "[" * 1_000 + "](",
    ):
        assert len(find_references(text)) <= 400
