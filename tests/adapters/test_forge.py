"""Drafts of merge requests at a forge on loopback: one each, in doubt too, and errors that say the next step."""

from __future__ import annotations

import ssl
from typing import TYPE_CHECKING, Any

import pytest
import trustme

from bot.adapters.forge import Forges
from bot.adapters.forge.sites import find_project
from bot.errors import RetryLater, ToolError, TriageError, Uncertain
from bot.models.merge_request import ForgeKind, ForgeSite, MergeRequest
from tests.forge_server import HOST, TOKEN, Fault, ForgeServer, OpenedRequest, cut, status

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

ADDRESS = f"https://{HOST}/team/shop.git"
BOTH = pytest.mark.parametrize("kind", ["github", "gitlab"])
DRAFT: dict[str, str] = {"branch": "triage/fix", "target": "main", "title": "Mend it", "body": "By Ana"}


@pytest.fixture
async def server() -> AsyncIterator[ForgeServer]:
    """The forge."""
    async with ForgeServer() as server:
        yield server


def connect(server: ForgeServer, kind: ForgeKind, **changes: Any) -> Forges:
    """The adapter for it."""
    return Forges(sites=(server.site(kind),), variables=changes.pop("variables", server.variables), **changes)


@BOTH
async def test_one_draft_is_opened(server: ForgeServer, kind: ForgeKind) -> None:
    """As often as it is asked for; afterwards it is found."""
    forges = connect(server, kind)
    assert await forges.find(ADDRESS, "triage/fix") is None
    opened = await forges.open_draft(ADDRESS, **DRAFT)
    assert opened == MergeRequest(
        kind=kind,
        number=1,
        url=f"https://{HOST}/team/shop/" + ("pull/1" if kind == "github" else "-/merge_requests/1"),
        title="Mend it" if kind == "github" else "Draft: Mend it",
        branch="triage/fix",
        target="main",
        head_sha=server.head("team/shop", "triage/fix"),
        is_draft=True,
        is_open=True,
    )
    assert await forges.open_draft(ADDRESS, **{**DRAFT, "title": "Other"}) == opened
    assert await forges.find(ADDRESS, "triage/fix") == opened
    assert [(each.branch, each.target, each.body, each.is_draft) for each in server.requests] == [
        ("triage/fix", "main", "By Ana", True)
    ]


@BOTH
async def test_closed_requests_and_those_of_forks_do_not_count(server: ForgeServer, kind: ForgeKind) -> None:
    """A branch of the same name elsewhere is another branch."""
    plain: dict[str, Any] = {"project": "team/shop", "branch": "triage/fix", "target": "main", "is_draft": False}
    server.requests = [
        OpenedRequest(number=1, title="closed", body="", is_open=False, **plain),
        OpenedRequest(number=2, title="fork", body="", source_project="evil/shop", **{**plain, "target": "other"}),
    ]
    forges = connect(server, kind)
    assert await forges.find(ADDRESS, "triage/fix") is None
    assert (await forges.open_draft(ADDRESS, **DRAFT)).number == 3


@BOTH
@pytest.mark.parametrize(
    "fault",
    [
        cut(after_storing=True),
        status(502, after_storing=True),
        Fault(hangs=True, after_storing=True),
        Fault(status=201, body=b"<html>", after_storing=True),
        Fault(status=201, body=b"{}", after_storing=True),
    ],
    ids=["cut", "502", "timeout", "no JSON", "other JSON"],
)
async def test_a_call_in_doubt_is_looked_up(server: ForgeServer, kind: ForgeKind, fault: Fault) -> None:
    """The request that it opened is returned, and no second one is opened."""
    server.faults.append(fault)
    opened = await connect(server, kind, timeout_s=0.3).open_draft(ADDRESS, **DRAFT)
    assert (opened.number, len(server.requests)) == (1, 1)


