"""CODEOWNERS: which line counts for which path, by table, and whom it leads to in Slack."""

from __future__ import annotations

import pytest

from bot.decide.owners import find_people_to_ask, parse
from bot.decide.retrieval.path_patterns import fits
from tests.tables import each_row


@each_row(
    ("pattern", "path", "is_fit"),
    [
        ("*", "src/a.py", True),
        ("*.js", "web/src/a.js", True),
        ("*.js", "web/src/a.jsx", False),
        ("/build/logs/", "build/logs/today/a.log", True),
        ("/build/logs/", "x/build/logs/a.log", False),
        ("apps/", "deep/apps/a.py", True),
        ("apps/", "apps", False),
        ("docs/*", "docs/start.md", True),
        ("docs/*", "docs/build/start.md", False),
        ("docs/*", "web/docs/start.md", False),
        ("/*", "start.md", True),
        ("/*", "docs/start.md", False),
        ("/docs", "docs/build/start.md", True),
        ("**/logs", "build/logs/a.log", True),
        ("src/**/*.py", "src/a.py", True),
        ("src/**/*.py", "src/a/b/c.py", True),
        ("src/?.py", "src/ab.py", False),
        ("a\\ b.md", "x/a b.md", True),
        ("a+b(1).md", "a+b(1).md", True),
        ("README.md", "READMEXmd", False),
    ],
)
def test_patterns_of_codeowners(pattern: str, path: str, is_fit: bool) -> None:
    """A pattern fits what GitHub says that it fits."""
    assert fits(pattern, path, star_is_shallow=True) is is_fit


def test_a_star_at_the_end_goes_deep_where_git_ignores() -> None:
    """In `.gitignore` what fits a folder fits all that lies in it."""
    assert fits("vendor/*", "vendor/lib/a.py")
    assert fits("vendor/**", "vendor/lib/a.py")


FILE = """
# who owns what
*            @octo/everybody
*.py         @ana # python
/docs/       docs@example.org @octo/writers
/docs/old
!*.md        @nobody
[Database][2] @octo/dba
model/db/
^[Config]
*.yml        @ops not-an-owner
"""
THEMSELVES = {
    name: name
    for name in ("@ana", "@nobody", "@ops", "@octo/dba", "@octo/everybody", "@octo/writers", "docs@example.org")
}


@pytest.mark.parametrize(
    ("path", "owners"),
    [
        ("a.txt", ("@octo/everybody",)),
        ("src/a.py", ("@ana",)),
        ("docs/a.py", ("docs@example.org", "@octo/writers")),
        ("docs/old/a.md", ()),
        ("model/db/a.py", ("@ana", "@octo/dba")),
        ("model/db/a.yml", ("@octo/everybody", "@octo/dba", "@ops")),
    ],
)
def test_the_last_line_that_fits_counts(path: str, owners: tuple[str, ...]) -> None:
    """In each section for itself; a line without owners takes a path from everybody, or gives it to the section's."""
    assert find_people_to_ask((path,), parse(FILE.split("\n")), THEMSELVES, ()) == owners


@pytest.mark.parametrize("pattern", ["a*" * 200_000, "?" * 200_000])
def test_a_pattern_longer_than_any_path_is_left_out(pattern: str) -> None:
    """It takes nothing from the other lines."""
    rules = parse(["*.py @ana", f"{pattern} @nobody"])
    assert find_people_to_ask(("src/a.py",), rules, THEMSELVES, ()) == ("@ana",)


@pytest.mark.parametrize("pattern", ["a*" * 2_048, "?" * 4_096, "\N{LATIN SMALL LETTER A WITH DIAERESIS}" * 4_096])
def test_the_longest_patterns_that_count_can_be_compiled(pattern: str) -> None:
    """Else one line of a repository would end every investigation of it."""
    rules = parse(["*.py @ana", f"{pattern} @nobody"])
    assert find_people_to_ask(("src/a.py",), rules, THEMSELVES, ()) == ("@ana",)


def test_owners_lead_to_people_in_slack() -> None:
    """Known owners of all cited files, each once; whoever is on call only where none is known."""
    rules = parse(FILE.split("\n"))
    known = {"@Octo/Writers": "S0WRITERS", "@ana": "U0ANA", "docs@example.org": "U0ANA"}
    assert find_people_to_ask(("docs/a.md", "b.py"), rules, known, ("U0CALL",)) == ("U0ANA", "S0WRITERS")
    assert find_people_to_ask(("a.txt",), rules, known, ("U0CALL", "U0CALL")) == ("U0CALL",)
    assert find_people_to_ask(("a.txt",), rules, known, ()) == ()
