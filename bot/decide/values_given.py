"""What a name says of the value that it is given, and whether the value looks like a secret. Pure.

Read by `decide/assigned`. Of a password's name anything with a digit or a sign in it is taken; of a token's, a key's
or a secret's what looks like chance: parsers and caches have tokens and keys, too.
"""

from __future__ import annotations

from functools import lru_cache

import re2

from bot.decide.looks import in_words, is_in_order, is_random

_STRONG = re2.compile(
    r"(?i)passw(?:or)?[dt]|passphrase|passcode|pwd|requirepass|masterauth|contrase[ñn]a|senha|kennwort|mot_?de_?passe"
    r"|wachtwoord|has[łl]o|парол[ья]|密码|密碼|パスワード|비밀번호|şifre|kata_?sandi|l[öo]senord"
    r"|(?:^|db|pg|my|smtp|ftp|mail|mysql|redis|root|user|admin|ldap|ssh|[_.$-])pass(?:$|[_.-]|\d)"
)
_WEAK = re2.compile(
    r"(?i)secret|token|credential|bearer|api[_-]?key|webhook|(?:^|[_.$-])dsn|conn(?:ection)?[_-]?str(?:ing)?"
    r"|(?:client|app)[_-]?id$|(?:^|[_.$-])auth$"
    r"|(?:access|auth|private|secret|signing|sign|encryption|encrypt|crypt|master|account|shared|service|storage|license|app"
    r"|application|client|consumer|subscription|deploy|hmac|jwt|admin|live|test|prod)[_-]?key"
)
_CLIENT = re2.compile(r"(?i)(?:client|app)[_-]?id$")
_ABOUT = re2.compile(
    r"(?i)(?:names?|types?|ur[il]s?|paths?|files?|filenames?|dir|fields?|labels?|refs?|count|limit|length|len|size|ttl"
    r"|expir\w*|prefix|suffix|headers?|params?|parameters?|placeholder|hints?|texts?|messages?|msg|errors?|env|vars?|class"
    r"|regexp?|patterns?|formats?|algorithms?|alg|polic(?:y|ies)|strength|min|max|kind|status|state|idx|index|stream|list|store"
    r"|manager|provider|service|mgr|handler|factory|builder|validator|encoder|digest|salt|schemes?|scopes?|source|template|default"
    r"|version|prompt|title|description|tips?|link|page|screen|form|input|view|button|icon|columns?|tables?|attribute|options?"
    r"|mode|required|enabled|disabled|confirm(?:ation)?|izer|ized?|usage|group|cache|space)$"
    r"|passwords$|websocket|^ws_|public|cache_?key|sort_?key|partition|foreign|csrf_?param|idempoten|salted"
    r"|(?:next|page|starting|continuation|client_?request|sync|resume|update|lock|change|cancel(?:lation)?)[_-]?token$"
)
_NO_VALUE = re2.compile(
    r"(?i)\$\{|\{\{|\}\}|#\{|\{\w*\}|%\(|%[sd]\b|<[a-z_ -]+>|\.\.\.|\*\*\*|x{4}|your|example|placeholder"
    r"|change_?me|redacted|dummy|to_?do|insert|replace|fixme|sample|undefined|\bnone\b|\bnull\b|://|^urn:|^arn:|^<|^[.~$]|^%2f|\.(?:ya?ml|json|pem|txt|key|py|js|ts|go"
    r"|rb|java|cfg|conf|properties|xml|html?|md|sh|jks|p12|crt|enc|com|org|net|io)$|^\w+\(|::|->"
    r"|^[a-zA-Z_]\w*(?:\.[a-zA-Z_]\w*)+$|^(?:hmac)?[-_]?(?:sha|md5|aes|rsa|hs|rs|es|utf|iso|base|ascii)[-_]?\d{1,4}(?:[-_/][\w-]{0,12})?$|^\d{4}-\d\d-\d\d"
    r"|\\x[0-9a-f]{2}|\\u00"
)
_FILLER = (
    "tests?|testing|usernames?|user|pass|passwords?|passwd|pwd|secrets?|tokens?|keys?|foo|bar|baz|my|the|admin|demo|fake|mock|new"
    "|old|invalid|wrong|bad|good|right|valid|correct|some|any|another|other|first|second|values?|default|random|hello|world|abc"
    "|abcd|abcdef?|xyz|qwerty|letmein|string|empty|root|guest|clients?|servers?|apps?|api|auth|access|private|public|shared|db"
    "|database|login|account|names?|id|session|refresh|bearer|csrf|oauth|jwt|basic|super|sekret|sekrit|only|for|not|is|an|a|in|of"
    "|to|no|with|field|param|header|cookie|plain|text|encrypted|hashed|hash|data|expired|revoked|this|very|long|short|strong|weak"
    "|scram|alice|bob|hidden|n"
)
_FILLERS = re2.compile(rf"(?i)(?:{_FILLER}|[\d_.\-:#/\\!@? ])+")
_PATH = re2.compile(r"/|[\w-]+/[\w./-]+$")
_SIGNS = frozenset("!@#$%^&*?~+=")
_SHORTEST_WEAK = 10
_SHORTEST_BARE = 8
_DIGITS_OF_NO_NAME = 2
"""Digits from which on a word without quote marks is no name of code."""
_LONGEST_NAME = 200
_LONG = 20
_NUMBER = 15
"""Digits of a number between quote marks from which on it is no count, date or port."""


def is_password(name: str) -> bool:
    """Whether a name is that of a password."""
    return bool(_STRONG.search(name[-_LONGEST_NAME:]))


def says_so(name: str) -> bool:
    """Whether a name says that what it is given is secret."""
    name = name[-_LONGEST_NAME:]
    return bool(_CLIENT.search(name)) or (not _ABOUT.search(name) and bool(_STRONG.search(name) or _WEAK.search(name)))


def is_said(value: str) -> bool:
    """Whether what stands where only a password can stand looks like one, and not like an example's."""
    if _PATH.match(value) and not (len(value) >= _LONG and is_random(value)):
        return False
    return not (_NO_VALUE.search(value) or is_in_order(value) or is_filler(value))


def is_filler(value: str) -> bool:
    """Whether a value is made of the words that examples use, and of digits: test-password-1."""
    return bool(_FILLERS.fullmatch(value)) and not value.isdigit()


@lru_cache(maxsize=4096)
def is_secret(name: str, value: str, *, bare: bool) -> bool:
    """Whether what a name was given looks like a secret. `bare`: without quote marks, as a name of code stands, too."""
    if any(map(str.isspace, value)) or not is_said(value) or (bare and len(value) < _SHORTEST_BARE):
        return False
    if is_password(name):
        named = bare and value.isidentifier() and sum(map(str.isdigit, value)) < _DIGITS_OF_NO_NAME
        return is_random(value) if named else _is_of_a_password(value)
    return len(value) >= _SHORTEST_WEAK and (
        is_random(value) or (not bare and value.isdigit() and len(value) >= _NUMBER)
    )


def _is_of_a_password(value: str) -> bool:
    """A value with a digit or a sign in it, or a long word that is no name of something."""
    digits, letters = sum(map(str.isdigit, value)), sum(map(str.isalpha, value))
    if _SIGNS & set(value):
        return bool(letters)
    if digits:
        return letters > 0 or len(value) >= _SHORTEST_WEAK
    return is_random(value) or (len(value) >= _LONG and value.isalpha() and value.islower() and in_words(value) > 0)
