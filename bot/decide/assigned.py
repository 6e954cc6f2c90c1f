"""Values that are assigned to a name which says that they are secret: in code, settings, commands and addresses. Pure.

Read by `decide/redact`. A name says so (*password, secret, token, api key*, in some languages too); what it is given
must look like a value and not like code: no call, no other name, no placeholder, no sentence (`decide/values_given`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import re2

from bot.decide.values_given import is_password, is_said, is_secret, says_so

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from bot.decide.spans import Span

ASSIGNED = "a value assigned to a secret's name"
"""What `Redactor.kinds` calls one."""

STRONG = (
    r"passw|passphrase|passcode|pwd|requirepass|masterauth|contrase(?:ñ|n)a|senha|kennwort|mot_?de_?passe|wachtwoord|hasło"
    r"|haslo|парол[ья]|密码|密碼|パスワード|비밀번호|şifre|kata_?sandi|l(?:ö|o)senord|pass(?:[_\d]|\b)"
)
WEAK = (
    r"secret|token|credential|bearer|(?:client|app)[_-]?id\b|webhook|dsn\b|conn(?:ection)?[_-]?str|auth\b"
    r"|(?:api|access|auth|private|sign|signing|encryption|encrypt|crypt|master|account|shared|service|storage|license|app"
    r"|application|client|consumer|subscription|deploy|hmac|jwt|admin|live|test|prod)[_-]?key"
)
_WORD = rf"({STRONG}|{WEAK})[\pL\d_-]*"
_TYPE = r"(?:\s?:\s?[&A-Za-z][\w.<>&?' \[\]|]{0,30})?"
_OPEN = r"(?:\\?[\"'`]){1,3}"
_HELD = r"([^\"'`\n]{6,400})"
_BARE = r"([^\s\"'`#;,(){}\[\]<>$&|\\][^\s\"'`;,(){}\[\]<>\\]{5,300})"
_FIELD = r"([^\s&;\"'`<>(){}\[\],$\\|][^\s&;#\"'`<>(){}\[\],\\]{5,300})"
_LINE = re2.compile(r"(?i)[ \t+-]*(?:[-*] )?(?:(?:export|set|setx|env|arg|local|declare|spring|- name) )?")
_ATTRIBUTE = re2.compile(r"(?i).*\b(?:name|key|id)\s?=\s?[\"']")
_SPOKEN = ("requirepass", "masterauth", "password", "identified")
"""Names that settings and commands write before a value with nothing but a blank between."""
_DEFINED = re2.compile(r"(?i).*(?:#define\s+|:)")


@dataclass(frozen=True, slots=True)
class _Form:
    """One way to give a name a value. The pattern begins with the telling part of the name: the first group is that
    word, the second the value. `fits` looks at what stands before the name in its line, and at the name."""

    pattern: Any
    fits: Callable[[str, str], bool]
    bare: bool = False
    """Whether the value stands without quote marks, as a name of code would."""


def _form(pattern: str, fits: Callable[[str, str], bool], *, bare: bool = False) -> _Form:
    return _Form(re2.compile(f"(?i){pattern}"), fits, bare)


_FORMS = (
    # name = "…", name: "…", "name" => "…", name: str = "…"
    _form(
        rf"{_WORD}[\"'`\]]{{0,3}}{_TYPE}\s{{0,3}}(?:=|:|:=|=>|<-|\?=|\|\|=|==)\s{{0,3}}[bfrulL@$]{{0,2}}{_OPEN}{_HELD}[\"'`]",
        lambda before, name: True,
    ),
    # requirepass "…", :password "…", #define DB_PASSWORD "…"
    _form(
        rf"{_WORD}[\"'`]?\s{{1,4}}{_OPEN}{_HELD}[\"'`]",
        lambda before, name: name.lower() in _SPOKEN or bool(_DEFINED.fullmatch(before)),
    ),
    # ("name", "…"), {"name", "…"}
    _form(
        rf"{_WORD}[\"'`]?\s?,\s?[bfru@$]?{_OPEN}{_HELD}[\"'`]",
        lambda before, name: before.endswith(("'", '"', "`", ":")),
    ),
    # setPassword("…"), .password("…")
    _form(rf"{_WORD}\(\s?[bfru@$]?{_OPEN}{_HELD}[\"'`]", lambda before, name: is_password(name)),
    # Lines of settings: name=…, name: …, export NAME=…, ENV NAME …
    _form(
        rf"{_WORD}[ \t]{{0,2}}(?:=|:|[ \t])[ \t]{{0,8}}{_BARE}[ \t]*(?:#[^\n]*)?(?:\n|\r|$)",
        lambda before, name: bool(_LINE.fullmatch(before)),
        bare=True,
    ),
    # In a command: NAME=… program, --name=…, --name …
    _form(
        rf"{_WORD}=[\"']?{_BARE}",
        lambda before, name: name.isupper() and (not before or before[-1] in " \t\"'"),
        bare=True,
    ),
    _form(
        rf"{_WORD}[= ][\"']?{_BARE}", lambda before, name: name.startswith("-") and before[-1:] in " \t\"'", bare=True
    ),
    # Fields of addresses and connection strings: ?name=…&, ;name=…;
    _form(rf"{_WORD}=[\"']?{_FIELD}", lambda before, name: before[-1:] in "?&;\"' \t" and before != ""),
    # XML: <name>…</name>, <add key="name" value="…">, <property name="name">…<
    _form(rf"{_WORD}(?:\s[^<>]*)?>([^<>\s]{{6,300}})</", lambda before, name: before.endswith(("<", ":"))),
    _form(
        rf"{_WORD}[\"'][^<>]{{0,60}}?(?:value\s?=\s?[\"']|>)([^\"'<>\s]{{6,300}})[\"'<]",
        lambda before, name: bool(_ATTRIBUTE.fullmatch(before)),
    ),
)

_SAID = tuple(
    re2.compile(f"(?i){form}")
    for form in (
        # Programs that take a password as it is: mysql -p…, curl -u name:…, sshpass -p …, redis-cli -a …
        r"\b(mysql|mysqldump|mysqladmin|mariadb)\b[^\n|;]{0,120}?\s-p[\"']?([^\s\"'`$-][^\s\"'`$;|]{3,80})",
        r"\b(curl|wget|http)\b[^\n|]{0,160}?\s(?:-u|--user|--proxy-user|-a)[= ]?[\"']?[^\s:\"'$]{0,80}"
        r":([^\s\"'`$]{4,120})",
        r"\b(sshpass|redis-cli|(?:docker|podman|az|helm registry) login|mongo(?:sh)?|ldapsearch|htpasswd)\b"
        r"[^\n|;]{0,120}?\s(?:-p|-a|-w)[= ]?[\"']?([^\s\"'`$-][^\s\"'`$;|]{5,120})",
        r"\b(openssl)\b[^\n|;]{0,160}?\spass:([^\s\"'`$;|]{4,120})",
        # SQL, .netrc, PowerShell
        r"\b(identified (?:with \w+ )?by|password)\s[\"']([^\"'\n$%{]{6,120})[\"']",
        r"\b(machine \S+ login \S+ password) ([^\s\"'\\]{4,200})",
        r"(convertto-securestring)\s(?:-string\s)?[\"']([^\"'\n$]{6,200})[\"']",
    )
)
_FOREIGN = frozenset("ñÑłŁпП密パ비şŞöÖ")
"""Letters of the words above that are not ASCII's, one of each word."""
_LINE_SEEN = 200
"""Characters before a name that are looked at."""
_MANIFEST = re2.compile(r"(?m)^kind:[ \t]*[\"']?Secret[\"']?[ \t]*\r?$")
_DATA = re2.compile(r"(?m)^data:[ \t]*\r?\n((?:[ \t]+[^\n]*\n?)+)")
_ENTRY = re2.compile(r"(?m)^[ \t]+[\w.-]+:[ \t]*[\"']?([A-Za-z0-9+/]{8,}={0,2})[\"']?[ \t]*\r?$")


