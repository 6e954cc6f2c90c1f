"""Redaction by table: what is a secret goes, in every form, and ordinary code stays as it is."""

from __future__ import annotations

import base64
import json
import random
from pathlib import Path
from urllib.parse import quote, quote_plus

import pytest

from bot.decide.redaction.loaded_secrets import find_passwords, secret_values, strings
from bot.decide.redaction.redactor import _VIEWS, LOADED, REDACTED, Redactor
from bot.decide.redaction.secret_patterns import FAMILIES
from bot.decide.redaction.spans import Span
from measure.attack.samples import core, sample
from tests.tables import each_row

ROOT = Path(__file__).resolve().parents[3]
SECRET = "tr1cky" + '/va+lue "with" é\\n&<'
PLAIN = "s3cr3t" + "-value-4711"
ALNUM = "a1B2c3D4e5F6g7H8i9J0" * 4
FORMS = {
    row.split(" | ")[0]: row.split(" | ")[1]
    for row in (ROOT / "bot/decide/redaction/secret_patterns.txt").read_text().splitlines()
    if row and not row.startswith("#")
}


def joined(*parts: str) -> str:
    """A token that stands nowhere in this file."""
    return "".join(parts)


HEAD_AND_BODY = ("JhbGciOi", "JIUzI1NiJ9", ".ey", "JzdWIiOiIx", "MjM0NTY3ODkwIn0")
TOKENS = {
    "a private key": joined("-----BEGIN RSA PRIVATE", " KEY-----\nMIIB+/=\n-----END RSA PRIVATE", " KEY-----"),
    "a private key in base64": joined("LS0tLS1C", "RUdJTi", "BSU0EgUF", "JJVkFURS", ALNUM),
    "an AWS secret key": joined("aws_secret_access_key = ", ALNUM[:40]),
    "an Azure storage key": joined("Account", "Key=", ALNUM, "ab12=="),
    "a shared access signature": joined("https://x.example/y?sv=1&s", "ig=", ALNUM[:43], "="),
    "a key in a connection string": joined("Endpoint=https://x.azconfig.io;Id=ab-l0-s0:x;Sec", "ret=", ALNUM[:44], "="),
    "an npm registry token": joined("//registry.npmjs.org/:_auth", "Token=", ALNUM[:36]),
    "a JSON web token": joined("ey", *HEAD_AND_BODY, ".", ALNUM[:43]),
    "a JSON web token in base64": joined("ZX", "lK", ALNUM),
    "a Facebook app token": joined("1234567890123456", "|", ALNUM[:27]),
    "an authorization header": joined("Authorization: Ba", "sic ", ALNUM[:30]),
    "a bearer token": joined("curl -H 'X: Bea", "rer ", ALNUM[:30], "'"),
    "a password in an address": joined("postgres://shop:", ALNUM[:12], "@db.internal/shop"),
}
"""Of the forms that the table cannot say."""


def test_each_family_is_taken_out() -> None:
    """A sample of every form, wherever it stands in a text: beside quote marks, brackets, a diff's sign, an escape."""
    chance, redactor = random.Random(1), Redactor()
    samples = {**TOKENS, **{name: sample(form, chance) for name, form in FORMS.items()}}
    assert set(samples) == {family.name for family in FAMILIES}
    missed = []
    for name, token in samples.items():
        for around in ("x = '{}'", "(see {}).", "a\n+{}\n", 'say("a\\n{}")'):
            said = around.format(token)
            done = redactor.redact(said)
            secret = core(FORMS[name], token) if name in FORMS else ALNUM[:12]
            if REDACTED not in done or secret in done or not redactor.kinds(said):
                missed.append((name, said, done))
    assert missed == []


