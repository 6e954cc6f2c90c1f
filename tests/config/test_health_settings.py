"""Settings of health checks: each mistake gets file, line, key and the expected value."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.config.settings import load
from bot.errors import Misconfigured
from bot.models.check_target import ContainerTarget, DatabaseTarget, DnsTarget, HttpTarget, UnitTarget

WHOLE = """\
watched_chats: [{chat_id: C0HELP}]
health:
  interval_s: 30
  services:
    - name: shop
      group: store
      checks:
        - {type: http, url: "https://shop.example.com/health", text: ok, certificate_days: 7}
        - {type: dns, name: shop.example.com, record: MX, expected: [10 mail.example.com], server: "192.0.2.53:5353"}
        - {type: database, url_env: SHOP_DB, query: select 2, expected: "2", latency_ms: 50}
    - name: box
      checks: [{type: container, name: box-1}, {type: service, unit: box.service}]
watch: {chat_id: C0HELP}
runbooks: [{name: restart, argv: [systemctl, restart, box], services: [box]}]
"""


def write(folder: Path, text: str) -> Path:
    """A settings file with this text."""
    path = folder / "triage.yml"
    path.write_text(text)
    return path


def test_every_check_becomes_a_target(tmp_path: Path) -> None:
    """What the settings say reaches the check, and only programs share a slot."""
    settings = load(write(tmp_path, WHOLE))
    shop, box = settings.health.services
    assert shop.targets == (
        HttpTarget(url="https://shop.example.com/health", text="ok", certificate_days=7),
        DnsTarget(name="shop.example.com", record="MX", expected=("10 mail.example.com",), server="192.0.2.53:5353"),
        DatabaseTarget(url_env="SHOP_DB", query="select 2", expected="2", latency_ms=50),
    )
    assert box.targets == (ContainerTarget(name="box-1"), UnitTarget(unit="box.service"))
    assert (shop.slot, box.slot) == ("", "programs")
    assert settings.health.variables == ("SHOP_DB",)
    assert "SHOP_DB" in settings.secret_variables


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("name: box\n", "name: box\n      project: web\n", ":12: health.services.1.project: expected one of none"),
        ("watch: {chat_id: C0HELP}", "watch: {chat_id: C0ELSE}", ":13: watch.chat_id: expected a channel of watched_"),
        ("services: [box]", "services: [boxes]", ":14: runbooks.0.services.0: expected a service of health.services"),
        (
            "services: [box]}]",
            "services: [box]}, {name: restart, argv: [x], services: [box]}]",
            ":14: runbooks.1.name: expected each runbook once",
        ),
        ('expected: "2"', "expected: 2", ":10: health.services.0.checks.2.database.expected: expected text: put the"),
        ("name: box\n", f"name: {'x' * 200}\n", "expected a name of at most 64 letters a-z or A-Z, digits, dots"),
        ("name: box\n", "name: فروشگاه\n", "expected a name of at most 64 letters a-z or A-Z, digits, dots"),
        ("192.0.2.53:5353", "ns.example.com", ":9: health.services.0.checks.1.dns.server: expected the address of a"),
        (
            "name: shop.example.com",
            "name: https://shop.example.com/x",
            ":9: health.services.0.checks.1.dns.name: expected",
        ),
        (
            "name: shop.example.com",
            "name: shop.example.com:53",
            ":9: health.services.0.checks.1.dns.name: expected a name",
        ),
        (
            "shop.example.com/health",
            "${HOST}/health",
            ":8: health.services.0.checks.0.http.url: expected an address with",
        ),
        ("192.0.2.53:5353", "192.0.2.53:0", ":9: health.services.0.checks.1.dns.server: expected the address of a"),
        ("example.com/health", "example.com:0/health", ":8: health.services.0.checks.0.http.url: expected a port"),
        ("example.com/health", "example.com:99999/h", ":8: health.services.0.checks.0.http.url: "),
        ("shop.example.com/health", "u:p@x/y", ":8: health.services.0.checks.0.http.url: expected an address without"),
    ],
)
def test_a_mistake_forbids_a_start(tmp_path: Path, old: str, new: str, complaint: str) -> None:
    """File, line and key are named, and no value of an address."""
    assert old in WHOLE
    with pytest.raises(Misconfigured) as caught:
        load(write(tmp_path, WHOLE.replace(old, new)))
    assert (f"triage.yml{complaint}" if complaint.startswith(":") else complaint) in str(caught.value)
    assert "u:p" not in str(caught.value)


TOKEN = "xox" + "b-123456789012-123456789012-" + "abcdefghijklmnopqrstuvwx"
"""Token that no scanner finds here."""


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("[systemctl, restart, box]", f'[curl, -H, "Authorization: Bearer {TOKEN}"]', ":14: runbooks.0.argv: "),
        ("[systemctl, restart, box]", "[mysql, --password, hunter2hunter2x, ping]", ":14: runbooks.0.argv: "),
        ("com/health", f"com/health?token={TOKEN}", ":8: health.services.0.checks.0.http.url: "),
        ("text: ok", f"text: {TOKEN}", ":8: health.services.0.checks.0.http.text: "),
        ("name: shop.example.com", f"name: {TOKEN}.example.com", ":9: health.services.0.checks.1.dns.name: "),
        ("query: select 2", f"query: \"select '{TOKEN}'\"", ":10: health.services.0.checks.2.database.query: "),
    ],
)
def test_a_secret_forbids_a_start(tmp_path: Path, old: str, new: str, line: str) -> None:
    """The complaint names the place and the next step, and repeats no secret."""
    assert old in WHOLE
    with pytest.raises(Misconfigured) as caught:
        load(write(tmp_path, WHOLE.replace(old, new)))
    assert f"triage.yml{line}expected no secret, found " in str(caught.value)
    assert TOKEN not in str(caught.value)
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("systemctl, restart, box", "rotate, --token-file, /etc/triage/token, secret, password"),
        ("systemctl, restart, box", 'awk, "{print}", /var/log/box'),
        ("com/health", "com/health?format=json&key=status"),
        ("text: ok", 'text: \'"token": "ok"\''),
        ("query: select 2", "query: select count(*) from tokens where password is null"),
    ],
)
def test_a_plain_word_is_no_secret(tmp_path: Path, old: str, new: str) -> None:
    """Words about secrets, and braces, are accepted."""
    assert old in WHOLE
    load(write(tmp_path, WHOLE.replace(old, new)))


@pytest.mark.parametrize(
    ("check", "complaint"),
    [
        ("{type: database, url_env: A, url: B}", ":4: health.services.0.checks.0.database.url: expected a known key, "
         "perhaps url_env"),
        ("{type: container, name: a b}", ":4: health.services.0.checks.0.container.name: expected the name of a "
         "container or unit, such as web-1 or shop.service"),
        ("{type: http,\n         url: ftp:x}", ":5: health.services.0.checks.0.http.url: expected an address such as "
         "https://shop.example.com/health, got ftp:…"),
    ],
)  # fmt: skip
def test_a_wrong_check_is_one_complaint(tmp_path: Path, check: str, complaint: str) -> None:
    """The complaint has the line of its key, keys of that type of check, and words instead of a pattern."""
    text = f"health:\n  services:\n    - name: web\n      checks: [{check}]\n"
    with pytest.raises(Misconfigured) as caught:
        load(write(tmp_path, text))
    assert str(caught.value) == f"{tmp_path / 'triage.yml'}{complaint}"