class _Worth:
    """Which forms are worth trying on a text, by one pass over it."""

    def __init__(self) -> None:
        self._set = re2.Set.SearchSet()
        word = rf"(?i)(?:{STRONG}|{WEAK})[\pL\d_-]*"
        for shape in (
            rf"{word}[\"'`\]]{{0,3}}{_TYPE}\s{{0,3}}(?:[=:]|=>|<-|\?=|\|\|=)[=>]?\s{{0,3}}[bfrulL@$]{{0,2}}\\?[\"'`]",
            rf"{word}[\"'`]?\s{{1,4}}\\?[\"'`]",
            rf"{word}[\"'`]?\s?,\s?[bfru@$]?\\?[\"'`]",
            rf"{word}\(\s?[bfru@$]?\\?[\"'`]",
            rf"(?m)^[ \t+-]*(?:[-*] )?(?:\w+ )?[\w.$-]*{word}[ \t]*(?:[=: \t])[ \t]*[^\s\"'`#;,(){{}}\[\]<>$&|\\]{{6}}",
            r"[A-Z0-9_](?:PASS|PWD|SECRET|TOKEN|CREDENTIAL|KEY|AUTH|DSN)[A-Z0-9_]*=",
            rf"[ \t\"']-[\w-]*{word}[= ]",
            rf"[?&;\"' ][\w.-]*{word}=",
            rf"<[\w:.-]*{word}[^<>]*>",
            rf"(?i)(?:name|key|id)\s?=\s?[\"'][\w.-]*{word}[\"']",
            r"(?i)\b(?:mysql|mariadb|curl|wget|http |sshpass|redis-cli|mongo|ldapsearch|htpasswd|openssl|identified"
            r"|machine )|login |password\s[\"']|securestring",
        ):
            self._set.Add(shape)
        self._set.Compile()

    def of(self, text: str) -> frozenset[int]:
        return frozenset(self._set.Match(text) or ())


