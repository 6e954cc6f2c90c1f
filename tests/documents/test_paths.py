"""Paths in code spans: of the repository, of the home, of credentials; all others are in the table below."""

from __future__ import annotations

import re
import subprocess
from functools import cache
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

import pytest

from bot.adapters.home import Home
from bot.tools.denied_paths import is_denied
from tests.documents.pages import PAGES, ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator

OTHERS = {
    **dict.fromkeys(("/etc/systemd/system/",), "of the machine"),
    **dict.fromkeys(("/etc/triage/secrets", "/etc/triage/triage.yml"), "made by the person who installs"),
    **dict.fromkeys(("/state",), "of the container: compose.yml"),
    **dict.fromkeys(("roles/portal-dev.md",), "of the page's example"),
    **dict.fromkeys(("shop/api",), "of the page's example"),
    **dict.fromkeys(("application/json",), "type of a content"),
    **dict.fromkeys(("triage/<name>", "triage/<slug>"), "names of branches"),
    **dict.fromkeys(("/v1", "/merge"), "ends of addresses"),
    **dict.fromkeys(("/triage",), "the slash command"),
    **dict.fromkeys(("project/root",), "form of a name"),
    "team/shop.git": "of an example",
}
"""What looks like a path and is neither of the repository nor written by the bot, with its reason."""

_LOOKS = re.compile(r"(?:~/|\./|/)?[\w.@<>…*{}-]+(?:/[\w.@<>…*{}-]+)*/?")
_ENDING = re.compile(
    r"\.(py|ya?ml|md|txt|toml|json|jsonl|ndjson|gz|log|sock|html|git|service|cfg|sh|env|rules|png|zip|tsv|js|previous)$"
)
_QUOTED = re.compile(r"\"([^\"\s]{1,80})\"")
_STORED = re.compile(r"json_file\(\"(\w+)\"\)")
_PLACEHOLDER = re.compile(r"<[^>]*>|\*|…|\{[^}]*\}")
PRODUCT = ("bot/", "sandbox/", "scripts/", "measure/")


def looks_like_path(text: str) -> bool:
    """Return whether a code span looks like the path of a file or folder."""
    return bool(_LOOKS.fullmatch(text)) and ("/" in text or text.startswith(".") or bool(_ENDING.search(text)))


@cache
def tracked() -> frozenset[str]:
    """Files and folders of the repository, by path."""
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"],  # noqa: S607  # the developer's own git
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    files = {name for name in listed.stdout.splitlines() if (ROOT / name).exists()}
    return frozenset(files | {str(folder) for name in files for folder in PurePosixPath(name).parents} - {"."})


@cache
def literals() -> frozenset[str]:
    """The texts in the code of the product, of which it makes its paths, and their parts."""
    found: set[str] = set()
    for name in tracked():
        if name.endswith(".py") and name.startswith(PRODUCT):
            code = (ROOT / name).read_text(encoding="utf-8")
            found |= {f"{stored}.json" for stored in _STORED.findall(code)}
            for text in _QUOTED.findall(code):
                found |= {text, *text.split("/")}
    return frozenset(found)


@cache
def literal_words() -> frozenset[str]:
    """The words of those texts."""
    return frozenset(word for text in literals() for word in re.findall(r"\w+", text))


def is_of_repository(path: str) -> bool:
    """Return whether it is there: from the root, as a module of the bot, or by a name that stands somewhere."""
    plain = path.removeprefix("./").rstrip("/")
    if _PLACEHOLDER.search(plain):
        pattern = "".join("[^/]+" if _PLACEHOLDER.fullmatch(part) else re.escape(part) for part in _split(plain))
        return any(re.fullmatch(f"(bot/)?{pattern}", name) for name in tracked())
    named = {f"{plain}{ending}" for ending in ("", ".py")}
    if "/" in plain:
        return bool({f"{top}{name}" for top in ("", "bot/") for name in named} & tracked()) or _is_member(plain)
    return any(name.endswith(f"/{plain}") or name == plain for name in tracked())


def _is_member(path: str) -> bool:
    """Return whether it is `package/module.function`."""
    module, _, member = path.rpartition(".")
    file = ROOT / "bot" / f"{module}.py"
    return (
        bool(module)
        and file.is_file()
        and re.search(rf"^(?:async )?(?:def|class) {member}\b|^{member}\b", file.read_text(), re.MULTILINE) is not None
    )


def _split(path: str) -> list[str]:
    return [part for part in re.split(rf"({_PLACEHOLDER.pattern})", path) if part]


def is_written_by_code(path: str) -> bool:
    """Return whether each name in it stands in the code as a text; of one with a placeholder, its words."""
    names = path.removeprefix("~/").strip("/").split("/")
    fixed = [name for name in names if not _PLACEHOLDER.search(name)]
    words = [word for name in names if name not in fixed for word in re.findall(r"\w+", _PLACEHOLDER.sub(" ", name))]
    return bool(fixed or words) and literals().issuperset(fixed) and literal_words().issuperset(words)


def is_known(path: str) -> bool:
    """Return whether the repository has it, the code makes it, or it is one that is never read."""
    return is_of_repository(path) or is_written_by_code(path) or is_denied(path)


def unknown() -> Iterator[str]:
    """The paths that are nowhere, with their place."""
    for page in PAGES:
        for span in page.spans:
            if looks_like_path(span.text) and span.text not in OTHERS and not is_known(span.text):
                yield f"{page.at(span)}: {span.text}"


def test_each_path_of_the_documents_is_there() -> None:
    """In the repository, in the code that makes it, or among the names that are never read.

    A path that fails here is wrong, or belongs to the table above with its reason.
    """
    assert [*unknown()] == []


@pytest.mark.parametrize(
    ("path", "known"),
    [
        ("bot/decide/gate.py", True),
        ("decide/gate", True),
        ("gate.py", True),
        ("bot/decide/gates.py", False),
        ("bot/decide/classify/languages/<code>.yml", True),
        ("bot/decide/classify/tongues/<code>.yml", False),
        ("events.ndjson", True),
        ("event.ndjson", False),
        ("~/.triage/events.ndjson", True),
        ("sessions/<start>-<id>.json", True),
        ("meetings/<id>.json", False),
        (".ssh", True),
        ("docs/nowhere.md", False),
    ],
)
def test_a_path_is_told_from_a_wrong_one(path: str, *, known: bool) -> None:
    """As the repository and the code have it today."""
    assert (looks_like_path(path) or "." not in path, is_known(path)) == (True, known)


def test_each_file_of_the_home_is_one_that_a_bot_keeps_there(tmp_path: Path) -> None:
    """By the names that the home has for them; in command lines, too."""
    known = {path.name for path in vars(Home(tmp_path / "home")).values() if isinstance(path, Path)}
    texts = [(page.at(piece), piece.text) for page in PAGES for piece in (*page.spans, *page.blocks)]
    named = [(where, name) for where, text in texts for name in re.findall(r"~/\.triage/([\w.-]+)", text)]
    assert [f"{where}: {name}" for where, name in named if name not in known] == []


def test_each_row_of_the_table_is_needed() -> None:
    """One that no document has any more is removed."""
    spans = {span.text for page in PAGES for span in page.spans}
    assert {*OTHERS} - spans == set()