@each_row(
    "said",
    [
        *(SECRET, json.dumps(SECRET), json.dumps(SECRET, ensure_ascii=False), quote(SECRET), quote(SECRET, safe="")),
        *(quote_plus(SECRET), quote(SECRET, safe="").lower().replace("lue", "lue"), SECRET.encode().hex()),
        *(SECRET.encode().hex().upper(), base64.b64encode(SECRET.encode()).decode()),
        *(
            base64.urlsafe_b64encode(f"{'u' * n}:{SECRET}{'x' * m}".encode()).decode()
            for n in range(3)
            for m in range(3)
        ),
        SECRET.replace("&", "&amp;").replace("<", "&lt;"),
        SECRET.replace("v", "v\u200b\u2060").replace("t", "t\U000e0041"),
    ],
)
def test_a_loaded_value_is_taken_out_in_every_form(said: str) -> None:
    """As it is, escaped for JSON and Slack, URL-encoded, in hex and base64, and split by what nobody sees."""
    redactor = Redactor([SECRET])
    done = redactor.redact(f"see {said} here")
    assert REDACTED in done
    assert redactor.kinds(said) == (LOADED,)
    assert done.startswith("see ")
    assert done.endswith(" here")


@each_row(
    "text",
    [
        "9fceb02d0ae598e95dc970b74767f19372d61af8",
        "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "123e4567-e89b-12d3-a456-426614174000",
        "sk-learn, ask-me, task-force-12345678901234567890, risk-assessment-of-the-payment-service",
        "token = os.environ['SLACK_BOT_TOKEN']  # starts with xoxb-",
        "expected a token that starts with xoxb-, got xapp-",
        "Authorization: Bearer ${TOKEN}",
        "headers = {'Authorization': f'Bearer {token}'}",
        "the bearer authentication-scheme-of-this-server",
        "postgres://user:password@localhost/db",
        "postgres://${USER}:${PASSWORD}@db/shop",
        "https://example.com:8080/@scope/package",
        "git@github.com:org/repository.git",
        "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk",
        "import { key } from './keys'; const api_key = getKey();",
        "AKIA is how an access key id starts",
        "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
        "npm_config_registry=https://registry.npmjs.org",
        "C0123ABCD U0123ABCD T0SANDBOX-C0HELP-1700000000.000100/1",
        "self._skip_all_of_these_things_that_are_long_enough = SKIPPED_BECAUSE_OF_ANOTHER_REASON_0",
        "",
    ],
)
def test_ordinary_text_stays_as_it_is(text: str) -> None:
    """Hashes, ids, code and the names of secrets are no secrets."""
    redactor = Redactor([PLAIN])
    assert redactor.redact(text) == text
    assert redactor.kinds(text) == ()


def test_this_project_holds_no_secret() -> None:
    """Not one hit in all of its code and documents: neither a leak nor a false alarm."""
    redactor, hits = Redactor(), {}
    folders = [path for path in ROOT.iterdir() if path.is_dir() and not path.name.startswith(".")]
    for path in (*ROOT.glob("*.*"), *(path for folder in folders for path in folder.rglob("*"))):
        if path.suffix in (".py", ".md", ".yml") and (text := path.read_text()) != redactor.redact(text):
            hits[str(path)] = redactor.kinds(text)
    assert hits == {}


def test_a_secret_that_comes_later_is_learned() -> None:
    """Beside those that were known before."""
    redactor = Redactor([PLAIN])
    later = "an0ther" + "-value-4712"
    assert redactor.redact(later) == later
    redactor.learn(later, "short")
    assert redactor.redact(f"{PLAIN} {later} short") == f"{REDACTED} {REDACTED} short"
    assert redactor.redact(later) == REDACTED


def test_a_text_that_was_harmless_is_so_until_its_value_is_known() -> None:
    """What was looked at before is looked at again once a value was seen beside a secret's name."""
    redactor, said = Redactor(), "use " + "Tr0ub4dor" + "-and-3"
    assert redactor.redact(said, repeated=True) == said
    name, value = "password", said.removeprefix("use ")
    redactor.notice(f'{name} = "{value}"')
    assert redactor.redact(said) == said
    assert redactor.redact(said, repeated=True) == f"use {REDACTED}"