_WORTH = _Worth()


def assigned(text: str) -> Iterator[Span]:
    """Where values stand that are assigned to a name which says that they are secret."""
    if not text.isascii() and _FOREIGN.isdisjoint(text):
        text = text.encode("ascii", "replace").decode()  # as many characters, and faster
    worth = _WORTH.of(text)
    for number in sorted(worth & {*range(len(_FORMS))}):
        yield from _given(text, _FORMS[number])
    if len(_FORMS) in worth:
        for form in _SAID:
            for match in form.finditer(text):
                if is_said(match.group(2)):
                    yield match.start(2), match.end(2), ASSIGNED
    if _MANIFEST.search(text):
        yield from _data_of_manifests(text)


def says_secret(name: Any, value: str) -> bool:
    """Whether a field of a JSON value is a secret by its name and its look."""
    return isinstance(name, str) and says_so(name) and is_secret(name, value, bare=False)


def _data_of_manifests(text: str) -> Iterator[Span]:
    """The values of Kubernetes secrets, which are in base64 whatever they are called."""
    for data in _DATA.finditer(text):
        for match in _ENTRY.finditer(data.group(1)):
            if len(match.group(1)) % 4 == 0:
                yield data.start(1) + match.start(1), data.start(1) + match.end(1), ASSIGNED


def _given(text: str, form: _Form) -> Iterator[Span]:
    for match in form.pattern.finditer(text):
        end = match.end(1)
        while end < len(text) and (text[end].isalnum() or text[end] in "_-"):
            end += 1
        start = match.start(1)
        while start and (text[start - 1].isalnum() or text[start - 1] in "_.$-"):
            start -= 1
        line = max(text.rfind("\n", max(0, start - _LINE_SEEN), start) + 1, start - _LINE_SEEN)
        if start and text[start - 1] == "\\" and text[start] in "nrt":  # a line within a JSON text
            line = start = start + 1
        name, value = text[start:end], match.group(2)
        if form.fits(text[line:start], name) and says_so(name) and is_secret(name, value, bare=form.bare):
            yield match.start(2), match.end(2), ASSIGNED
