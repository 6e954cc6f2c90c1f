"""Results of checks: their form, and their errors as people may read them."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from bot.adapters.checks import LONGEST_ERROR, find_missing
from bot.models.check_target import CheckTarget, DatabaseTarget, DnsTarget, HttpTarget
from tests.adapters.checks.crew import find_fault, make_check, open_checks
from tests.adapters.checks.web_server import serve, whole

WORD = "hunter2" * 2
LOOKALIKE = "_".join(("ghp", "aBcDeFgHiJkLmNoPqRsTuVwXyZ0123456789"))


async def test_check_result_object_structure() -> None:
    """Spec 3, "Check result object structure": service, check_type, status and error, each a string."""
    async with serve(whole(status="503 Busy")) as web:
        target = HttpTarget(url=f"http://127.0.0.1:{web.port}/")
        async with open_checks(target, DnsTarget(name="nobody.invalid", server="127.0.0.1:1"), timeout_s=0.3) as checks:
            results = await checks.check("shop")
    assert len(results) == 2
    for result in results:
        written = json.loads(result.model_dump_json())
        assert {"service", "check_type", "status", "error"} <= set(written)
        assert all(isinstance(written[key], str) for key in ("service", "check_type", "status", "error"))
        assert written["check_type"] in ("http", "dns", "container", "database", "service")
        assert written["status"] in ("healthy", "degraded", "down")
        assert written["error"]


async def test_an_unknown_service_has_no_results() -> None:
    """A service that the settings no longer name is not checked."""
    async with open_checks() as checks:
        assert await checks.check("other") == ()


@pytest.mark.parametrize(
    ("target", "excluded"),
    [
        (HttpTarget(url="http://127.0.0.1:1/", text="x"), ()),
        (
            HttpTarget(url="http://" + "x" * 300 + ".invalid/?password=" + WORD, text="x"),
            (WORD,),
        ),
        (DnsTarget(name=LOOKALIKE, server="127.0.0.1:1"), ()),
        (DatabaseTarget(url_env="A_DB"), (WORD,)),
        (DnsTarget(name="a\x1b[31m\nb", server="127.0.0.1:1"), ("\x1b", "\n")),
    ],
)
async def test_an_error_is_short_printable_and_redacted(target: CheckTarget, excluded: tuple[str, ...]) -> None:
    """No secret, no control character, on one line."""
    environment = {"A_DB": f"postgresql://u:{WORD}@127.0.0.1:1/" + "x" * 500}
    result = await make_check(target, environment=environment, timeout_s=0.3)
    assert result.status == "down"
    assert 0 < len(result.error) <= LONGEST_ERROR
    assert result.error.isprintable()
    assert [text for text in excluded if text in result.error] == []


async def test_a_token_in_an_expected_text_is_redacted() -> None:
    """A value that looks like a secret is shown to nobody."""
    async with serve(whole()) as web:
        result = await make_check(HttpTarget(url=f"http://127.0.0.1:{web.port}/", text=LOOKALIKE))
    assert result.status == "down"
    assert LOOKALIKE not in result.error


async def test_a_fault_of_the_check_itself_is_no_outage(caplog: pytest.LogCaptureFixture) -> None:
    """A fault in the program is logged, and does not stop the other checks."""
    broken = HttpTarget.model_construct(type="http", url=None)  # type: ignore[arg-type]  # the fault
    async with serve(whole()) as web:
        async with open_checks(broken, HttpTarget(url=f"http://127.0.0.1:{web.port}/")) as checks:
            (result,) = await checks.check("shop")
            await checks.check("shop")
            assert checks.list_faults("shop") == ("http: the check itself failed: AttributeError; the log says more",)
    assert result.status == "healthy"
    assert caplog.text.count("failed by itself") == 1


async def test_a_missing_module_is_no_outage(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    """An installation without a module says nothing about a service."""
    monkeypatch.delitem(sys.modules, "bot.adapters.checks.dns_check", raising=False)
    monkeypatch.setitem(sys.modules, "dns", None)
    assert await find_fault(DnsTarget(name="shop.example")) == (
        "dns: the Python package dnspython is not installed: install Triage again"
    )
    assert "could not be made" in caplog.text
    assert "failed by itself" not in caplog.text


def test_a_missing_module_of_the_core_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Before the start, for the types of checks in the settings."""
    assert find_missing(["http", "dns", "container"]) == ""
    monkeypatch.setattr("importlib.util.find_spec", {"aiohttp": object()}.get)
    assert find_missing(["http"]) == ""
    assert (
        find_missing(["http", "dns"])
        == "dns checks: the Python package dnspython is not installed: install Triage again"
    )


def test_no_library_is_loaded_before_a_check_needs_it() -> None:
    """A bot without services starts as quickly as before."""
    program = "import sys, bot.adapters.checks; print({'aiohttp', 'dns', 'psycopg'} & {*sys.modules})"
    done = subprocess.run((sys.executable, "-c", program), capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


_FIRST_CHECK = """\
import asyncio, sys
from bot.models.check_target import DnsTarget, HttpTarget
from tests.adapters.checks.crew import open_checks
from tests.adapters.checks.web_server import serve, whole

loaded = []

def measure():
    loaded.append({*sys.modules})
    return 0.0

async def main():
    async with serve(whole()) as web:
        web_target = HttpTarget(url=f"http://localhost:{web.port}/", latency_ms=300)
        secure = HttpTarget(url=f"https://localhost:{web.port}/", latency_ms=300)
        name = DnsTarget(name="a.example", server="127.0.0.1:1")
        async with open_checks(web_target, secure, name, measure=measure, timeout_s=0.5) as checks:
            await checks.check("shop")

asyncio.run(main())
late = loaded[-1] - loaded[0]
print(sorted(name for name in late if not name.startswith("tests")))
"""


def test_nothing_is_imported_while_a_check_is_timed() -> None:
    """The first checks of a process are not said to be slow for the libraries that they need."""
    done = subprocess.run((sys.executable, "-c", _FIRST_CHECK), capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
