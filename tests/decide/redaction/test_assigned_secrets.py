"""Values that a name says are secret, and what only looks like one: by table."""

from __future__ import annotations

import json
from typing import Any

import pytest

from bot.decide.redaction.assigned_secrets import ASSIGNED
from bot.decide.redaction.redactor import REDACTED, REPEATED, Redactor
from measure.attack.secrets import list_ways
from tests.tables import each_row

VALUE = "Tr0ub4" + "dor-3xQ7"


def test_an_assigned_value_is_taken_out_in_all_ways_of_writing_it() -> None:
    """In code, settings, commands and addresses of many languages; its name and the number of lines stay."""
    missed, redactor = [], Redactor()
    for way in list_ways()[0]:
        said = f"# one\n{way}\n# three"
        done = redactor.redact(said.replace("¤", VALUE))
        if VALUE in done or REDACTED not in done or done.count("\n") != said.count("\n"):
            missed.append(way)
    assert missed == []


@each_row(
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
        'password = os.getenv("DB_PASSWORD_2")',
        'password = os.getenv("DB_PW", "")',
        'let password = std::env::var("DB_PASSWORD2").unwrap();',
        'const pw = process.env.DB_PASSWORD2 || "";',
        'static const char password[] = "";',
        'char token[33] = "";',
        "password := strings.TrimSpace(input2)",
        'password = String::from("");',
        "my $password = q{};",
        '@Value("${db.password}")',
        '@Value("${db.password:}") String password;',
        'auth=("admin", PASSWORD2)',
        "requests.get(url, auth=(user1, password1))",
        'new NetworkCredential("svc", password2)',
        'mysqli_connect("db", "root", $password2)',
        'password: !!str ""',
        "password: !vault |",
        "POSTGRES_PASSWORD: ${POSTGRES_PASSWORD:-}",
        'password = hash(value, "sha256-v2")',
        'passwordInput = document.querySelector("#password1")',
        'password = $("#password2").val()',
        'password = request.form["password_2"]',
        'token = lexer.match("[0-9]+")',
        'if token.type == "T_NUM2": pass',
        'resolved: "token-1.2.3.tgz", integrity: "sha512-RdJUflcE3cUzKiMqQgsCu06FPu9UdIJO0beYbPhHN4k6apgJtifcoCtT"',
        'WWW-Authenticate: Digest qop="auth", nonce="0796e98e1aeef43141fab2a66bf4521a"',
        "pass `--enable-feature=event-recorder2` on the command line",
        "url.password = this.#internals2.password;",
        "SMembers(ctx, 'del_test_key_1111', 'del_test_key_2222')",
        '<a href="#password1">password</a>',
        "withXSRFToken: defaultToConfig2,",
        "docker run -p 8081:8081 app --password-stdin",
        "mysql -u root -p",
        "password: str = None  # see RFC 7239#section-6",
        '{"type": "password", "name": "field-2"}',
        'رمز = os.environ["DB_PASSWORD2"]',
        "Passwort: Das Passwort hat mindestens 8 Zeichen",
        'contraseña = leer("CLAVE_2")',
        "    password = parcel2x",
        "'password' => '--password='.$connection['password'],",
        "#define BAD_PASSWORD_ENTERED OBSOLETE_46",
        "Password: Base64-encoded, see RFC7617",
        "The password is SHA256-hashed before it is stored",
        "password is case-sensitive, at least 8 characters!",
        "token: JWT, 15 minutes (RS256)",
        "my token: RETRY_LIMIT_2 is not read, why?",
        "my password: is it read from DB_PASSWORD_2?",
        "the api key is read from X-API-Key2 header",
        "password → hash_password2() → db",
        "| password | VARCHAR(255) | NOT NULL |",
        "| password | bcrypt2b | hash |",
        "token: expires after 3600s!",
        "Passwort: mindestens 12 Zeichen, 1 Sonderzeichen!",
        "パスワードはREADME2にあります",
        "パスワードは8文字以上です!",
        "пароль: минимум 8 символов, 1 цифра!",
        "비밀번호: 8자 이상!",
        "password: see #ops-2024 or @ana2",
        "secret: ask ana2@example.org",
        "token → TokenV2Service.refresh() is broken?",
        "password: PBKDF2WithHmacSHA256",
        "my password: PostgreSQL15Driver is missing",
        "password is wrong since iOS17.2 and MacOS14",
        "Token: commit 3c6a446f0d1e2b7a9c5d8e4f1a2b3c4d5e6f7a8b broke it",
        "docker pull registry:5000/team/app2:1.2.3-Alpine@sha256",
        "started 2016-06-08T06:32:21.410Zapp@server.test",
        "q?keystore-pass=keystore_password&ssl_cipher_list=TLS_RSA_WITH_AES_128_CBC_SHA",
        "final CredentialInfo user0CredentialInfo0 = new CredentialInfo();",
        "if(v.withCredentials=!!s.withCredentials){var t2=1}",
        "<key>password</key><string>changeme</string>",
        "INSERT INTO users (name, password) VALUES ('shop-admin', 'changeme')",
    ],
)
def test_code_that_speaks_of_secrets_stays(text: str) -> None:
    """A variable, a call, a placeholder, a type, a path, a sentence."""
    redactor = Redactor()
    assert redactor.redact(text) == text
    assert redactor.kinds(text) == ()


