"""Samples of the forms in `published.txt`, made by chance from a seed; apart from what looks for such tokens."""

from __future__ import annotations

import re
import string
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random

PUBLISHED = Path(__file__).with_name("published.txt")
_LETTERS, _DIGITS = string.ascii_letters, string.digits
SIGNS = {
    "digit": _DIGITS,
    "hex": "0123456789abcdef",
    "HEX": "0123456789ABCDEF",
    "Hex": string.hexdigits,
    "upper": string.ascii_uppercase,
    "alpha": _LETTERS,
    "low": string.ascii_lowercase + _DIGITS,
    "UP": string.ascii_uppercase + _DIGITS,
    "base32": string.ascii_lowercase + "234567",
    "check": string.ascii_lowercase + "*#$=",
    "alnum": _LETTERS + _DIGITS,
    "word": f"{_LETTERS}{_DIGITS}_",
    "url": f"{_LETTERS}{_DIGITS}_-",
    "dot": f"{_LETTERS}{_DIGITS}_.-",
    "loose": f"{_LETTERS}{_DIGITS}_.=-",
    "tilde": f"{_LETTERS}{_DIGITS}_.~-",
    "b64": f"{_LETTERS}{_DIGITS}+/",
    "any64": f"{_LETTERS}{_DIGITS}+/_-",
    "lower_": string.ascii_lowercase,
    "printed": _LETTERS + _DIGITS,
    "blank": " ",
}
_CHOICE = re.compile(r"\(([^()]*)\)(\?)?")
_RUN = re.compile(r"\{(\w+)(?::(\d+)(?:-(\d+)|\+)?)?\}")


@dataclass(frozen=True, slots=True)
class Listed:
    """A family as a scanner lists it. Without a form none is published."""

    scanner: str
    name: str
    form: str


def listed() -> tuple[Listed, ...]:
    """All families of `published.txt`."""
    rows = [row for row in PUBLISHED.read_text().splitlines() if row and not row.startswith("#")]
    apart = [row.split(" | ", 2) for row in rows]
    return tuple(
        Listed(scanner, name, "" if form == "-" else form) for scanner, names, form in apart for name in names.split()
    )


def sample(form: str, chance: random.Random) -> str:
    """One token of a form, and what stands around it."""
    form = re.sub(r"[<>¶]|\{pad\}", "", form) if not form.startswith("<add") else form
    while (choice := _CHOICE.search(form)) is not None:
        taken = chance.choice(choice[1].split("|")) if not choice[2] or chance.random() < 0.5 else ""
        form = f"{form[: choice.start()]}{taken}{form[choice.end() :]}"
    return _RUN.sub(lambda run: _run(run, chance), form)


def core(form: str, text: str) -> str:
    """The part of a sample that must not be seen: the longest run of what chance made."""
    words = re.findall(r"[A-Za-z0-9+/_.~=-]{6,}", text.split("@")[0])  # behind an @ stands a host
    fixed = re.sub(r"\{[^}]*\}|\([^()]*\)\??", "\0", form)
    made = [word for word in words if word not in fixed]
    longest: str = max(made or words, key=len)
    return longest[-12:]


def _run(run: re.Match[str], chance: random.Random) -> str:
    name, least, most = run.groups()
    if name == "uuid":
        return "-".join("".join(chance.choices(SIGNS["hex"], k=length)) for length in (8, 4, 4, 4, 12))
    length = chance.randint(int(least), int(most or least))
    return "".join(chance.choices(SIGNS[name], k=length))
