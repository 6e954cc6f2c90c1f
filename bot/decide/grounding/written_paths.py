"""Paths as people write them: what may be one, what is one for sure, and how it may be read."""

from __future__ import annotations

import posixpath
import re

from bot.decide.grounding import tokens
from bot.decide.retrieval.stemmer import LETTERS

_MORE_ENDINGS = """
adoc astro avsc bash bat bazel bzl cc cjs clj cljs cmake cts cxx dart dockerfile editorconfig erl fish fs gradle gql
graphql groovy hcl hh hrl hs http hxx ipynb j2 jinja jinja2 jl jsonc kts less m mdx mk mts nim nix patch php pl plist pm
prisma properties ps1 r rake sass scss service sol styl svelte svg tfvars tmpl tpl tsv v vb vim xsd yang zig zsh
"""
_ENDINGS = frozenset((*tokens.ENDINGS.split(), *_MORE_ENDINGS.split()))
_PLAIN_ENDINGS = """
md rst toml yml yaml ini cfg py pyi rb go rs java kt tsx jsx txt swift scala php cpp hpp gradle
"""
_PLAIN = frozenset(_PLAIN_ENDINGS.split())
"""Endings that no attribute of an object has: a name with one of these is a file's."""
_DOMAINS = frozenset("com org net io dev app ai cloud co de uk eu local internal example test".split())  # noqa: SIM905  # the same
_SITES = frozenset(("docs.rs",))
"""Places in the net whose names end as files do."""

BARE_NAMES = frozenset(
    ("Makefile", "Dockerfile", "Procfile", "Gemfile", "Rakefile", "Jenkinsfile", "Vagrantfile", "CODEOWNERS")
)
"""Names of files that are no words."""

_LATIN = re.compile(rf"[\x21-\x7e{LETTERS}]+(?: [\x21-\x7e{LETTERS}]+)*")


def readings(path: str) -> tuple[str, ...]:
    """The path with slashes; where words of another script are glued to it, what is left of it without them first."""
    plain = re.sub(r"^[A-Za-z]:(?=/)", "", path.replace("\\", "/")).removeprefix("./").lstrip("-")
    plain = posixpath.normpath(plain) if "/../" in plain else plain
    inner = max(_LATIN.findall(plain), key=len, default=plain)
    found = (plain, inner) if ending(plain) and not ending(inner) else (inner, plain)
    return tuple(dict.fromkeys(one for one in found if re.search(r"\w", one)))


def latin_length(path: str) -> int:
    """The length of a file's name to which words of another script are glued; 0 where none are."""
    latin = _LATIN.match(path)
    is_glued = latin and latin.end() < len(path) and "." not in path[latin.end() :] and ending(latin[0])
    return latin.end() if latin and is_glued else 0


def ending(path: str) -> str:
    """The known ending of a file's name; empty where it has none."""
    name = re.split(r"[\\/]", path)[-1]
    last = name.rpartition(".")[2].lower() if "." in name.strip(".") or name.startswith(".") else ""
    return known if (known := (_LATIN.match(last) or [""])[0]) in _ENDINGS else ""


def may_be_path(path: str) -> bool:
    """Return whether it has letters, and is neither a version, a host, an address of mail nor a pattern."""
    if (
        not any(map(str.isalpha, path))
        or re.fullmatch(r"v?\d+(?:_\w+)?(?:[.-]\w+)*", path)
        or re.search(r"[{}$%<>*?]", path)
    ):
        return False
    head = re.split(r"[\\/]", path.lstrip("/\\"))[0]
    host = "." in head and head.rpartition(".")[2].lower() in _DOMAINS and head != path
    return not host and "@" not in head.lstrip("@")


def is_pathlike(path: str) -> bool:
    """Return whether it has a known ending, or folders."""
    return bool(ending(path)) or bool(re.search(r"[\\/]", path))


_ROOTED = re.compile(
    r"(?:~|\.\.|[A-Za-z]:)[\\/][\w.]|\w[^:]*[\\/]\.\.[\\/]"
    r"|/(?:bin|boot|dev|etc|home|lib|media|mnt|opt|private|proc|root|run|sbin|srv|sys|tmp|usr|var|Users|Volumes)/"
)
"""How a path on a machine begins; what else begins with a slash may be an address of a server."""


def is_sure(path: str, *, lines: bool) -> bool:
    """Return whether it is a file's whatever the project holds; `lines` stand beside it."""
    known, has_folder = ending(path), bool(re.search(r"\w[\\/]", path))
    rooted = path.startswith(("/", "~", "\\"))
    if lines:
        return bool(known) or bool(_ROOTED.match(path))
    is_name = bool(re.match(r"\.?[^.]", path)) and path.lower() not in _SITES and path.strip(".").lower() != known
    return bool(known) and not rooted and (has_folder or (is_name and known in _PLAIN))
