"""Passed secrets: values that are secret by position, as an argument of a call, an option of a program, a column. Pure.

Two small tables list these calls and programs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import re2

from bot.decide.redaction.given_values import is_plausible_password, is_secret, is_secret_inside
from bot.decide.redaction.literals import REACH, literals

if TYPE_CHECKING:
    from collections.abc import Iterator

CALLS = {
    1: "SecretKeySpec SymmetricSecurityKey SignedString hmacShaKeyFor",
    2: "SetBasicAuth basic_auth basicAuth HTTPBasicAuth HTTPDigestAuth UserPassword NetworkCredential PSCredential"
    " PasswordAuthentication UsernamePasswordCredentials UsernamePasswordAuthenticationToken NewStaticCredentials"
    " NewStaticCredentialsProvider BasicAWSCredentials AwsBasicCredentials.create WiFi.begin bind_s pgp_sym_encrypt"
    " pgp_sym_decrypt createHmac withBasicAuth usernamePassword UsernamePassword",
    3: "PlainAuth mysqli_connect mysqli mysql_connect pg_pconnect PDO getConnection ftp_login imap_open ldap_bind"
    " ssh2_auth_password hash_hmac create_user create_superuser DBI->connect set_password",
    4: "mysql_real_connect mysqli_real_connect",
}
"""Calls by the number of the secret argument."""
LOOSE = {
    1: "crypt red:auth redis.auth",
    2: "login authenticate jwt.sign jwt.verify jwt.encode jwt.decode JWT::encode JWT::decode auth=",
    4: "Credentials",
}
"""Calls with common names, by the number of the secret argument, which must look more like a secret."""
_USUAL = {
    **{name.lower(): (number, True) for number, names in CALLS.items() for name in names.split()},
    **{name.lower(): (number, False) for number, names in LOOSE.items() for name in names.split()},
}
_ANY_CALL = "|".join(
    re2.escape(name) for name in sorted(_USUAL, key=lambda name: (-len(name), name)) if name != "auth="
)
_FAST = re2.Options()
_FAST.never_capture = True
_CALL = re2.compile(
    rf"(?i)\b(?:(?:{_ANY_CALL})(?:[ \t]?\(|[ \t]+[\"'])|auth[\"']?[ \t]?[=:][ \t]?[(\[])".encode(), _FAST
)
_FLAGS = {
    "mysql mysqldump mysqladmin mariadb": r"-p(?:assword=)?[\"']?",
    "curl wget http lftp": r"(?:-u|--user|--proxy-user|-U|-a)[= ]?[\"']?[^\s:,\"'$]*[:,]",
    "sshpass redis-cli az mongo mongosh mongodump ldapsearch ldapmodify sqlcmd bcp ipmitool cqlsh": (
        r"(?:-p|-a|-w|-P|--pass)[= ]?[\"']?"
    ),
    "docker podman helm": r"login (?:[^\n|;]{0,120}?[ \t])?-p[= ]?[\"']?",
    "openssl": r"(?:-k |-K |(?:-pass(?:in|out)? )?pass:)[\"']?",
    "keytool jarsigner apksigner": r"-(?:store|key|ks-|dest?store|srcstore)pass(?:wd)?[ :](?:pass:)?[\"']?",
    "htpasswd": r"-[a-zA-Z]*b[a-zA-Z]*[ ]+\S+[ ]+\S+[ ]+[\"']?",
    "rabbitmqctl": r"(?:add_user|change_password|authenticate_user)[ ]+\S+[ ]+[\"']?",
    "smbclient": r"-U[ ]?[\"']?[^\s%\"']+%",
    "sqlplus": r"[\w$#]+/([^\s\"'@]+)",
    "ssh-keygen": r"-[NP] [\"']?",
    "gpg": r"--passphrase[= ][\"']?",
    "kubectl": r"--from-literal[= ][\"']?[\w.-]+=",
    "aws": r"(?:configure set \S*(?:secret|token)\S*)[ ]+[\"']?",
}
"""Programs by the text before a secret in their options."""
_VALUE = r"([^\s\"'`$|;\[\\-][^\s\"'`$|;\\]*)"


def _option(names: str, flag: str) -> Any:
    value = "" if flag.endswith(")") else _VALUE
    return re2.compile(rf"(?i)\b(?:{names.replace(' ', '|')})[ \t](?:[^\n|;`]{{0,160}}?[ \t])??{flag}{value}".encode())


_OPTIONS = tuple(_option(names, flag) for names, flag in _FLAGS.items())
_PATTERNS = tuple(
    re2.compile(form)
    for form in (
        # A field of Swift's, addresses of Go's drivers, SQL, .netrc, .pgpass, PowerShell, Redis, a shell's pipes
        rb"\"([^\"\n]+)\",[ \t]*for\w*:[ \t]*\"[\w.-]*(?i:passw|secret|token|api-?key)",
        rb"\w:([^\s\"'@/:]+)@(?:tcp|unix)\(",
        rb"(?i)\b(?:identified (?:with \w+ )?by|password(?: for \S+ =)?)\s(?:password\()?N?[\"']([^\"'\n$%{]+)[\"']",
        rb"(?i)\bmachine\s+\S+\s+login\s+\S+\s+password\s+([^\s\"'\\]+)",
        rb"(?m)^[\w.*-]+:(?:\d{2,5}|\*):[\w*-]+:[\w*@.-]+:(\S+)$",
        rb"(?i)convertto-securestring\s(?:-string\s)?[\"']([^\"'\n$]+)[\"']",
        rb"(?i)[\"']([^\"'\n$]+)[\"'][ \t]*\|[ \t]*convertto-securestring",
        rb"(?im)^user[ \t]+\w+[ \t]+on[ \t][^\n>]*>(\S+)",
        rb"(?i)\b(?:echo|printf)[ \t]+(?:-\w+[ \t]+)*[\"']?(?:[\w.-]+:)?([^\s\"'|$:]+)[\"']?[ \t]*\|[^\n|]*"
        rb"(?:--password-stdin|chpasswd|sudo[ \t]+-\w*S|passwd[ \t]+--stdin|cryptsetup)",
    )
)
_WORTH = re2.Set.SearchSet()
for _form in (
    *(rf"\b(?:{names.replace(' ', '|')})[ \t]" for names in _FLAGS),
    r"\",[ \t]*for\w*:[ \t]*\"",
    r"@(?:tcp|unix)\(",
    r"(?i)identified |password(?: for \S+ =)?\s(?:password\()?n?[\"']",
    r"(?i)machine\s",
    r"(?m)^[\w.*-]+:(?:\d{2,5}|\*):[\w*-]+:",
    r"(?i)convertto-securestring",
    r"(?i)\|[ \t]*convertto-securestring",
    r"(?im)^user[ \t]+\w+[ \t]+on[ \t]",
    r"(?i)--password-stdin|chpasswd|sudo[ \t]+-\w*S|passwd[ \t]+--stdin|cryptsetup",
):
    _WORTH.Add(_form)
_WORTH.Compile()
_SHORTEST = 5
_INSERT = re2.compile(rb"(?i)insert[ \t]+into[ \t]+\S+[ \t]*\(([^()]{1,300})\)\s*values\s*\(")
_COLUMN = re2.compile(rb"(?i)pass(?:word|wd)?|pwd|secret|api_?key")


def find_passed(text: str, plain: bytes) -> Iterator[tuple[int, int]]:
    """Yield the spans of values that are secret by position."""
    for match in _CALL.finditer(plain):
        name = match.group().rstrip(b" \t(\"'").decode().lower()
        number, usual = _USUAL[name if name in _USUAL else "auth="]
        at = match.end() - (match.group()[-1:] in (b'"', b"'"))
        for start, end in _argument(plain, at, number):
            value = text[start:end]
            if is_secret("password", value, bare=False) if usual else is_secret_inside("password", value):
                yield start, end
    for number in sorted(_WORTH.Match(plain) or ()):
        for match in (*_OPTIONS, *_PATTERNS)[number].finditer(plain):
            if _is_value(text, *match.span(1)):
                yield match.span(1)
    for match in _INSERT.finditer(plain):
        yield from _columns(text, plain, match)


def _is_value(text: str, start: int, end: int) -> bool:
    value = text[start:end]
    return end - start >= _SHORTEST and is_plausible_password(value) and not value.replace(":", "").isdigit()


def _argument(plain: bytes, at: int, wanted: int) -> Iterator[tuple[int, int]]:
    """Yield the spans of the literals in an argument."""
    number, after, depth = 1, at, 0
    for group in literals(plain, at, min(at + REACH, len(plain)), inside=True):
        for literal in group:
            for sign in plain[after : literal.first]:
                depth += (sign in b"([{") - (sign in b")]}")
                number += sign == 44 and depth == 0
            if depth < 0 or number > wanted:
                return
            if number == wanted:
                yield literal.first, literal.last
            after = literal.last


def _columns(text: str, plain: bytes, match: Any) -> Iterator[tuple[int, int]]:
    """Yield the spans of values that are inserted into secret columns."""
    for number, column in enumerate(match.group(1).split(b","), 1):
        if _COLUMN.search(column):
            for start, end in _argument(plain, match.end(), number):
                if is_secret_inside("password", text[start:end]):
                    yield start, end
