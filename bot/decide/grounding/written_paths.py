"""Paths as people write them: recognition, certainty and possible readings."""

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
"""File extensions that are not attribute names: a name with one of these is a file."""
_DOMAINS = frozenset("com org net io dev app ai cloud co de uk eu local internal example test".split())  # noqa: SIM905  # the same
_SITES = frozenset(("docs.rs",))
"""Web sites whose names end like files."""

BARE_NAMES = frozenset(
    ("Makefile", "Dockerfile", "Procfile", "Gemfile", "Rakefile", "Jenkinsfile", "Vagrantfile", "CODEOWNERS")
)
"""File names without an extension."""

_LATIN = re.compile(rf"[\x21-\x7e{LETTERS}]+(?: [\x21-\x7e{LETTERS}]+)*")


def readings(path: str) -> tuple[str, ...]:
    """Return the readings of a path with slashes; if words of another script are attached, first the one without
    them. The last reading of a command, such as `pytest tests/a.py`, is its last argument."""
    plain = re.sub(r"^[A-Za-z]:(?=/)", "", path.replace("\\", "/")).removeprefix("./").lstrip("-")
    plain = posixpath.normpath(plain) if "/../" in plain else plain
    inner = max(_LATIN.findall(plain), key=len, default=plain)
    candidates = (plain, inner) if ending(plain) and not ending(inner) else (inner, plain)
    candidates = (*candidates, plain.rpartition(" ")[2])
    return tuple(dict.fromkeys(candidate for candidate in candidates if re.search(r"\w", candidate)))


def latin_length(path: str) -> int:
    """Return the length of a file name with attached words of another script; 0 without such words."""
    latin = _LATIN.match(path)
    is_glued = latin and latin.end() < len(path) and "." not in path[latin.end() :] and ending(latin[0])
    return latin.end() if latin and is_glued else 0


def ending(path: str) -> str:
    """Return the known extension of a file name; empty without one."""
    name = re.split(r"[\\/]", path)[-1]
    last = name.rpartition(".")[2].lower() if "." in name.strip(".") or name.startswith(".") else ""
    return extension if (extension := (_LATIN.match(last) or [""])[0]) in _ENDINGS else ""


def may_be_path(path: str) -> bool:
    """Return whether a text has letters, and is neither a version, a host, an email address nor a pattern."""
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
    """Return whether a path has a known extension, or folders."""
    return bool(ending(path)) or bool(re.search(r"[\\/]", path))


_ROOTED = re.compile(
    r"(?:~|\.\.|[A-Za-z]:)[\\/][\w.]|\w[^:]*[\\/]\.\.[\\/]"
    r"|/(?:bin|boot|dev|etc|home|lib|media|mnt|opt|private|proc|root|run|sbin|srv|sys|tmp|usr|var|Users|Volumes)/"
)
"""Start of a path on a machine; anything else with a leading slash may be a server's address."""


def is_sure(path: str, *, lines: bool) -> bool:
    """Return whether a path is certainly a file, regardless of the project; `lines` tells that line numbers are next
    to it."""
    extension, has_folder = ending(path), bool(re.search(r"\w[\\/]", path))
    rooted = path.startswith(("/", "~", "\\"))
    if lines:
        return bool(extension) or bool(_ROOTED.match(path))
    is_name = bool(re.match(r"\.?[^.]", path)) and path.lower() not in _SITES and path.strip(".").lower() != extension
    return bool(extension) and not rooted and (has_folder or (is_name and extension in _PLAIN))
