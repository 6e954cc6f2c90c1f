"""Words for secrets in many languages, and texts in ASCII. Pure.

A text is searched in one byte per character, so that positions stay: a word of another script becomes as many
placeholder bytes, which no cleaned text contains.
"""

from __future__ import annotations

from importlib import resources
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

STRONG_SIGN, WEAK_SIGN = "\x01", "\x02"
"""Placeholders for each letter of a foreign word for a password, and for a secret or key."""

PASSWORDS = (
    r"passw|passphrase|passcode|passkey|pwd|requirepass|masterauth|contrasen[ay]|senha|palavra[_-]?passe|palavra_?chave|kennwort"
    r"|mot_?de_?passe|wachtwoord|wagwoord|paswoord|haslo|heslo|jelszo|salasana|adgangskode|kodeord|passord|losenord|kata_?sandi"
    r"|mat_?khau|lozinka|geslo|pasahitza|slaptazodis|nenosiri|fjalekalim|lykilord|parool|parola|sifre|kodikos|parol[ja]"
    r"|clave_?(?:de_?)?(?:secreta|acceso|privada)"
)
"""Words for passwords in ASCII letters, with or without the accents of their language."""
SECRETS = (
    r"secret|token|credential|bearer|webhook|geheimnis|zugangsdaten|segredo|secreto|segreto|chave_?(?:secreta|api)|chiave_?(?:segreta|api)|clave"
    r"|sleutel|schluessel|schlussel|cle_?(?:secrete|api)|klucz_?api"
    r"|(?:api|access|auth|private|sign|signing|encryption|encrypt|crypt|master|account|shared|service|storage|license|app"
    r"|application|client|consumer|subscription|deploy|hmac|jwt|admin|live|test|prod)[_-]?key"
)
_ACCENTED = dict(
    zip(
        "ñÑçÇáàâãäåéèêëíìîïóòôõöúùûüýłŁşŞğıšžčřůěąęśźżćőűậẩ",
        "nNcCaaaaaaeeeeiiiiooooouuuuylLsSgiszcrueaeszzcouaa",
        strict=True,
    )
)
_SIGNS = {
    **dict(zip("\uff1a\uff1d\u201c\u201d\u201e\u00ab\u00bb\u300c\u300d\u2018\u2019", ':="""""""\'\'', strict=True)),
    **_ACCENTED,
    **dict.fromkeys("\u2192\u21d2\u27a1\u27f6\u279c", ":"),
    **dict.fromkeys("\u2013\u2014", "-"),
}


def _list_spellings() -> Iterator[tuple[str, str]]:
    """Yield each foreign word in its spellings, with its placeholders."""
    for row in (resources.files("bot.decide.redaction") / "secret_words.txt").read_text("utf-8").splitlines():
        kind, *words = row.split()
        for word in words if kind != "#" else ():
            sign = STRONG_SIGN if kind == "password" else WEAK_SIGN
            for spelling in (word, word.replace("_", " ")):
                forms = (spelling, spelling.capitalize(), spelling.upper())
                yield from ((form, sign * len(word)) for form in forms if len(form) == len(word))


_FOREIGN = dict(sorted(_list_spellings(), key=lambda pair: (-len(pair[0]), pair[0])))
_FIRST = frozenset(word[0] for word in _FOREIGN)


def in_plain(text: str) -> bytes:
    """Convert a text to one byte for each character."""
    if text.isascii():
        return text.encode()
    characters = set(text)
    for sign in characters & _SIGNS.keys():
        text = text.replace(sign, _SIGNS[sign])
    if not _FIRST.isdisjoint(characters):
        for word, signs in _FOREIGN.items():
            if word[0] in characters and word[-1] in characters:
                text = text.replace(word, signs)
    return text.encode("ascii", "replace")
