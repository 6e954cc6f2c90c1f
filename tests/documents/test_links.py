"""Links of the documents, and links to them from code and messages."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

import pytest

from tests.documents.pages import PAGES, ROOT, find_slug, read_page

if TYPE_CHECKING:
    from collections.abc import Iterator

IMAGES = ROOT / "docs" / "images"
CODE = ("bot", "blocks", "prompts", "sandbox", "scripts", "measure", "tests", ".ci")
FILES = (
    "triage.example.yml",
    "manifest.yml",
    "Makefile",
    "compose.yml",
    "compose.replicas.yml",
    "Dockerfile",
    "triage.service",
    "pyproject.toml",
)
TEXT = {".py", ".yml", ".yaml", ".md", ".txt", ".html", ".js", ".css", ".toml", ".jsonl", ".tsv", ""}
OTHERS = ("bot/cli/demo_project/", "bot/cli/demo_returns/", "bot/cli/starter_questions.jsonl", "tests/", "measure/")
"""Files that name documents of other projects: those of the demo, and of tests."""

REGISTRIES = {"pypi", "pythonhosted", "npmjs", "crates", "rubygems", "ghcr", "quay"}
"""Words of the hosts of package registries, which no file names."""

MENTION = re.compile(
    r"(?<![\w./:-])docs/(?:[\w-]+/)*[\w-]+\.md(?P<anchor>#[\w-]+)?|(?<![\w./:-])docs/images/[\w-]+\.png"
)


@cache
def anchors(path: Path) -> frozenset[str]:
    """The anchors of a document."""
    return read_page(path).anchors


def faults(base: Path, target: str) -> Iterator[str]:
    """What is wrong with a link that stands in a file of this folder."""
    parts = urlsplit(target)
    if parts.scheme or parts.netloc:
        is_local = parts.hostname in ("127.0.0.1", "localhost", "::1")
        if parts.scheme not in ("https", "mailto") and not is_local:
            yield "expected https"
        if REGISTRIES & {*str(parts.hostname).split(".")}:
            yield "is the host of a package registry"
        return
    path = (base / unquote(parts.path)).resolve() if parts.path else None
    if path is not None and not path.exists():
        yield "no such file"
    elif path is not None and not path.is_relative_to(ROOT):
        yield "leads out of the repository"
    elif parts.fragment and path is not None and path.suffix == ".md" and parts.fragment not in anchors(path):
        yield f"{path.name} has no heading with this anchor"


def test_each_link_of_a_document_leads_somewhere() -> None:
    """To a file, and to a heading of it; on other hosts by https. Nothing is fetched."""
    wrong = [
        f"{page.at(link)}: {link.text}: {fault}"
        for page in PAGES
        for link in page.links
        for fault in faults(page.path.parent, page.path.name + link.text if link.text.startswith("#") else link.text)
    ]
    assert wrong == []


def test_each_picture_is_shown_by_a_document() -> None:
    """One that none shows is removed."""
    shown = {
        (page.path.parent / link.text).resolve() for page in PAGES for link in page.links if link.text.endswith(".png")
    }
    assert set(IMAGES.iterdir()) - shown == set()


def mentions() -> Iterator[tuple[str, str]]:
    """Each document that code and messages name: where, and its path."""
    files = [path for name in CODE for path in sorted((ROOT / name).rglob("*"))]
    for path in [*files, *(ROOT / name for name in FILES)]:
        name = str(path.relative_to(ROOT))
        if path.suffix in TEXT and path.is_file() and "__pycache__" not in path.parts and not name.startswith(OTHERS):
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                yield from ((f"{name}:{number}", match[0]) for match in MENTION.finditer(line))


def test_each_document_that_code_or_a_message_names_is_there() -> None:
    """With its anchor, if it has one."""
    found = [*mentions()]
    wrong = [f"{where}: {target}: {fault}" for where, target in found for fault in faults(ROOT, target)]
    assert wrong == []
    assert len(found) > 50


@pytest.mark.parametrize(
    ("heading", "slug"),
    [
        ("Run it in your Slack", "run-it-in-your-slack"),
        ("`triage doctor`, and what it says", "triage-doctor-and-what-it-says"),
        ("What a **person** sees: [cards](x.md)", "what-a-person-sees-cards"),
        ("Kinds – of runs", "kinds--of-runs"),
        ("snake_case & more", "snake_case--more"),
    ],
)
def test_an_anchor_is_githubs(heading: str, slug: str) -> None:
    """Lower case, hyphens for spaces, no signs."""
    assert find_slug(heading) == slug


@pytest.mark.parametrize(
    ("target", "fault"),
    [
        ("docs/install.md", None),
        ("docs/none.md", "no such file"),
        ("README.md#try-it", None),
        ("README.md#try-nothing", "README.md has no heading with this anchor"),
        ("https://api.slack.com/apps", None),
        ("http://api.slack.com/apps", "expected https"),
        ("http://127.0.0.1:8765/", None),
        ("https://pypi.example/simple", "is the host of a package registry"),
        ("../x", "no such file"),
    ],
)
def test_a_link_is_judged(target: str, fault: str | None) -> None:
    """A dead one is told from one that leads somewhere."""
    assert [*faults(ROOT, target)] == ([fault] if fault else [])
