"""References of a text, opened by code: for an edited draft, or for a reused answer.

References from the findings that the text still cites keep their quotes while these match. Newly cited lines are opened
and quoted. A missing place is a failed reference, with the reason; text that may be plain language, and names no file
of the project, is not a reference.
"""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bot.agents.citation_paths import CitedPaths, as_ref
from bot.agents.evidence import MOST_CITED, EvidenceChecker, cited_lines
from bot.decide.grounding.references import find_references
from bot.decide.redaction.redactor import Redactor
from bot.errors import ToolError
from bot.models.findings import EvidenceCheck, EvidenceRef
from bot.tools.files import plain_path

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.decide.grounding.mention import Mention
    from bot.models.project import Project

from bot.agents.citation_checks import CitationChecks, is_missing

CLAIM = "Cited in the text."
"""Claim of a reference that no engine has made."""
_NAMED = 3


@dataclass(frozen=True, slots=True)
class Citation:
    """Reference in a text, with the result of its check. `wording` is its wording in the text."""

    reference: EvidenceRef
    check: EvidenceCheck
    wording: str
    words: str = ""
    """Words that name the lines, where they are separate from the path."""


@dataclass
class CitationOpener:
    """Opener of the references in a text about one project. Files are read once: create one instance per text.

    `folder` is the part of the project that answers its questions.
    """

    project: Project
    redactor: Redactor = field(default_factory=Redactor)
    folder: str = "."
    _checker: EvidenceChecker = field(init=False)
    checks: CitationChecks = field(init=False)
    _paths: CitedPaths = field(init=False)

    def __post_init__(self) -> None:
        self._checker = EvidenceChecker(self.project.root, self.redactor, self.project)
        self.checks = CitationChecks(self.project, self.redactor, self._checker)
        self._paths = CitedPaths(self.project, self.folder)

    async def open(
        self, text: str, before: Sequence[EvidenceRef] = (), drafted: str | None = None
    ) -> tuple[Citation, ...]:
        """Return every reference of `text`, in order.

        `before` are the references of the findings that `drafted` was written with; all of them stay where `text`
        equals `drafted`.
        """
        citations: dict[tuple[str, str], Citation] = {}
        mentions = await asyncio.to_thread(
            find_references, text, web_url=self.project.web_url, projects=self._paths.names
        )
        prose = [mention for mention in mentions if mention.quoted is None]
        for mention in prose:
            await self._add(citations, mention, before, drafted)
        for reference in before:
            if _is_kept(reference, text, drafted) and (reference.kind, reference.ref) not in citations:
                check = await self.checks.recheck(reference)
                citations[reference.kind, reference.ref] = Citation(reference, check, reference.ref)
        shown_lines = {
            line.strip() for citation in citations.values() for line in (citation.reference.quote or "").split("\n")
        }
        for mention in mentions:
            if mention.quoted is not None and mention.quoted.strip() not in shown_lines:
                await self._add(citations, mention, before, drafted)
        lined = {place[0] for _, ref in citations if (place := cited_lines(ref))}
        return tuple(citation for (_, ref), citation in citations.items() if ref not in lined)

    async def cited(self, citations: Sequence[Citation]) -> list[str]:
        """Return the texts that support claims: the lines of valid references, and the wording of every place."""
        standing = [citation for citation in citations if citation.check.result == "ok"]
        lines = [await self._checker.cited(citation.reference) for citation in standing]
        quotes = [
            citation.reference.quote
            for citation in standing
            if citation.reference.kind == "log_query" and citation.reference.quote
        ]
        names = [
            f"{citation.wording} {citation.reference.ref}"
            for citation in citations
            if citation.check.result != "failed"
        ]
        return [*lines, *quotes, *names, self.project.name, self.project.description]

    async def _add(
        self,
        citations: dict[tuple[str, str], Citation],
        mention: Mention,
        before: Sequence[EvidenceRef],
        drafted: str | None,
    ) -> None:
        for citation in await self._open_mention(mention, before, drafted):
            key = (citation.reference.kind, citation.reference.ref)
            if key not in citations or citation.check.result == "failed":
                citations[key] = citation

    async def _open_mention(
        self, mention: Mention, before: Sequence[EvidenceRef], drafted: str | None
    ) -> list[Citation]:
        match mention.kind:
            case "url":
                outside = EvidenceRef(kind="external_doc", ref=mention.text, supports_claim=CLAIM)
                reference = next((candidate for candidate in before if candidate.ref == mention.text), outside)
                why = f"an address outside {self.project.name}; code does not open it"
                check = EvidenceCheck(ref=reference.ref, result="not_checkable", reason=why)
                return [Citation(reference, check, mention.text)]
            case "commit":
                return await self._commit(mention, before)
            case _:
                return await self._file(mention, before, drafted)

    async def _commit(self, mention: Mention, before: Sequence[EvidenceRef]) -> list[Citation]:
        sha = mention.commit or mention.text
        matches = [
            candidate
            for candidate in before
            if candidate.kind == "git_commit" and (candidate.ref.startswith(sha) or sha.startswith(candidate.ref))
        ]
        reference = matches[0] if matches else EvidenceRef(kind="git_commit", ref=sha, supports_claim=CLAIM)
        check = await self._checker.check(reference)
        if check.result == "failed":
            if not (mention.is_sure or matches):
                return []
            check = check.evolve(reason=f"it is not a commit of {self.project.name}")
        return [Citation(reference, check, mention.text)]

    async def _file(self, mention: Mention, before: Sequence[EvidenceRef], drafted: str | None) -> list[Citation]:
        if mention.paths[0].endswith("/"):
            return await self._folder(mention)
        commit = mention.commit if mention.commit and _is_sha(mention.commit) else None
        paths = [path async for path in self._paths.readings(mention)]
        problem: ToolError | None = None
        for path in paths:
            try:
                lines = await self._checker.lines(path, commit)
            except ToolError as error:
                problem = problem or (None if is_missing(error) else error)
                continue
            plain = await asyncio.to_thread(plain_path, self.project.root, path)
            return await self._cite(mention, plain, lines, commit, before, drafted)
        likely = [] if problem or commit else await self._paths.find_similar(paths, before)
        if len(likely) == 1:
            lines = await self._checker.lines(likely[0], None)
            return await self._cite(mention, likely[0], lines, None, before, drafted)
        if mention.first is None and (len(likely) > 1 or await self._paths.is_suffix(paths[0])) and "/" not in paths[0]:
            return []  # ambiguous: several files have this bare name
        begins = mention.first is not None and (likely or problem or self._paths.has_folder(paths))
        is_outside = await self._paths.leads_outside(mention.paths[0])
        if not (mention.is_sure or begins or (is_outside and mention.paths[0].startswith("../"))):
            return []
        ref = self._paths.reference_to_missing(mention, is_outside=is_outside)
        if not likely and (note := await self._note(mention, before)):
            return [note]
        if likely:
            some = ", ".join(likely[:_NAMED]) + (" and others" if len(likely) > _NAMED else "")
            problem = ToolError(f"it names {len(likely)} files of {self.project.name}: {some}")
        elif is_outside:
            problem = ToolError(self.checks.outside)
        at = f" at {commit[:12]}" if commit else ""
        problem = problem or ToolError(f"{self.checks.missing}{at}")
        reference = EvidenceRef(kind="file", ref=ref, supports_claim=CLAIM, commit=commit)
        return [Citation(reference, self.checks.fail(ref, problem), mention.text, mention.words)]

    async def _folder(self, mention: Mention) -> list[Citation]:
        """Return a failed reference for a missing folder; an existing folder proves nothing."""
        path = mention.paths[0]
        if await self._paths.may_be_folder(path):
            return []
        is_outside = await self._paths.leads_outside(path)
        reference = EvidenceRef(kind="file", ref=path, supports_claim=CLAIM)
        problem = ToolError(self.checks.outside if is_outside else self.checks.missing)
        return [Citation(reference, self.checks.fail(path, problem), mention.text)]

    async def _note(self, mention: Mention, before: Sequence[EvidenceRef]) -> Citation | None:
        """Return the note outside the project's root that a path with lines names; `None` where it names none."""
        ref = as_ref(mention.paths[0], mention.first, mention.last)
        earlier = next((candidate for candidate in before if candidate.kind == "memory" and candidate.ref == ref), None)
        try:
            lines = await self._checker.note(ref)
        except ToolError as problem:
            lost = earlier or EvidenceRef(kind="memory", ref=ref, supports_claim=CLAIM)
            return Citation(lost, self.checks.fail(ref, problem), mention.text)
        if lines is None or mention.first is None:
            return None
        quoted = "\n".join((await self.checks.redact_lines(lines))[mention.first - 1 : mention.last or mention.first])
        reference = earlier or EvidenceRef(kind="memory", ref=ref, supports_claim=CLAIM, quote=quoted)
        return Citation(reference, await self._checker.check(reference), mention.text)

    async def _cite(
        self,
        mention: Mention,
        path: str,
        lines: tuple[str, ...],
        commit: str | None,
        before: Sequence[EvidenceRef],
        drafted: str | None,
    ) -> list[Citation]:
        """Return the references to lines of a file, as the findings have them where these are still valid."""
        same = [
            reference
            for reference in before
            if reference.kind == "file" and (place := cited_lines(reference.ref)) and place[0] == path
        ]
        if mention.first is None:
            matches = [reference for reference in same if drafted is not None and reference.ref not in drafted]
        else:
            wanted = (path, mention.first, mention.last or mention.first)
            matches = [
                reference
                for reference in same
                if cited_lines(reference.ref) == wanted and (commit is None or reference.commit == commit)
            ]
        standing = [
            (reference, check)
            for reference in matches
            if (check := await self._checker.check(reference)).result == "ok"
        ]
        if standing:
            return [Citation(reference, check, mention.text, mention.words) for reference, check in standing]
        return [await self._quote_lines(mention, path, lines, commit)]

    async def _quote_lines(self, mention: Mention, path: str, lines: tuple[str, ...], commit: str | None) -> Citation:
        """Return a new reference that quotes its lines."""
        first, last = mention.first, mention.last or mention.first
        ref = as_ref(path, first, last)
        reference = EvidenceRef(kind="file", ref=ref, supports_claim=CLAIM, commit=commit)
        if first is not None and last is not None and 0 < first <= last <= min(len(lines), first - 1 + MOST_CITED):
            reference = reference.evolve(quote="\n".join((await self.checks.redact_lines(lines))[first - 1 : last]))
        return Citation(reference, await self.checks.recheck(reference), mention.text, mention.words)


def _is_sha(name: str) -> bool:
    """Return whether a name is the SHA of a commit, and not a branch."""
    return len(name) >= 7 and all(char in "0123456789abcdefABCDEF" for char in name)


def _is_kept(reference: EvidenceRef, text: str, drafted: str | None) -> bool:
    """Return whether a reference of the findings still belongs to the text.

    References without a path, such as logs, stay where the drafted text never named them.
    """
    if text == drafted:
        return True
    if reference.kind in ("file", "git_commit"):
        return bool(re.search(rf"(?<![\w./-]){re.escape(reference.ref)}(?![\w/]|[.:-]\w)", text))
    return reference.ref in text or (drafted is not None and reference.ref not in drafted)
