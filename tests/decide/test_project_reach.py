"""What projects made by commands may reach."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.decide.project_reach import ProjectReach, is_local
from bot.decide.repository_address import address_problem, host_of
from tests.tables import each_row


@each_row(
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


@pytest.mark.parametrize(
    ("hosts", "address", "is_named"),
    [
        ({"code.test"}, "https://code.test/shop", True),
        ({"code.test"}, "https://code.test:443/shop", True),
        ({"code.test"}, "ssh://git@code.test:22/shop", True),
        ({"code.test"}, "ssh://git@code.test/shop", True),
        ({"code.test"}, "https://code.test:22/shop", False),
        ({"code.test"}, "https://code.test:6379/shop", False),
        ({"code.test"}, "ssh://code.test:2222/shop", False),
        ({"code.test:2222"}, "ssh://code.test:2222/shop", True),
        ({"code.test:2222"}, "ssh://code.test:02222/shop", True),
        ({"code.test:2222"}, "ssh://code.test/shop", False),
        ({"code.test:22"}, "ssh://code.test/shop", True),
        ({"code.test:22"}, "https://code.test/shop", False),
        ({"code.test:8443"}, "https://CODE.test:8443/shop", True),
    ],
)
def test_a_host_stands_for_the_usual_ports_alone(hosts: set[str], address: str, is_named: bool) -> None:
    """Of what is spoken there; each other port has to be named with it."""
    problem = ProjectReach(hosts=frozenset(hosts)).host_problem(*host_of(address))
    assert (problem is None) is is_named
    assert is_named or "under repository_hosts" in str(problem) or "which repository_hosts" in str(problem)


@each_row(
    ("address", "words"),
    [
        ("https://code.test/team/shop", ""),
        ("https://code.test:8443/team/shop.git", ""),
        ("ssh://git@code.test/team/shop", ""),
        ("ssh://git@[2001:db8::5]:2222/shop", ""),
        ("file:///srv/shop", ""),
        ("/srv/shop.git", ""),
        ("./shop", ""),
        ("../a:b/shop", ""),
        ("git@code.test:team/shop", "expected ssh://git@code.test/team/shop instead of git@code.test:team/shop"),
        ("code.test:team/shop.git", "expected ssh://code.test/team/shop.git instead of"),
        ("git@code.test:/srv/shop", "expected ssh://git@code.test/srv/shop instead of"),
        ("me:word@code.test:shop", "expected ssh://git@host/path instead of git@host:path"),
        ("-oProxyCommand=x:shop", "begins with no dash"),
        ("--upload-pack=x", "begins with no dash"),
        ("ssh://-oProxyCommand=x@code.test/shop", "a name of letters and digits before the @"),
        ("ssh://%2doProxyCommand=x@code.test/shop", "a name of letters and digits before the @"),
        ("ssh://@code.test/shop", "a name of letters and digits before the @"),
        ("ssh://-oProxyCommand=x/shop", "a host of letters, digits, dots and dashes that begins with no dash"),
        ("ssh://git@-code.test/shop", "that begins with no dash"),
        ("ssh://git@%2dcode.test/shop", "that begins with no dash"),
        ("https://-code.test/shop", "that begins with no dash"),
        ("https:///shop", "a host of letters"),
        ("https://code.test:-1/shop", "a port of digits"),
        ("https://code.test:99999/shop", "a port of digits"),
        ("https://code.test:0/shop", "a port of digits"),
        ("https://code.test:/shop", "a port of digits"),
        ("https://[::1/shop", "a port of digits"),
        ("https://me@code.test/shop", "expected no name and no password"),
        ("https://@code.test/shop", "expected no name and no password"),
        ("https://:x@code.test/shop", "expected no name and no password"),
        ("ssh://git:word@code.test/shop", "expected no name and no password"),
        ("ssh://git:@code.test/shop", "expected no name and no password"),
        ("https://other.test\\@code.test/shop", "expected no name and no password"),
        ("https://code.test/shop?x=1", "without ?, # and"),
        ("https://code.test/shop#x", "without ?, # and"),
        ("https://code.test\\.other.test/shop", "a host of letters"),
        ("https://code.test/sh\nop", "without blanks and control characters"),
        ("https://code.test/\x7fshop", "without blanks and control characters"),
        ("https://code.test/\u202eshop", "without blanks and control characters"),
        ("\thttps://code.test/shop", "without blanks and control characters"),
        ("https://code.test/a b", "without blanks and control characters"),
        ("ext::https://code.test/shop", "expected https://, ssh:// or file://"),
        ("git://code.test/shop", "expected https://, ssh:// or file://"),
        ("HTTPS://code.test/shop", "expected https://, ssh:// or file://"),
        ("file://code.test/srv/shop", "file:// and the whole path"),
        ("file://srv/shop", "file:// and the whole path"),
    ],
)
def test_what_git_or_ssh_could_take_otherwise_is_no_address(address: str, words: str) -> None:
    """Options, helpers, names, passwords, what nobody sees; the reason says what to write."""
    problem = address_problem(address) or ""
    assert words in problem
    assert bool(words) is bool(problem)


def test_none_is_named_by_default() -> None:
    """The words say where."""
    assert "name the host under repository_hosts" in (ProjectReach().host_problem("code.test") or "")


def test_a_folder_is_reached_where_the_settings_name_one_around_it() -> None:
    """The refusal repeats the typed name, and says what to change."""
    reach = ProjectReach(below=(Path("/srv/code"), Path("/srv/docs")))
    assert reach.folder_problem(Path("/srv/code/shop"), "shop") is None
    assert reach.folder_problem(Path("/srv/docs"), "docs") is None
    assert "below /srv/code, /srv/docs" in (reach.folder_problem(Path("/etc"), "~/link") or "")
    assert "~/link" in (reach.folder_problem(Path("/etc"), "~/link") or "")
    assert "under projects_below" in (ProjectReach().folder_problem(Path("/srv/code"), "code") or "")
