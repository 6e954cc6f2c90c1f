"""Values that a name says are secret, and what only looks like one: by table."""

from __future__ import annotations

import pytest

from bot.decide.assigned import ASSIGNED
from bot.decide.redact import REDACTED, REPEATED, Redactor
from measure.attack.secrets import ASSIGNMENTS

VALUE = "Tr0ub4" + "dor-3xQ7"


@pytest.mark.parametrize("form", ASSIGNMENTS)
def test_an_assigned_value_is_taken_out(form: str) -> None:
    """In code, settings, commands and addresses of many languages; its name stays."""
    redactor = Redactor()
    done = redactor.redact(f"# one\n{form.format(VALUE)}\n# three")
    assert VALUE not in done
    assert REDACTED in done
    assert done.count("\n") == 2


@pytest.mark.parametrize(
    "text",
    [
        'password = os.environ["DB_PASSWORD"]',
        "password=args.password2, token=token1",
        'password = "${DB_PASSWORD}"',
        "password: {{ vault_password1 }}",
        'password = "changeme123"',
        'password="test-password-1"',
        "<password>your_password_1</password>",
        "password = getpass.getpass('Password for user1: ')",
        'token = "sha256"',
        'token_type = "Bearer2"',
        'tokenizer = "cl100k_base"',
        'secretName: "shop-db-credentials-v2"',
        'secretKeyRef: {name: "shop-db-2", key: "password2"}',
        'PASSWORD_FIELD = "passwd_field_01"',
        'password_url = "/reset/v2/password1"',
        'error: "Password must have 8 characters"',
        'token: "HS256"',
        'api_key: "2026-01-01"',
        "def login(password: str = None, token2: Token2 = None): ...",
        "if (password == password2) return Token1.NONE;",
        'expect(screen.getByLabelText("Password")).toBe("user12 name")',
        "curl -u $USER:$PASSWORD https://x.test",
        "mysql -u root -p shop",
        '"Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ=="',
        "cache_key = 'user:42:profile:v3'",
        'get "admin/passwords" => "queenbee#passwords"',
        "kind: ConfigMap\ndata:\n  limit: c2hvcC1saW1pdA==\n",
    ],
)
def test_code_that_speaks_of_secrets_stays(text: str) -> None:
    """A variable, a call, a placeholder, a type, a path, a sentence."""
    redactor = Redactor()
    assert redactor.redact(text) == text
    assert redactor.kinds(text) == ()


def test_the_data_of_a_manifest_is_secret_whatever_its_names_are() -> None:
    """In a Kubernetes secret."""
    text = "kind: Secret\nmetadata:\n  name: shop\ndata:\n  blue: c2hvcC1saW1pdA==\n"
    assert Redactor().redact(text) == text.replace("c2hvcC1saW1pdA==", REDACTED)


def test_a_value_is_known_again_where_no_name_says_so() -> None:
    """A text that repeats it is told, and rid of it where that is asked for; other values are not."""
    redactor, said = Redactor(), f"It signs in with {VALUE} there."
    assert redactor.kinds(said) == ()
    assert redactor.redact(f'DB_PASSWORD = "{VALUE}"') == f'DB_PASSWORD = "{REDACTED}"'
    assert redactor.kinds(said) == (REPEATED,)
    assert redactor.redact(said) == said
    assert redactor.redact(said, repeated=True) == f"It signs in with {REDACTED} there."
    assert redactor.kinds("It signs in.") == ()


def test_a_field_of_a_json_value_is_secret_by_its_name() -> None:
    """At any depth, as an MCP server may answer it."""
    value = {"user": "shop", "auth": [{"db_password": VALUE, "port": 3, "password_field": VALUE}]}
    done = Redactor().value(value)
    assert done["auth"][0] == {"db_password": REDACTED, "port": 3, "password_field": VALUE}
    assert Redactor().kinds(f'{{"db_password": "{VALUE}"}}') == (ASSIGNED,)


def test_only_so_many_values_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    """The oldest go."""
    monkeypatch.setattr("bot.decide.redact.MOST_SEEN", 2)
    redactor = Redactor()
    values = [f"{VALUE}{number}" for number in range(3)]
    for value in values:
        redactor.notice(f'password = "{value}"')
    assert [bool(redactor.kinds(f"is {value} so")) for value in values] == [False, True, True]