def test_a_long_text_is_looked_at_anew_once_more_is_known() -> None:
    """What was found in it before is remembered, which must hide no secret that is learned later."""
    redactor, text = Redactor(), f"the word is {PLAIN}. " + "and so on " * 100
    assert redactor.redact(text) == redactor.redact(text) == text
    redactor.learn(PLAIN)
    assert PLAIN not in redactor.redact(text)


class _LearnsMeanwhile(Redactor):
    """Redactor that learns a secret while it searches a text, as another thread may make it."""

    def _search(self, text: str) -> tuple[list[Span], tuple[str, ...]]:
        looked = super()._search(text)
        self.learn(PLAIN)
        return looked


def test_a_secret_learned_during_a_search_is_found_in_the_next() -> None:
    """The result of the first search is not kept."""
    redactor, text = _LearnsMeanwhile(), f"the word is {PLAIN}. " + "and so on " * 100
    assert redactor.spans(text) == []
    assert set(redactor.spans(text)) == {(12, 12 + len(PLAIN), LOADED)}


@pytest.mark.parametrize("split", ["\ufe0f", "\u3164"])
def test_a_token_in_other_letters_is_taken_out(split: str) -> None:
    """Wide ones, and split by characters that spelling uses or that show nothing."""
    token = joined("gh", "p_", ALNUM[:36])
    wide = "".join(chr(ord(char) + 0xFEE0) if char.isalnum() else char for char in token)
    for form in (wide, f"{token[:12]}{split}{token[12:]}"):
        assert Redactor().redact(f"see {form}\nhere") == f"see {REDACTED}\nhere"


def test_every_view_of_a_text_has_its_lines() -> None:
    """No character becomes a line break or takes one away, so that lines of views are compared in pairs."""
    text = "".join(map(chr, range(0x30000)))  # those beyond have no other spelling
    assert [view(text).count("\n") for view in _VIEWS] == [1, 1]


def test_lines_stay_countable() -> None:
    """A secret over many lines leaves as many, and a key without its end takes what looks like it."""
    key = TOKENS["a private key"]
    assert Redactor().redact(f"a\n{key}\nb").split("\n") == ["a", REDACTED, "", "", "b"]
    assert Redactor().redact(f"a\n{key[:40]}\nz: 1") == f"a\n{REDACTED}\n\n\n: 1"
    assert Redactor([f"line-one\n{PLAIN}"]).redact(f"a line-one\n{PLAIN} b") == f"a {REDACTED}\n b"


def test_a_text_without_secrets_is_the_same_text() -> None:
    """Nothing is cleaned where nothing was found."""
    text = "zero\u200bwidth \u202e"
    assert Redactor([PLAIN]).redact(text) is text


def test_a_json_value_is_redacted_all_through() -> None:
    """Keys too, and what is no text stays."""
    value = {"a": [PLAIN, 3, None], PLAIN: {"b": (f"x {PLAIN}",)}}
    assert Redactor([PLAIN]).value(value) == {"a": [REDACTED, 3, None], REDACTED: {"b": (f"x {REDACTED}",)}}
    assert Redactor(["another" + "-one-0815"]).value(value) is value
    assert list(strings(value)) == ["a", PLAIN, PLAIN, "b", f"x {PLAIN}"]


def test_a_value_that_is_no_valid_text_is_found() -> None:
    """As an environment has it whose bytes are not UTF-8."""
    value = b"s3cr3t" + b"-\xff-4711"
    redactor = Redactor([value.decode("utf-8", "surrogateescape")])
    assert redactor.redact(f"see {value.decode('utf-8', 'surrogateescape')} here") == f"see {REDACTED} here"


def test_short_values_are_not_looked_for() -> None:
    """Seven characters stand in too many words."""
    assert Redactor(["short77"]).redact("short77") == "short77"


def test_what_was_noticed_before_is_noticed_again_once_it_has_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    """A text that was looked through teaches its values anew where newer ones pushed them out."""
    monkeypatch.setattr("bot.decide.redaction.redactor.MOST_SEEN", 1)
    redactor, text = Redactor(), f'password = "{PLAIN}"'
    redactor.notice(text)
    redactor.notice(f'password = "{PLAIN[::-1]}"')
    assert redactor.redact(f"it is {PLAIN}", repeated=True) == f"it is {PLAIN}"
    redactor.notice(text)
    assert redactor.redact(f"it is {PLAIN}", repeated=True) == "it is [redacted]"