@BOTH
@pytest.mark.parametrize("fault", [cut(), status(500)], ids=["cut", "500"])
async def test_without_an_effect_the_same_call_opens_it_later(
    server: ForgeServer, kind: ForgeKind, fault: Fault
) -> None:
    """Until then it is in doubt; so it is where the forge cannot be asked."""
    server.faults += [fault, cut(after_storing=True), Fault(method="GET", status=500)]
    server.faults.insert(0, Fault(method="GET", status=200, body=b"[]"))
    server.faults.insert(1, Fault(method="GET", status=200, body=b"[]"))
    forges = connect(server, kind)
    with pytest.raises(Uncertain, match="no open request of triage/fix is there yet"):
        await forges.open_draft(ADDRESS, **DRAFT)
    server.faults.insert(0, Fault(method="GET", status=200, body=b"[]"))
    with pytest.raises(Uncertain, match="then"):
        await forges.open_draft(ADDRESS, **DRAFT)
    assert (await forges.open_draft(ADDRESS, **DRAFT)).number == 1
    assert len(server.requests) == 1


@BOTH
async def test_a_race_is_won_once(server: ForgeServer, kind: ForgeKind) -> None:
    """The forge says that there is one already, and it is found."""
    forges = connect(server, kind)
    await forges.open_draft(ADDRESS, **DRAFT)
    server.faults.append(Fault(method="GET", status=200, body=b"[]"))
    assert (await forges.open_draft(ADDRESS, **DRAFT)).number == 1
    server.faults += [Fault(method="GET", status=200, body=b"[]")] * 2
    with pytest.raises(RetryLater, match="lists none"):
        await forges.open_draft(ADDRESS, **DRAFT)


NOW, RESET = "Thu, 26 Nov 2026 12:00:00 GMT", "1795694430"


@pytest.mark.parametrize(
    ("fault", "after"),
    [
        (status(429, Retry_After="7"), 7),
        (status(403, Retry_After="7"), 7),
        (status(429, Retry_After="Thu, 26 Nov 2026 12:00:10 GMT", Date=NOW), 10),
        (status(403, X_RateLimit_Remaining="0", X_RateLimit_Reset=RESET, Date=NOW), 30),
        (status(429, RateLimit_Reset=RESET, Date=NOW), 30),
        (status(429, Retry_After="999999"), 3_600),
        (status(429, Retry_After="soon"), 30),
    ],
)
async def test_a_rate_limit_says_when_to_come_again(server: ForgeServer, fault: Fault, after: float) -> None:
    """By seconds, by a date, or by the time at which it ends; nothing was opened."""
    server.faults.append(fault)
    with pytest.raises(RetryLater, match="rate limit") as caught:
        await connect(server, "github").open_draft(ADDRESS, **DRAFT)
    assert (caught.value.after, server.requests) == (after, [])


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (status(401), "does not accept the token in FORGE_TOKEN: replace it"),
        (Fault(status=403, body=b'{"message": "Resource not\\n accessible"}'), "(Resource not accessible): give it"),
        (status(404), "no such repository for the token"),
        (status(301, Location="https://evil.example/"), "a redirect, which Triage does not follow"),
        (Fault(status=422, body=b'{"message": "Invalid", "errors": [{"field": "head"}]}'), "(Invalid field: head)"),
        (Fault(status=422, body=b'{"message": "Draft pull requests are not supported"}'), "allows no drafts"),
        (Fault(status=400, body=b'{"message": {"title": ["is too long"]}}'), "status 400 (title: is too long)"),
    ],
)
async def test_a_refusal_says_the_next_step(server: ForgeServer, fault: Fault, words: str) -> None:
    """And nothing was opened."""
    server.faults.append(fault)
    with pytest.raises(ToolError) as caught:
        await connect(server, "github").open_draft(ADDRESS, **DRAFT)
    assert words in str(caught.value)


@BOTH
@pytest.mark.parametrize(
    ("body", "problem"),
    [(b"<html>", RetryLater), (b'[{"id": 1}]', ToolError), (b"[" + b" " * 4_000_001 + b"]", RetryLater)],
    ids=["no JSON", "another form", "too large"],
)
async def test_answers_of_another_form_are_no_answers(
    server: ForgeServer, kind: ForgeKind, body: bytes, problem: type[TriageError]
) -> None:
    """So that nothing is opened on a guess."""
    server.faults.append(Fault(method="GET", status=200, body=body))
    with pytest.raises(problem):
        await connect(server, kind).open_draft(ADDRESS, **DRAFT)
    assert server.requests == []


