"""The address of cited lines on a project's own web page: pinned to a commit, so that it shows what was checked.

Pure. `bot/sections/projects` refuses what is no such page; `agents/sources` asks for addresses.
"""

from __future__ import annotations

import re
from urllib.parse import quote, urlsplit

_HOLES = frozenset(("commit", "path", "first", "last"))
_NEEDED = frozenset(("commit", "path"))


def complaint(web_url: str) -> str | None:
    """What is wrong with a project's `web_url`, as what is expected; `None` when nothing is."""
    try:
        parts = urlsplit(web_url)
        host = parts.hostname
    except ValueError:
        return "expected an address such as https://github.com/team/project"
    if parts.scheme != "https" or not host or re.search(r"[\s<>|\x00-\x1f]", web_url):
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
    """Lines of a file; `path` starts at the repository's top.

    A `web_url` with `{commit}` is filled in. Otherwise it is a page of GitLab where its host is called so, and else one
    of GitHub's form, which Gitea and Forgejo understand too.
    """
    known = {"commit": commit, "path": quote(path, safe="/"), "first": str(first), "last": str(last)}
    if "{" in web_url:
        return re.sub(r"\{(\w+)\}", lambda hole: known[hole[1]], web_url)
    between, end = ("-/blob", f"-{last}") if _is_gitlab(web_url) else ("blob", f"-L{last}")
    marked = f"L{first}{end}" if last > first else f"L{first}"
    return f"{_page(web_url)}/{between}/{commit}/{known['path']}#{marked}"


def commit_page(web_url: str, commit: str) -> str | None:
    """The page of a commit; `None` where `web_url` says only how files are named."""
    if "{" in web_url:
        return None
    return f"{_page(web_url)}/{'-/' if _is_gitlab(web_url) else ''}commit/{commit}"


def _page(web_url: str) -> str:
    return web_url.rstrip("/").removesuffix(".git")


def _is_gitlab(web_url: str) -> bool:
    return "gitlab" in (urlsplit(web_url).hostname or "")
