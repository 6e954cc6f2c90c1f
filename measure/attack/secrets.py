"""Secrets that a text tries to carry past the redaction, and files that a path tries to have read.

Samples of every form that public scanners list; loaded values in disguises; values assigned in the ways of many
languages; names of files that hold credentials. Run by itself it prints the recall of every family. What is taken out
of ordinary source is counted by `measure/alarms.py`.
"""

from __future__ import annotations

import base64
import html
import random
import string
from typing import TYPE_CHECKING
from urllib.parse import quote

from bot.decide.redact import REDACTED, Redactor
from bot.tools.denied import denied
from measure.attack.samples import core, listed, sample
from measure.attack.tally import Tally

if TYPE_CHECKING:
    from collections.abc import Callable

COUNT = 60_000
BAR = 0.95
"""The part of the samples of a family, and of all families, that must be found."""
_BAR = 0.995
"""The same for assigned values."""
AROUND = ("{}", "x = '{}'", "(see {}).", "12\t{}", "+{}\n", '{{"value": "a\\n{}"}}')


def recall(count: int, seed: int = 1) -> dict[tuple[str, str], float]:
    """By scanner and family the part of the samples that is taken out whole."""
    chance, redactor = random.Random(seed), Redactor()  # noqa: S311  # seeded, so that the figures stay
    families = [family for family in listed() if family.form]
    tries = max(1, count // len(families))
    found = {}
    for family in families:
        hits = 0
        for _ in range(tries):
            token = sample(family.form, chance)
            done = redactor.redact(chance.choice(AROUND).format(token) if " " not in token else token)
            hits += REDACTED in done and core(family.form, token) not in done
        found[family.scanner, family.name] = hits / tries
    return found


def _escaped(form: str) -> Callable[[str], str]:
    return lambda value: "".join(form.format(ord(sign)) for sign in value)


def _in_lines(code: str) -> str:
    return "\n".join(code[at : at + 8] for at in range(0, len(code), 8)).rstrip("=")


_ALIKE = "\u0430\u0441\u0435\u043e\u0440\u0445\u0443\u0410\u0412\u0415\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0425"
"""Cyrillic letters that look like Latin ones."""
DISGUISES: dict[str, Callable[[str], str]] = {
    "as it is": str,
    "what shows nothing between": "\u200b\u2800\ufe0f\u00ad\U000e0041\u3164".join,
    "white space between": " \n\t".join,
    "quote marks and plus signs between": lambda value: '" + "'.join(
        value[at : at + 3] for at in range(0, len(value), 3)
    ),
    "dashes between": "-".join,
    "base64": lambda value: base64.b64encode(f"u:{value}:x".encode()).decode(),
    "base64 for addresses, in lines": lambda value: _in_lines(
        base64.urlsafe_b64encode(f"xyz{value}".encode()).decode()
    ),
    "base64 twice": lambda value: base64.b64encode(base64.b64encode(value.encode())).decode(),
    "hex": lambda value: value.encode().hex(),
    "hex with colons": lambda value: value.encode().hex(":").upper(),
    "percent signs": _escaped("%{:02x}"),
    "percent signs twice": lambda value: quote(_escaped("%{:02X}")(value)),
    "entities": lambda value: html.escape(_escaped("&#{};")(value), quote=False).replace("&amp;", "&"),
    "entities in hex": _escaped("&#x{:x};"),
    "escapes of JSON": _escaped("\\u{:04x}"),
    "escapes of C": _escaped("\\x{:02x}"),
    "backwards": lambda value: value[::-1],
    "wide letters": lambda value: "".join(chr(ord(sign) + 0xFEE0) if "!" <= sign <= "~" else sign for sign in value),
    "letters that look alike": lambda value: value.translate(str.maketrans("aceopxyABEKMHOPCTX", _ALIKE)),
    "rot13": lambda value: value.translate(
        str.maketrans(
            string.ascii_letters,
            string.ascii_lowercase[13:]
            + string.ascii_lowercase[:13]
            + string.ascii_uppercase[13:]
            + string.ascii_uppercase[:13],
        )
    ),
    "other case": str.swapcase,
}

ASSIGNMENTS = (
    *('DB_PASSWORD = "{}"', "db_password: '{}'", "password: {}", '{{"password": "{}"}}', "<password>{}</password>"),
    *('<property name="db.password" value="{}"/>', '<add key="Password" value="{}" />', "export DB_PASSWORD={}"),
    *(
        "DB_PASSWORD={}",
        "curl -u admin:{} https://x.test",
        'curl --user "admin:{}" https://x.test',
        "mysql -u root -p{} shop",
    ),
    *(
        "mysqldump --password={} shop",
        "PGPASSWORD={} psql -h db",
        "docker run -e DB_PASSWORD={} app",
        "redis-cli -a {}",
    ),
    *("sshpass -p '{}' ssh x", "define('DB_PASSWORD', '{}');", 'conn.setPassword("{}");', 'builder.password("{}")'),
    *("'password' => '{}',", ':password "{}"', 'let password: &str = "{}";', 'val dbPassword: String = "{}"'),
    *(
        "const password: string = '{}'",
        '#define DB_PASSWORD "{}"',
        "CREATE USER app IDENTIFIED BY '{}';",
        'Password: "{}",',
    ),
    *(
        "ALTER ROLE app WITH PASSWORD '{}';",
        '$p = ConvertTo-SecureString "{}" -AsPlainText',
        "Server=x;User Id=a;Password={};",
    ),
    *(
        "machine x.test login bob password {}",
        "--token={}",
        "ENV DB_PASSWORD {}",
        'contraseña = "{}"',
        "requirepass {}",
    ),
    *(
        "spring.datasource.password={}",
        'os.environ["DB_PASSWORD"] = "{}"',
        'password := "{}"',
        '(setq db-password "{}")',
    ),
    *(
        'config.put("password", "{}");',
        '<entry key="password">{}</entry>',
        'my $password = "{}";',
        'local password = "{}"',
    ),
    *(
        'password <- "{}"',
        "set password={}",
        "postgres://app:{}@db.test/app",
        "jdbc:mysql://h/db?user=a&password={}&x=1",
    ),
    *("password = r'{}'", 'String apiSecret = "{}";', "client_secret: {}", 'api_key="{}"', "X_API_TOKEN={}"),
)

DENIED = (
    *(
        ".env",
        "prod.env.local",
        ".aws/credentials",
        ".kube/config",
        ".docker/config.json",
        ".config/gh/hosts.yml",
        ".azure/x",
    ),
    *(
        "secrets/db.txt",
        "infra/prod.tfvars",
        ".vault_pass.txt",
        ".s3cfg",
        ".boto",
        "pip.conf",
        ".m2/settings.xml",
        "auth.json",
    ),
    *(
        "client_secret_1.json",
        "token.json",
        ".bash_history",
        ".psql_history",
        "server.key.bak",
        "cert.pem.old",
        "id_rsa.txt",
    ),
    *(
        "backup.gpg",
        "store.jceks",
        "application_default_credentials.json",
        "my-service-account-1.json",
        "deploy_ed25519",
    ),
    *(
        ".git/config",
        "vendor/x/.git",
        "wp-config.php",
        ".pgpass",
        "login.keychain-db",
        "app.keytab",
        "wallet.dat",
        ".netrc",
    ),
)
SPELLINGS: tuple[Callable[[str], str], ...] = (
    str,
    str.upper,
    lambda path: f"src/../a/{path}",
    lambda path: path.replace("e", _ALIKE[2]).replace("a", _ALIKE[0]),
    lambda path: "\u200d".join(path),
    lambda path: f"{path}. ",
    lambda path: f"{path}::$DATA",
    lambda path: path.replace("/", "\\"),
    lambda path: "".join(chr(ord(sign) + 0xFEE0) if sign.isalnum() else sign for sign in path),
)


def run(count: int) -> tuple[Tally, ...]:
    """All four."""
    return (_families(count // 2), _disguises(count // 4), _assigned(count // 8), _paths(count // 8))


def _families(count: int) -> Tally:
    found = recall(count)
    weak = sorted(f"{scanner} {name}: {part:.0%}" for (scanner, name), part in found.items() if part < BAR)
    whole = sum(found.values()) / len(found)
    unknown = sum(not family.form for family in listed())
    measured = (
        f"recall {whole:.1%}; {len(found) - len(weak)} of {len(found)} families at 95 %; {unknown} publish no form"
    )
    tries = max(1, count // len(found)) * len(found)
    return Tally("tokens as scanners list them", tries, tuple(weak) if whole < BAR else (), measured)


def _disguises(count: int) -> Tally:
    chance, through = random.Random(2), []  # noqa: S311  # the same
    per = max(1, count // len(DISGUISES))
    for number in range(per):
        alphabet = string.ascii_letters + string.digits + ("-_/+=." if number % 2 else "")
        value = "".join(chance.choices(alphabet, k=chance.randint(16, 48)))
        redactor = Redactor([value])
        for name, disguise in DISGUISES.items():
            said = f"so it is {disguise(value)} in all"
            done = redactor.redact(said)
            if not redactor.kinds(said) or REDACTED not in done or disguise(value)[4:-4] in done:
                through.append(f"{name}: {said!r}")
    return Tally(f"loaded values in {len(DISGUISES)} disguises", per * len(DISGUISES), tuple(through))


def _assigned(count: int) -> Tally:
    chance, redactor, through = random.Random(3), Redactor(), []  # noqa: S311  # the same
    tries = max(1, count // len(ASSIGNMENTS)) * len(ASSIGNMENTS)
    for number in range(tries):
        value = "".join(chance.choices(string.ascii_letters + string.digits, k=14)) + "7x"
        said = ASSIGNMENTS[number % len(ASSIGNMENTS)].format(value)
        if value in redactor.redact(f"# settings\n{said}\n"):
            through.append(said)
        elif not redactor.kinds(f"It is {value}, as far as I can see."):
            through.append(f"repeated: {said}")
    part = 1 - len(through) / tries
    measured = f"{part:.2%} found; the others look like words in camel case"
    return Tally(
        f"values assigned in {len(ASSIGNMENTS)} ways, and repeated",
        tries,
        () if part >= _BAR else tuple(through),
        measured,
    )


def _paths(count: int) -> Tally:
    paths = [spelling(path) for path in DENIED for spelling in SPELLINGS]
    through = [path for path in paths if not denied(path)]
    return Tally("names of files that are never read", len(paths) if count else 0, tuple(through))


def main() -> None:
    """Print the recall of every listed family."""
    for (scanner, name), part in sorted(recall(COUNT).items()):
        print(f"{part:7.1%}  {scanner:15} {name}")  # noqa: T201  # the output


if __name__ == "__main__":
    main()
