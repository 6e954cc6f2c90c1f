"""What projects made by commands may reach."""

from __future__ import annotations

import pytest

from bot.decide.project_reach import ProjectReach, is_local


@pytest.mark.parametrize(
    ("host", "local"),
    [
        ("localhost", True),
        ("LOCALHOST.", True),
        ("git.localhost", True),
        ("127.0.0.1", True),
        ("127.1", True),
        ("2130706433", True),
        ("0x7f000001", True),
        ("0177.0.0.1", True),
        ("0", True),
        ("169.254.169.254", True),
        ("[::1]", True),
        ("::ffff:127.0.0.1", True),
        ("2002:7f00:1::", True),
        ("fe80::1%eth0", True),
        ("::", True),
        ("github.com", False),
        ("10.0.0.5", False),
        ("2001:db8::5", False),
        ("localhost.example.org", False),
    ],
)
def test_this_machine_is_known_in_every_form(host: str, local: bool) -> None:
    """The system reads short, octal and hexadecimal addresses, too."""
    assert is_local(host) is local


@pytest.mark.parametrize(
    ("host", "words"),
    [
        ("code.test", ""),
        ("CODE.test.", ""),
        ("code.test.evil.test", "expected one of the hosts code.test"),
        ("127.0.0.1", "this machine's own addresses"),
        ("", "expected one of the hosts code.test"),
    ],
)
def test_a_host_is_named_or_refused(host: str, words: str) -> None:
    """The whole name counts, without regard to case and a dot at its end."""
    assert words in (ProjectReach(hosts=frozenset({"code.test"})).host_problem(host) or "")
    assert bool(words) is bool(ProjectReach(hosts=frozenset({"code.test"})).host_problem(host))


def test_none_is_named_by_default() -> None:
    """The words say where."""
    assert "name the host under repository_hosts" in (ProjectReach().host_problem("code.test") or "")
