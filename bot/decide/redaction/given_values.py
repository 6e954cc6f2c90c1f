"""Assigned values: recognition of secret names, and of values that look secret. Pure.

For a password's name any value with a digit or a special character counts; for tokens, keys and secrets only
random-looking ones: parsers and caches have tokens and keys, too.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise

import re2

from bot.decide.redaction.secret_words import PASSWORDS, SECRETS, STRONG_SIGN, WEAK_SIGN
from bot.decide.redaction.value_shape import in_words, is_in_order, is_random

_STRONG = re2.compile(
    rf"(?i){PASSWORDS}|{STRONG_SIGN}|(?:^|[_.$*-])(?:pw|mdp|psw|psk)(?:$|[_.*-]|\d)"
    r"|(?:^|db|pg|my|smtp|ftp|mail|mysql|redis|root|user|admin|ldap|ssh|store|key|trust|become|vault|http|proxy|wifi|net|[_.$*-])pass"
    r"(?:$|[_.*-]|\d)|(?-i:[a-z](?:Pw|PW|Pass)$)"
)
_WEAK = re2.compile(
    rf"(?i){SECRETS}|{WEAK_SIGN}|(?:^|[_.$-])(?:dsn|creds?$)|conn(?:ection)?[_-]?str(?:ing)?|(?:client|app)[_-]?id$|(?:^|[_.$-])auth$"
)
_CLIENT = re2.compile(r"(?i)(?:client|app)[_-]?id$")
_ABOUT = re2.compile(
    r"(?i)(?:names?|types?|ur[il]s?|paths?|files?|filenames?|dir|fields?|labels?|refs?|count|limit|length|len|size|ttl"
    r"|expir\w*|prefix|suffix|headers?|params?|parameters?|placeholder|hints?|texts?|messages?|msg|errors?|env|vars?|class"
    r"|regexp?|patterns?|formats?|algorithms?|alg|polic(?:y|ies)|strength|min|max|kind|status|state|idx|index|stream|list|store"
    r"|manager|provider|service|mgr|handler|factory|builder|validator|encoder|digest|salt|schemes?|scopes?|source|template|default"
    r"|version|prompt|title|description|tips?|link|page|screen|form|input|view|button|icon|columns?|tables?|attribute|options?"
    r"|mode|realm|required|enabled|disabled|confirm(?:ation)?|izer|ized?|usage|group|cache|space)$"
    r"|websocket|^ws_|public|cache_?key|sort_?key|partition|foreign|csrf_?param|idempoten|salted"
    r"|(?:next|page|starting|continuation|client_?request|sync|resume|update|lock|change|cancel(?:lation)?)[_-]?token$"
)
_NO_VALUE = re2.compile(
    r"(?i)\$\{|\{\{|\}\}|#\{|\{\w*\}|\{\w+[\[.(!:]"
    r"|\.\*|\*\.|\[\^|\]\+|a-z|\\[sdwb]|\(\?|\)\(|^@[a-z_]\w*(?:\.\w+)*$|^:\w+$|^[a-z_]+=\w*$|^--?[a-z][a-z-]*=\w*$|^\*\w+$"
    r"|pbkdf2|hmac_?sha|%\(|%[sd]\b|<[a-z_ -]+>"
    r"|\.\.\.|\*\*\*|x{4}|your|example|placeholder|change_?me|redacted|dummy|to_?do|insert|replace|fixme|sample|undefined|\bnone\b|\bnull\b"
    r"|://|^sha\d+[-:]|^#/?[a-z$][\w/$-]*$|^\d+#|localhost|^[a-z][\w.-]*:\d{2,5}$|^urn:|^arn:|^<|^[.~$]|^%2f|\.(?:ya?ml|json|pem|txt|key|py|js|ts|go"
    r"|rb|java|cfg|conf|properties|xml|html?|md|sh|jks|p12|crt|enc|com|org|net|io)$|^\w+\(|::|->"
    r"|^[a-zA-Z_]\w*(?:\.#?[a-zA-Z_]\w*)+$|^(?:hmac)?[-_]?(?:sha|md5|aes|rsa|hs|rs|es|utf|iso|base|ascii)[-_]?\d{1,4}(?:[-_/][\w-]{0,12})?$|^\d{4}-\d\d-\d\d"
    r"|\\x[0-9a-f]{2}|\\u00"
)
_FILLER = (
    "tests?|testing|usernames?|user|pass|passwords?|passwd|pwd|secrets?|tokens?|keys?|foo|bar|baz|my|the|admin|demo|fake|mock|new"
    "|old|invalid|wrong|bad|good|right|valid|correct|some|any|another|other|first|second|values?|default|random|hello|world|abc"
    "|abcd|abcdef?|xyz|qwerty|string|empty|root|guest|clients?|servers?|apps?|api|auth|access|private|public|shared|db"
    "|database|login|account|names?|id|session|refresh|bearer|csrf|oauth|jwt|basic|super|sekret|sekrit|only|for|not|is|an|a|in|of"
    "|to|no|with|field|param|header|cookie|plain|text|encrypted|hashed|hash|data|expired|revoked|this|very|long|short|strong|weak"
    "|scram|alice|bob|hidden|n"
)
_FILLERS = re2.compile(rf"(?i)(?:{_FILLER}|[\d_.\-:#/\\!@? ])+")
_PATH = re2.compile(r"/|[\w-]+/[\w./-]+$")
_SIGNS = frozenset("!@#$%^&*?~+=")
_SHORTEST = 6
_SHORTEST_WEAK = 10
_SHORTEST_BARE = 8
_DIGITS_OF_NO_NAME = 2
"""Number of digits from which an unquoted word is not a code name."""
_LONGEST_NAME = 200
_LONG = 20
_LONGEST = 400
_LONGEST_KEY = 12
"""Length in characters from which the value of a token or a key is not a lookup key."""
_LETTERS = 3
_HALF = 0.5
_NAMED = re2.compile(r"[a-z]*(?:[A-Z]+[a-z]+\d*){2,}|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+")
_CONSTANT = re2.compile(r"[A-Z]{3,}[A-Z0-9]*(?:_[A-Z0-9]+)+")
_LETTERS_OF_WORDS = 3
"""Minimum letters per capital of a code name inside a call; one more if it is assigned directly."""
_TYPED = frozenset("!@#$%^&*?~")
_OF_CODE = re2.compile(r"^[#.&?*%]|[()\[\]{}<>|;,\\]|://|^[\w-]+=|\w/[\w.]|[%$]\w$|^[a-z]+[A-Z][A-Za-z]+\d?$")
"""Characters of selectors, patterns, formats, addresses and names."""
_NUMBER = 15
"""Number of digits from which a quoted number is not a count, date or port."""


@lru_cache(maxsize=4096)
def is_password(name: str) -> bool:
    """Return whether a name is a password's."""
    return bool(_STRONG.search(name[-_LONGEST_NAME:]))


