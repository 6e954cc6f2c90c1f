"""Addresses of cited lines: the forms of each kind of page, and what is no page."""

from __future__ import annotations

from typing import Any

import pytest

from bot.decide.grounding.web_link import commit_page, complaint, lines, parse_link

SHA = "0123456789abcdef0123456789abcdef01234567"


@pytest.mark.parametrize(
    ("web_url", "address"),
    [
        ("https://github.com/team/shop", f"https://github.com/team/shop/blob/{SHA}/app/a%20b.py#L3-L5"),
        ("https://github.com/team/shop.git/", f"https://github.com/team/shop/blob/{SHA}/app/a%20b.py#L3-L5"),
        (
            "https://gitlab.example.org/team/shop",
            f"https://gitlab.example.org/team/shop/-/blob/{SHA}/app/a%20b.py#L3-5",
        ),
        (
            "https://code.example/shop/{path}?at={commit}#{first}-{last}",
            f"https://code.example/shop/app/a%20b.py?at={SHA}#3-5",
        ),
    ],
)
def test_each_page_names_lines_in_its_own_form(web_url: str, address: str) -> None:
    """Pinned to the commit; what a path holds is escaped."""
    assert complaint(web_url) is None
    assert lines(web_url, SHA, "app/a b.py", 3, 5) == address


def test_a_single_line_and_a_commit_have_addresses_too() -> None:
    """A form that says how files are named says nothing of commits."""
    assert lines("https://github.com/t/s", SHA, "a.py", 3, 3).endswith("/a.py#L3")
    assert lines("https://gitlab.com/t/s", SHA, "a.py", 3, 3).endswith("/a.py#L3")
    assert commit_page("https://github.com/t/s", SHA) == f"https://github.com/t/s/commit/{SHA}"
    assert commit_page("https://gitlab.com/t/s", SHA) == f"https://gitlab.com/t/s/-/commit/{SHA}"
    assert commit_page("https://code.example/{path}?at={commit}", SHA) is None


def test_a_path_leads_nowhere_else() -> None:
    """Whatever a file is called, the address stays on its page and can close no markup."""
    address = lines("https://github.com/t/s", SHA, 'a?b#c|d><"e`f {commit}.py', 1, 1)
    assert address.startswith(f"https://github.com/t/s/blob/{SHA}/a%3Fb%23c")
    assert not set(address) & set('<>|"`? {}')


@pytest.mark.parametrize(
    ("web_url", "said"),
    [
        ("http://github.com/t/s", "https"),
        ("github.com/t/s", "https"),
        ("https://", "https"),
        ("https://[", "address"),
        ("https://github.com/t/s|x>", "https"),
        ("https://me:pass" + "word@github.com/t/s", "without a name or a password"),
        ("https://github.com/t/s?tab=1", "own page"),
        ("https://code.example/{path}", "{commit} and {path}"),
        ("https://code.example/{path}/{commit}/{branch}", "{commit} and {path}"),
    ],
)
def test_what_is_no_page_is_said(web_url: str, said: str) -> None:
    """With what is expected instead, and never with a password in it."""
    problem = complaint(web_url)
    assert problem
    assert said in problem
    assert "password@" not in problem


TEMPLATE = "https://code.example/shop/{path}?at={commit}#{first}-{last}"


@pytest.mark.parametrize(
    ("web_url", "address", "expected"),
    [
        (TEMPLATE, f"https://code.example/shop/app/a%20b.py?at={SHA}#3-5", (SHA, ("app/a b.py",), 3, 5)),
        (TEMPLATE, f"https://code.example/other/app/a.py?at={SHA}#3-5", None),
        ("https://code.example/{path}@{commit}", f"https://code.example/a.py@{SHA}", (SHA, ("a.py",), None, None)),
        (
            "https://code.example/{path}@{commit}?{path}#{first}",
            f"https://code.example/a.py@{SHA}?a.py#7",
            (SHA, ("a.py",), 7, 7),
        ),
        ("https://github.com/t/s", f"https://github.com/t/s/blob/{SHA}/a.py#L3-L5", (SHA, ("a.py",), 3, 5)),
        ("https://github.com/t/s", f"https://github.com/t/s/blob/{SHA}/a.py", (SHA, ("a.py",), None, None)),
        ("https://github.com/t/s", f"https://github.com/t/s/commit/{SHA}", (SHA, (), None, None)),
        (
            "https://github.com/t/s",
            "https://github.com/t/s/blob/feature/x/a.py",
            ("feature", ("x/a.py", "a.py"), None, None),
        ),
        ("https://github.com/t/s", "https://github.com/t/s/issues/3", None),
        ("https://github.com/t/s", "https://github.com/t/other/blob/main/a.py", None),
        ("https://github.com/t/s", f"https://github.com/t/s/blob/{SHA}/{'a' * 2_000}", None),
        ("", "https://github.com/t/s/blob/main/a.py", None),
    ],
)
def test_an_address_is_read_back_into_its_place(web_url: str, address: str, expected: Any) -> None:
    """A branch may have slashes in its name; what is on no page of the project has no place."""
    read = parse_link(web_url, address)
    assert (read and (read.commit, read.paths, read.first, read.last)) == expected