@pytest.mark.parametrize(
    ("name", "value", "taken"),
    [
        ("GRAFANA_SERVICE_ACCOUNT_TOKEN", PLAIN, True),
        ("db_password", PLAIN, True),
        ("MY_APIKEY", PLAIN, True),
        ("SENTRY_DSN", PLAIN, True),
        ("DD_APPLICATION_KEY", PLAIN, True),
        ("DB_PASSWORD", "postgres", False),
        ("API_TOKEN", "short77", False),
        ("TOKEN_LIMIT", "123456789", False),
        ("CREDENTIALS_PATH", "/srv/keys/credentials.json", False),
        ("PATH", "/usr/bin:/bin", False),
        ("HOSTNAME", PLAIN, False),
        ("NAMED", PLAIN, True),
        ("ALSO_NAMED", "postgres", True),
        ("ALSO_SHORT", "short77", False),
    ],
)
def test_which_variables_hold_secrets(name: str, value: str, *, taken: bool) -> None:
    """Those that sound like it, unless the value is an ordinary word, and those that are named."""
    assert secret_values({name: value}, also=("NAMED", "ALSO_NAMED", "ALSO_SHORT")) == ((value,) if taken else ())


SIGNS = "p@ss/word!"
ADDRESSES: dict[str, tuple[str, set[str]]] = {
    "in an address": (f"postgresql://mon:{PLAIN}@db.example.com:5432/shop", {PLAIN}),
    "percent-encoded": (f"postgresql://mon:{quote(SIGNS, safe='')}@db/shop", {quote(SIGNS, safe=""), SIGNS}),
    "with an at sign": (f"postgresql://mon:pass@{PLAIN}@db/shop", {"pass", f"pass@{PLAIN}"}),
    "with a slash": (f"postgresql://mon:pass/{PLAIN}@db/shop", {f"pass/{PLAIN}"}),
    "without a user": (f"redis://:{PLAIN}@cache:6379/0", {PLAIN}),
    "of the second address": (f"http://a.test,amqp://mon:{PLAIN}@mq", {PLAIN}),
    "as a parameter": (f"postgresql://db/shop?user=mon&password={PLAIN}&sslmode=require", {PLAIN}),
    "in keywords": (f"host=db user=mon password={PLAIN} dbname=shop", {PLAIN}),
    "quoted in keywords": (f"host=db password = '{PLAIN}\\' s' dbname=shop", {f"{PLAIN}' s"}),
    "between semicolons": (f"Server=db;User=mon;Pwd={PLAIN};Database=shop", {PLAIN}),
    "the user's name": (f"postgresql://{PLAIN}:{PLAIN}@db/shop", set()),
    "none": ("https://shop.example.com:8443/a:b@c?page=2", set()),
    "a mail address": ("mailto://ana@example.com", set()),
    "no address": ("http://[", set()),
}


@pytest.mark.parametrize("name", ADDRESSES)
def test_the_password_in_an_address_is_a_secret_by_itself(name: str) -> None:
    """As written and decoded, since programs print it alone."""
    value, passwords = ADDRESSES[name]
    assert find_passwords(value) == passwords


def test_passwords_in_addresses_are_loaded_of_all_variables() -> None:
    """An ordinary word only of a variable that the settings name."""
    word = "monitoring"
    environment = {
        "SHOP": f"postgresql://mon:{PLAIN}@db/shop",
        "HTTPS_PROXY": f"http://mon:{PLAIN[::-1]}@proxy:3128",
        "OTHER_URL": f"postgresql://mon:{word}@db/shop",
    }
    assert {*secret_values(environment)} == {PLAIN, PLAIN[::-1]}
    assert {*secret_values(environment, also=("SHOP", "OTHER_URL"))} == {
        PLAIN,
        PLAIN[::-1],
        word,
        environment["SHOP"],
        environment["OTHER_URL"],
    }