@pytest.mark.parametrize("depth", [0, 1, 2])
@pytest.mark.parametrize(
    "record",
    [
        {"verdict": "pass", "spot_check_ref": "bot/config/sections/approval.py:82-83"},
        {"verdict": "pass", "reasons": [], "ref": "orders.py:1-3", "check": "pass", "other": "b2.py:7"},
        {"kind": "auth", "ref": "src/auth2.py:7"},
        {"field": "password", "where": "login_form7.py:3"},
    ],
)
def test_a_word_like_pass_as_a_value_says_nothing_of_the_next_field(record: dict[str, Any], depth: int) -> None:
    """In JSON, and in JSON in JSON."""
    text = nest(record, depth)
    assert Redactor().redact(text) == text


@each_row("depth", [0, 1, 2])
@each_row(
    "record",
    [
        {"password": VALUE, "user": "ana"},
        {"pass": VALUE, "user": "ana"},
        {"verdict": "pass", "secret": VALUE},
        {"env": [{"name": "DB_PASSWORD", "value": VALUE}]},
        {"args": ["--password", VALUE]},
    ],
)
def test_a_secret_in_nested_json_is_taken_out(record: dict[str, Any], depth: int) -> None:
    """By the name of its field, by one beside it, by the option before it."""
    text = nest(record, depth)
    assert Redactor().redact(text) == text.replace(VALUE, REDACTED)


def nest(record: dict[str, Any], depth: int) -> str:
    """A record as JSON, so many times in the JSON of another text."""
    text = json.dumps(record)
    for _ in range(depth):
        text = json.dumps({"text": text})
    return text


@pytest.mark.parametrize(
    "said",
    [
        "my password: ¤. Thanks",
        "> *password:* ¤, is it refused?",
        "密码：¤不对",
        "Password: *¤* (old)",
        "it was password → ¤! Thanks",
    ],
)
def test_a_value_in_a_sentence_ends_where_the_sentence_goes_on(said: str) -> None:
    """Neither its punctuation, nor marks around it, nor the next word of another script is part of it."""
    assert Redactor().redact(said.replace("¤", VALUE)) == said.replace("¤", REDACTED)


@pytest.mark.parametrize(
    "value", ["S0mmer#20" + "24", "Kk8!mm" + "Topaz7", "Summer" + "2024", "x9!" + "kQ2", "q7Rz0mWx83" + "KfLp29Vb"]
)
def test_a_password_of_a_person_is_found_in_a_sentence(value: str) -> None:
    """With a digit and a sign, in letters of both cases with a year, or as chance makes it."""
    for said in ("my password: ¤ is refused", "пароль: ¤ не подходит", "| pwd | ¤ | x", "the password is ¤ now"):
        assert Redactor().redact(said.replace("¤", value)) == said.replace("¤", REDACTED)


