"""Certificates of web servers, made by the test: expired, untrusted, for another name, and about to expire."""

from __future__ import annotations

import ssl
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import trustme

from bot.models.check_target import HttpTarget
from tests.adapters.checks.crew import find_fault, make_check, open_checks
from tests.adapters.checks.web_server import serve, whole

NOW = datetime.now(UTC)


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    """An authority."""
    return trustme.CA()


@pytest.fixture(autouse=True)
def trusted(authority: trustme.CA, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """This machine trusts the authority."""
    authority.cert_pem.write_to_path(tmp_path / "ca.pem")
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "ca.pem"))


def tls(authority: trustme.CA, *, days: float, name: str = "127.0.0.1") -> ssl.SSLContext:
    """The server's side, with a certificate that expires in so many days."""
    end = NOW + timedelta(days=days)
    certificate = authority.issue_cert(name, not_before=end - timedelta(days=90), not_after=end)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    certificate.configure_cert(context)
    return context


@pytest.mark.parametrize(
    ("days", "status", "error"),
    [
        (60, "healthy", ""),
        (14.1, "healthy", ""),
        (13.5, "degraded", "its certificate expires in 13 days, expected at least 14"),
        (1.5, "degraded", "its certificate expires in 1 day, expected at least 14"),
        (0.5, "degraded", "its certificate expires in less than a day, expected at least 14"),
        (-2, "down", "its certificate has expired"),
        (100, "down", "its certificate is not valid yet"),
    ],
)
async def test_the_days_of_a_certificate(authority: trustme.CA, days: float, status: str, error: str) -> None:
    """Few days left degrade a service, an expired or future certificate puts it down."""
    async with serve(whole(), tls(authority, days=days)) as web:
        result = await make_check(HttpTarget(url=f"https://127.0.0.1:{web.port}/"))
    assert (result.status, result.error) == (status, error)


async def test_no_days_are_expected(authority: trustme.CA) -> None:
    """With zero days a certificate may be used to its end."""
    async with serve(whole(), tls(authority, days=0.5)) as web:
        result = await make_check(HttpTarget(url=f"https://127.0.0.1:{web.port}/", certificate_days=0))
    assert result.status == "healthy"


async def test_certificates_that_could_not_be_loaded_are_loaded_with_the_next_check(
    authority: trustme.CA, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not only after a restart: their disk may have failed for a moment."""
    loads = iter([OSError(5, "Input/output error"), OSError(5, "Input/output error")])

    def load() -> ssl.SSLContext:
        if problem := next(loads, None):
            raise problem
        return ssl.create_default_context()

    monkeypatch.setattr("bot.adapters.checks.http_check.load_certificates", load)
    async with serve(whole(), tls(authority, days=60)) as web:
        async with open_checks(HttpTarget(url=f"https://127.0.0.1:{web.port}/")) as checks:
            results = [(await checks.check("shop"))[0] for _ in range(2)]
    assert [(each.status, each.error) for each in results] == [
        ("down", "cannot connect: input/output error"),
        ("healthy", ""),
    ]


async def test_a_certificate_of_another_authority() -> None:
    """A certificate that this machine has no reason to trust."""
    async with serve(whole(), tls(trustme.CA(), days=60)) as web:
        result = await make_check(HttpTarget(url=f"https://127.0.0.1:{web.port}/"))
    assert result.status == "down"
    assert result.error.startswith("its certificate is not trusted: ")


async def test_a_certificate_for_another_name(authority: trustme.CA) -> None:
    """A certificate that is trusted, for a server that is not this one."""
    async with serve(whole(), tls(authority, days=60, name="other.example.com")) as web:
        result = await make_check(HttpTarget(url=f"https://127.0.0.1:{web.port}/"))
    assert (result.status, result.error) == ("down", "its certificate is for another name")


async def test_a_server_without_tls() -> None:
    """A port that speaks plain HTTP only."""
    async with serve(whole()) as web:
        result = await make_check(HttpTarget(url=f"https://127.0.0.1:{web.port}/"), timeout_s=0.2)
    assert result.status == "down"
    assert result.error.startswith(("no TLS connection", "no answer within"))


async def test_a_wrong_status_counts_more_than_days(authority: trustme.CA) -> None:
    """A service that is down is not called degraded."""
    async with serve(whole(status="500 Oops"), tls(authority, days=3)) as web:
        result = await make_check(HttpTarget(url=f"https://127.0.0.1:{web.port}/"))
    assert (result.status, result.error) == ("down", "answered 500, expected 200")


@pytest.mark.parametrize(
    ("content", "reason"), [(None, "no such file or directory"), ("x", "it holds no certificate in PEM form")]
)
async def test_a_file_of_certificates_that_cannot_be_used_is_no_outage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: str | None, reason: str
) -> None:
    """Nothing is known of the service; the reason names the variable."""
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "own.pem"))
    if content:
        (tmp_path / "own.pem").write_text(content)
    fault = await find_fault(HttpTarget(url="https://127.0.0.1:1/"))
    assert fault.startswith(f"http: the variable SSL_CERT_FILE names a file that cannot be used ({reason}): ")
