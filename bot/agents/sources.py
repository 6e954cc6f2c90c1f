"""Sources of cited lines for people: the commit with the lines as they were checked, and its web address."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from blocks.reply import LISTED
from bot.agents.evidence import cited_lines
from bot.decide.grounding import web_link
from bot.decide.grounding.citation_lines import listed_lines
from bot.errors import ToolError
from bot.models.findings import EvidenceSource
from bot.tools import files, git
from bot.tools.denied_paths import is_denied

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from bot.agents.citations import Citation
    from bot.models.findings import EvidenceRef
    from bot.models.project import Project


async def find_sources(project: Project, references: Iterable[EvidenceRef]) -> tuple[EvidenceSource, ...]:
    """Return the source of each reference that has one. Never raises: outside a repository there is none.

    Lines changed since the last commit have none either, since the web page would show others.
    """
    wanted = [each for each in references if each.kind in ("file", "git_commit")]
    if not wanted:
        return ()
    try:
        head = await git.commit_sha(project.root, "HEAD")
        prefix, _ = await git.run(project.root, "rev-parse", "--show-prefix")
    except ToolError:
        return ()
    located = [await _source(project, each, head, prefix.decode("utf-8", "replace").strip()) for each in wanted]
    return tuple({each.ref: each for each in located if each}.values())


def map_wordings(cited: Sequence[Citation]) -> dict[str, str]:
    """Return the reference for each wording in the text.

    A wording for several references has one entry per line number (`blocks/reply.LISTED`). Ambiguous wordings are left
    out, since a link must not show other lines than were checked. For a path with separate words for its lines, these
    words count.
    """
    named: dict[str, set[str]] = {}
    for citation in cited:
        if not citation.wording.startswith("http"):
            named.setdefault(citation.wording, set()).add(citation.reference.ref)
    lined: dict[str, set[str]] = {}
    for citation in cited:
        if citation.words and len(named.get(citation.wording, ())) != 1:
            lined.setdefault(citation.words, set()).add(citation.reference.ref)
    refs_by_wording = {**lined, **named}
    listed = {**_parse_ranges(lined, at_path=False), **_parse_ranges(named, at_path=True)}
    return {wording: refs.pop() for wording, refs in refs_by_wording.items() if len(refs) == 1} | listed


def _parse_ranges(wordings: Mapping[str, set[str]], *, at_path: bool) -> dict[str, str]:
    """Return the reference of each range in a list of lines."""
    refs_by_wording: dict[str, str] = {}
    for wording, refs in wordings.items():
        for first, last, words in listed_lines(wording, at_path=at_path) if len(refs) > 1 else ():
            place = f":{first}" if first == last else f":{first}-{last}"
            matches = [ref for ref in refs if ref.endswith(place)]
            if len(matches) == 1:  # the same words may name lines of two files
                refs_by_wording[f"{wording}{LISTED}{words}"] = matches[0]
    return refs_by_wording


def as_written(wordings: Mapping[str, str], places: Iterable[EvidenceSource]) -> list[EvidenceSource]:
    """Return the sources under the text's wordings (`map_wordings`), so that these become links too."""
    by_ref = {place.ref: place for place in places}
    return [by_ref[ref].evolve(ref=wording) for wording, ref in wordings.items() if ref in by_ref]


async def _source(project: Project, reference: EvidenceRef, head: str, prefix: str) -> EvidenceSource | None:
    try:
        if reference.kind == "git_commit":
            commit = await git.commit_sha(project.root, reference.ref)
            page = web_link.commit_page(project.web_url, commit) if project.web_url else None
            return EvidenceSource(ref=reference.ref, commit=commit, url=page)
        place = cited_lines(reference.ref)
        if place is None or is_denied(place[0]):
            return None
        path, first, last = place
        commit, lines = await git.lines_at(project.root, reference.commit or head, path)
        committed = lines[first - 1 : last]
        if reference.commit is None:
            on_disk = await asyncio.to_thread(files.read_lines, project.root, path)
            if committed != on_disk[first - 1 : last]:
                return None
        if len(committed) != last - first + 1:
            return None
    except ToolError:
        return None
    url = web_link.lines(project.web_url, commit, f"{prefix}{path}", first, last) if project.web_url else None
    return EvidenceSource(ref=reference.ref, commit=commit, url=url)