@pytest.mark.parametrize(
    "line",
    [
        "DB_PASSWORD=¤",
        "export DB_PASSWORD=¤",
        "ENV PASSWORD=¤",
        "spring.datasource.password=¤",
        "  password: ¤",
        "mysql --password=¤ shop",
        "set password ¤",
    ],
)
def test_a_word_that_might_be_a_name_is_a_value_in_a_line_of_settings(line: str) -> None:
    """There nothing stands for something else without a sign that says so."""
    assert Redactor().redact(line.replace("¤", "hunter2x")) == line.replace("¤", REDACTED)


def test_a_key_in_base64_is_no_options_name() -> None:
    """Though it may end as one does before its value."""
    said = "AZURE_ACCESS_KEY=" + "q7Rz0mWx83KfLp29VbTt5nYc" * 2 + "="
    assert Redactor().redact(said) == f"AZURE_ACCESS_KEY={REDACTED}"


def test_the_data_of_a_manifest_is_secret_whatever_its_names_are() -> None:
    """In a Kubernetes secret."""
    text = "kind: Secret\nmetadata:\n  name: shop\ndata:\n  blue: c2hvcC1saW1pdA==\n"
    assert Redactor().redact(text) == text.replace("c2hvcC1saW1pdA==", REDACTED)


def test_other_texts_of_a_manifest_are_secret_by_their_look() -> None:
    """Under the field for plain text, a user's name stays."""
    text = f"kind: Secret\nstringData:\n  user: shop-admin\n  blue: {VALUE}\n"
    assert Redactor().redact(text) == text.replace(VALUE, REDACTED)


@pytest.mark.parametrize("name", ["auth", "pw", "access key"])
@pytest.mark.parametrize("before", ["", "A=1"])
@pytest.mark.parametrize("between", [r"\nB=2", r"\nB=2 " + "word " * 300])
def test_names_after_an_escaped_line_break_are_read(before: str, between: str, name: str) -> None:
    """At the start of a text too, near one another and far apart."""
    text = rf"{before}\n{name}: ¤{between}\n{name}: ¤\nB=2"
    assert Redactor().redact(text.replace("¤", VALUE)) == text.replace("¤", REDACTED)


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
    monkeypatch.setattr("bot.decide.redaction.redactor.MOST_SEEN", 2)
    redactor = Redactor()
    values = [f"{VALUE}{number}" for number in range(3)]
    for value in values:
        redactor.notice(f'password = "{value}"')
    assert [bool(redactor.kinds(f"is {value} so")) for value in values] == [False, True, True]


@pytest.mark.parametrize(
    "said",
    [
        'password = ("{}" \n   "{}")',
        'String password = "{}" + "{}";',
        "$password = '{}' . '{}';",
        'password = "{}" \\\n    "{}"',
    ],
)
def test_a_value_in_pieces_is_one(said: str) -> None:
    """Each piece goes, and the whole is known again."""
    redactor, pieces = Redactor(), (VALUE[:6], VALUE[6:])
    done = redactor.redact(said.format(*pieces))
    assert [piece for piece in pieces if piece in done] == []
    assert redactor.kinds(f"It is {VALUE} there.") == (REPEATED,)


@pytest.mark.parametrize(
    "line",
    [
        "senha=¤ passwort: ¤",
        "up senha=¤ passwort: ¤ done",
        "password=¤&3",
        "connect password=¤&3 done",
        "contraseña=¤ user=ana",
    ],
)
def test_a_field_is_taken_out_beside_other_fields(line: str) -> None:
    """At the beginning of a line, after a field with an equals sign, and with an ampersand in it."""
    value = "".join(("Zapata", "Muerde", "77"))
    assert Redactor([]).redact(line.replace("¤", value)) == line.replace("¤&3", "¤").replace("¤", REDACTED)


def test_an_ampersand_begins_the_next_field_of_an_address() -> None:
    """What follows a field of an address stays."""
    address = f"https://x.test/?password={''.join(('Zapata', 'Muerde', '77'))}&page=2"
    assert Redactor([]).redact(address) == f"https://x.test/?password={REDACTED}&page=2"