@pytest.mark.parametrize(
    ("token", "words"), [("", "has no FORGE_TOKEN"), ("a\nb", "is no token"), ("wrong-0815", "not accept the token")]
)
async def test_no_error_holds_a_token(server: ForgeServer, token: str, words: str) -> None:
    """It names the variable."""
    with pytest.raises(ToolError) as caught:
        await connect(server, "github", variables={"FORGE_TOKEN": token}).find(ADDRESS, "triage/fix")
    assert words in str(caught.value)
    assert not token or token not in repr(caught.value)


async def test_a_forge_that_is_down_has_had_no_effect(server: ForgeServer) -> None:
    """So the call may be made again."""
    site = server.site("github", api_url="http://127.0.0.1:9")
    with pytest.raises(RetryLater, match="cannot be reached"):
        await Forges(sites=(site,), variables=server.variables).open_draft(ADDRESS, **DRAFT)


async def test_a_certificate_must_be_trusted() -> None:
    """The token is not sent to anybody else."""
    tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    trustme.CA().issue_cert("127.0.0.1").configure_cert(tls)
    async with ForgeServer(tls=tls) as server:
        with pytest.raises(ToolError, match=r"certificate of 127\.0\.0\.1 is not trusted"):
            await connect(server, "github").find(ADDRESS, "triage/fix")
        assert server.calls == []


@BOTH
async def test_the_right_of_a_token_is_asked_for(server: ForgeServer, kind: ForgeKind) -> None:
    """By the rights that the forge lists for its owner."""
    forges = connect(server, kind)
    assert await forges.may_write(ADDRESS)
    server.may_write = False
    assert not await forges.may_write(ADDRESS)
    assert TOKEN not in "".join(server.calls)


@pytest.mark.parametrize(
    ("where", "address", "project"),
    [
        ({"host": HOST}, "https://git.example.com/team/shop", "team/shop"),
        ({"host": HOST}, "https://git.example.com:443/team/shop.git/", "team/shop"),
        ({"host": HOST}, "https://git.example.com:8443/team/shop", ""),
        ({"host": f"{HOST}:8443"}, "https://git.example.com:8443/team/shop", "team/shop"),
        ({"host": f"{HOST}:8443"}, "ssh://git@git.example.com:22/team/shop.git", "team/shop"),
        ({"host": HOST}, "ssh://git@git.example.com.evil.example/team/shop.git", ""),
        ({"host": HOST}, "https://git.example.com/shop", ""),
        ({"host": HOST}, "https://git.example.com/a/b/shop", ""),
        ({"host": HOST, "kind": "gitlab"}, "https://git.example.com/a/b/shop", "a/b/shop"),
        ({"host": HOST}, "https://git.example.com/../shop", ""),
        ({"host": HOST}, "file:///srv/git/team/shop.git", ""),
        ({"host": HOST}, "", ""),
        ({"folder": "/srv/git"}, "file:///srv/git/team/shop.git", "team/shop"),
        ({"folder": "/srv/git"}, "/srv/git/team/shop.git", "team/shop"),
        ({"folder": "/srv/git"}, "/srv/git", ""),
        ({"folder": "/srv/git"}, "/srv/github/team/shop", ""),
        ({"folder": "/srv/git"}, "https://git.example.com/team/shop", ""),
    ],
)
def test_a_forge_serves_the_remotes_of_its_host(where: dict[str, Any], address: str, project: str) -> None:
    """Or of its folder; no other host, no other port."""
    site = ForgeSite.model_validate({"kind": "github", "token_env": "T", "api_url": "https://api.example.com", **where})
    assert find_project(site, address) == project
    fault = Forges(sites=(site,), variables={}).find_fault(address)
    assert ("the environment has no T" if project else "no forge of the settings serves") in fault
    assert Forges(sites=(site,), variables={"T": "x"}).find_fault(address) == ("" if project else fault)
