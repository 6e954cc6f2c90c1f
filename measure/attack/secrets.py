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
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from bot.decide.redaction.redactor import REDACTED, Redactor
from bot.tools.denied_paths import is_denied
from measure.attack.samples import core, listed, sample
from measure.attack.tally import Tally

if TYPE_CHECKING:
    from collections.abc import Callable

COUNT = 60_000
BAR = 0.95
"""The part of the samples of a family, and of all families, that must be found."""
_BAR, _SHORT_BAR = 0.99, 0.96
"""The same for assigned values, of all ways and of a sample."""
_STRIDE = 211
"""A prime, so that a sample has ways of all languages."""
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

ASSIGNED = Path(__file__).with_name("assigned.txt")
"""Ways to write a secret beside its name; what is in it is told at its head."""


def list_ways() -> tuple[list[str], int]:
    """The ways to write a secret, with ¤ for the value, and how many more are known not to be found."""
    rows = [row.split("\t", 1) for row in ASSIGNED.read_text("utf-8").splitlines() if "\t" in row]
    known = [way.replace("\\n", "\n") for language, way in rows if not language.startswith("!")]
    return known, len(rows) - len(known)


def assigned_values(chance: random.Random) -> tuple[str, ...]:
    """A value as chance makes it, one as a person does, one of a keyring, and a key in hex."""
    signs = string.ascii_letters + string.digits
    mixed = "".join(chance.choices(signs, k=14))
    typed = f"{''.join(chance.choices(string.ascii_letters, k=2))}hunter{chance.randint(10, 99)}-Prod!"
    grouped = f"{''.join(chance.choices(signs, k=4))}-{chance.randint(0, 9)}{''.join(chance.choices(signs, k=3))}!Qz"
    return f"{mixed}7x", typed, grouped, f"{chance.getrandbits(128):032x}"


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
    known, beside = list_ways()
    tries = max(1, count // len(known)) * len(known) if count >= len(known) else count
    for number in range(tries):
        way = known[(number * _STRIDE) % len(known)]
        value = assigned_values(chance)[number // len(known) % 4 if count >= len(known) else number % 4]
        said = way.replace("¤", value)
        if value in redactor.redact(f"# settings\n{said}\n"):
            through.append(said)
        elif not redactor.kinds(f"It is {value}, as far as I can see."):
            through.append(f"repeated: {said}")
    part = 1 - len(through) / tries
    measured = f"{part:.1%} found, and {beside} more ways are known not to be"
    bar = _BAR if count >= len(known) else _SHORT_BAR
    effects = () if part >= bar else tuple(through)
    return Tally(f"values assigned in {len(known)} ways, and repeated", tries, effects, measured)


def _paths(count: int) -> Tally:
    paths = [spelling(path) for path in DENIED for spelling in SPELLINGS]
    through = [path for path in paths if not is_denied(path)]
    return Tally("names of files that are never read", len(paths) if count else 0, tuple(through))


def main() -> None:
    """Print the recall of every listed family."""
    for (scanner, name), part in sorted(recall(COUNT).items()):
        print(f"{part:7.1%}  {scanner:15} {name}")  # noqa: T201  # the output


if __name__ == "__main__":
    main()
