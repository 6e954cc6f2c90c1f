"""Web links to cited lines on a project's page, pinned to a commit so that they show the checked version.

Pure. `bot/config/sections/projects` refuses invalid pages; `agents/sources` builds addresses.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import quote, unquote, urlsplit

LONGEST = 2_000
"""Maximum length of an address in characters."""
_HOLES = frozenset(("commit", "path", "first", "last"))
_NEEDED = frozenset(("commit", "path"))


def complaint(web_url: str) -> str | None:
    """Check a project's `web_url`; return the expected form, `None` if it is valid."""
    try:
        parts = urlsplit(web_url)
        host = parts.hostname
    except ValueError:
        return "expected an address such as https://github.com/team/project"
    if parts.scheme != "https" or not host or re.search(r"[\s<>|]", web_url) or not web_url.isprintable():
        return "expected an https address such as https://github.com/team/project"
    if "@" in parts.netloc:
        return "expected an address without a name or a password"
    holes = set(re.findall(r"\{([^{}]*)\}", web_url))
    if holes and not _NEEDED <= holes <= _HOLES:
        return "expected {commit} and {path}, and {first} and {last} if lines can be named"
    if not holes and (parts.query or parts.fragment):
        return "expected the project's own page, or an address with {commit} and {path}"
    return None


def lines(web_url: str, commit: str, path: str, first: int, last: int) -> str:
    """Build the address of lines in a file; `path` is relative to the repository's root.

    A `web_url` with `{commit}` is a template. Any other is a page of GitLab if its host says so, and otherwise one in
    GitHub's form, which Gitea and Forgejo support too.
    """
    fields = {"commit": commit, "path": quote(path, safe="/"), "first": str(first), "last": str(last)}
    if "{" in web_url:
        return re.sub(r"\{(\w+)\}", lambda hole: fields[hole[1]], web_url)
    between, end = ("-/blob", f"-{last}") if _is_gitlab(web_url) else ("blob", f"-L{last}")
    anchor = f"L{first}{end}" if last > first else f"L{first}"
    return f"{_page(web_url)}/{between}/{commit}/{fields['path']}#{anchor}"


def commit_page(web_url: str, commit: str) -> str | None:
    """Build the address of a commit; `None` if `web_url` is a template for files."""
    if "{" in web_url:
        return None
    return f"{_page(web_url)}/{'-/' if _is_gitlab(web_url) else ''}commit/{commit}"


@dataclass(frozen=True, slots=True)
class LinkedPlace:
    """Target of an address on a project's page. Without `paths` it is a commit."""

    commit: str
    """SHA, branch or tag in the address; a branch's name may continue in the path."""
    paths: tuple[str, ...] = ()
    """Paths from the repository's root, most likely first."""
    first: int | None = None
    last: int | None = None


def parse_link(web_url: str, address: str) -> LinkedPlace | None:
    """Parse an address on the page `web_url` into a file or a commit; `None` for any other address."""
    if not web_url or len(address) > LONGEST:
        return None
    if "{" in web_url:
        pattern = re.escape(web_url)
        for hole, form in (("commit", r"[^/?#&]+"), ("path", r".+?"), ("first", r"\d{1,9}"), ("last", r"\d{1,9}")):
            pattern = pattern.replace(re.escape(f"{{{hole}}}"), f"(?P<{hole}>{form})", 1)
            pattern = pattern.replace(re.escape(f"{{{hole}}}"), form)
        match = re.fullmatch(pattern, address)
        if match is None:
            return None
        named = match.groupdict()
        first = int(named["first"]) if named.get("first") else None
        last = int(named["last"]) if named.get("last") else first
        return LinkedPlace(named["commit"], (unquote(named["path"]),), first, last)
    page = _page(web_url)
    if not address.lower().startswith(f"{page.lower()}/"):
        return None
    rest = address[len(page) + 1 :]
    if commit := _COMMIT.fullmatch(rest):
        return LinkedPlace(commit["sha"])
    file = _FILE.fullmatch(rest)
    if file is None:
        return None
    parts = unquote(file["path"]).split("/")
    paths = ["/".join(parts[at:]) for at in range(min(len(parts), 1 if _SHA.fullmatch(file["commit"]) else 4))]
    first = int(file["first"]) if file["first"] else None
    return LinkedPlace(file["commit"], tuple(paths), first, int(file["last"]) if file["last"] else first)


_SHA = re.compile(r"[0-9a-fA-F]{7,40}")
_COMMIT = re.compile(r"(?:-/)?commits?/(?P<sha>[0-9a-fA-F]{7,40})/?(?:[?#].*)?")
_FILE = re.compile(
    r"(?:-/)?(?:blob|blame|raw|src/(?:commit|branch|tag))/(?P<commit>[^/?#]+)/(?P<path>[^?#]+)(?:\?[^#]*)?"
    r"(?:#L?(?P<first>\d{1,9})(?:C\d+)?(?:-L?(?P<last>\d{1,9})(?:C\d+)?)?|#.*)?"
)
"""File addresses of GitHub, GitLab, Gitea and Forgejo."""


def _page(web_url: str) -> str:
    return web_url.rstrip("/").removesuffix(".git")


def _is_gitlab(web_url: str) -> bool:
    return "gitlab" in (urlsplit(web_url).hostname or "")