@lru_cache(maxsize=4096)
def is_secret_name(name: str) -> bool:
    """Return whether a name says that its value is secret."""
    name = name[-_LONGEST_NAME:]
    return bool(_CLIENT.search(name)) or (not _ABOUT.search(name) and bool(_STRONG.search(name) or _WEAK.search(name)))


def is_plausible_password(value: str) -> bool:
    """Return whether a text in the place of a password looks like one, and not like an example."""
    if _PATH.match(value) and not (len(value) >= _LONG and is_random(value)):
        return False
    return not (_NO_VALUE.search(value) or is_in_order(value) or is_filler(value))


def is_filler(value: str) -> bool:
    """Return whether a value consists of words that examples use, and of digits: test-password-1."""
    return bool(_FILLERS.fullmatch(value)) and not value.isdigit()


@lru_cache(maxsize=4096)
def is_secret(name: str, value: str, *, bare: bool) -> bool:
    """Return whether an assigned value looks like a secret. `bare`: without quotation marks, where code names occur
    too."""
    digits = sum(map(str.isdigit, value))
    if not _may_be(value) or (bare and len(value) < _SHORTEST_BARE and (value.isalnum() or not digits)):
        return False
    if is_password(name):
        named = bare and value.isidentifier() and (digits < _DIGITS_OF_NO_NAME or bool(_CONSTANT.fullmatch(value)))
        return is_random(value) if named else _is_of_a_password(value)
    if len(value) < _SHORTEST_WEAK or (
        bare and value.isidentifier() and digits < _DIGITS_OF_NO_NAME and in_words(value) > _HALF
    ):
        return False
    if _is_named(value, _LETTERS_OF_WORDS + 1):
        return False
    if is_random(value) or (is_typed(value) and (digits > 0 or not bare) and not _CLIENT.search(name)):
        return True
    return not bare and digits == len(value) >= _NUMBER


@lru_cache(maxsize=4096)
def is_secret_inside(name: str, value: str) -> bool:
    """Return whether a text inside an assigned expression looks like a secret: in a call, a condition, a table.

    It may also be a look-up key, a pattern or a message there.
    """
    if (
        not _may_be(value)
        or _OF_CODE.search(value)
        or _is_named(value, _LETTERS_OF_WORDS)
        or len(value) < _SHORTEST_BARE
    ):
        return False
    return is_typed(value) or (is_random(value) and (is_password(name) or len(value) >= _LONGEST_KEY))


def is_weak_password(name: str, value: str) -> bool:
    """Return whether a word in a program's message looks like a common password: letters with a digit, no code name."""
    if not is_password(name) or not _may_be(value) or len(value) < _SHORTEST_BARE or _OF_CODE.search(value):
        return False
    return "_" not in value and any(map(str.isdigit, value)) and sum(map(str.isalpha, value)) >= _LETTERS


def is_typed(value: str) -> bool:
    """Return whether a value mixes letters, digits and a special character like a typed password."""
    letters = list(filter(str.isalpha, value))
    if _TYPED.isdisjoint(value) or len(letters) < _LETTERS:
        return False
    changes = sum(letter.isupper() != after.isupper() for letter, after in pairwise(letters))
    return any(map(str.isdigit, value)) or changes > _LETTERS


def _is_named(value: str, letters: int) -> bool:
    """Return whether a value is a code name: in camel case with this many letters per capital, or a constant."""
    capitals = sum(map(str.isupper, value))
    return bool(_NAMED.fullmatch(value)) and ("_" in value or len(value) >= letters * capitals)


def _may_be(value: str) -> bool:
    return _SHORTEST <= len(value) <= _LONGEST and not any(map(str.isspace, value)) and is_plausible_password(value)


def _is_of_a_password(value: str) -> bool:
    """Return whether a value has a digit or a special character, or is a long word that is not a name."""
    digits, letters = sum(map(str.isdigit, value)), sum(map(str.isalpha, value))
    if _SIGNS & set(value):
        return bool(letters)
    if digits:
        return letters > 0 or len(value) >= _SHORTEST_WEAK
    return is_random(value) or (len(value) >= _LONG and value.isalpha() and value.islower() and in_words(value) > 0)
