"""Team knowledge for a question: knowledge folders, project notes, earlier triage files and approved replies, ranked.

Searched for each question before an engine starts, and by agents as `search_knowledge`. The ranking is that of the
keyword engine. Replies and triage files come from the question's own channel only: those of another channel may be
private to it.
"""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from bot.decide.retrieval.index import SearchIndex
from bot.decide.retrieval.passages import split_passages
from bot.decide.retrieval.query import Query, build_query
from bot.decide.retrieval.ranking import Ranking
from bot.decide.retrieval.stemmer import beginning, irregular_forms
from bot.errors import ToolError
from bot.models.knowledge import KnownPlace
from bot.tools.files import read_lines
from bot.tools.guard import get_room
from bot.tools.note_folders import NoteFile, is_inside, reference_prefix
from bot.tools.search import find_words, list_files
from bot.tools.tool import Tool

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from bot.models.project import Project
    from bot.ports.outbound import Journal
    from bot.tools.guard import Guard

PLACES = 5
"""Maximum number of places in a result."""
REPLIES_READ = 2_000
"""Number of the newest replies that are searched."""
_FILES_READ = 40
_WORTH_SHOWING = 0.4
"""Minimum score of a shown place, as a share of the best one."""
_MOST_LINES = 40
_MARKS = 500
"""Bytes of the envelope around a place."""
_LEAST_SHOWN = 200
"""Bytes of a place that are shown, however small the room for all."""
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class _Text:
    """Text that may contain an earlier answer, perhaps not read yet."""

    place: KnownPlace
    lines: tuple[str, ...] | None = None
    """Lines; `None` before they are read from `path` in `folder`."""
    folder: Path = Path()
    path: str = ""

    def read(self) -> tuple[str, ...]:
        if self.lines is not None:
            return self.lines
        return NoteFile(self.folder, self.path).lines()


@dataclass(frozen=True, kw_only=True)
class Knowledge:
    """Searcher of team knowledge. `replies` is the journal of posted replies, `home` the folder of triage files and
    notes."""

    replies: Journal
    home: Path

    async def search(
        self,
        question: str,
        project: Project,
        *,
        team_id: str,
        chat_id: str,
        guard: Guard | None = None,
        only: Collection[str] | None = None,
    ) -> tuple[KnownPlace, ...]:
        """Find the best places for a question from this channel, best first.

        `only` limits earlier replies to these projects. With `guard` lines match by their visible words only, so that
        no guess at a secret finds anything.
        """
        wanted = await asyncio.to_thread(build_query, question, "", [project.name])
        texts: dict[str, _Text] = {}
        hits: dict[str, list[tuple[Sequence[int], Sequence[str]]]] = {}
        for folder in project.knowledge:
            await _look_into(folder, reference_prefix(folder, project), project, wanted, texts, hits)
        notes = self.home / "notes" / project.belongs_to
        if await asyncio.to_thread(notes.is_dir):
            await _look_into(notes, f"notes/{project.belongs_to}", project, wanted, texts, hits)
        for text in await self._said_before(team_id, chat_id, only):
            texts[text.place.ref] = text
        return await asyncio.to_thread(_rank_texts, wanted, texts, hits, guard)

    async def _said_before(self, team_id: str, chat_id: str, only: Collection[str] | None) -> list[_Text]:
        """Return the replies of this channel that a person approved, and the triage files that they name."""
        texts = []
        for record in await self.replies.tail(REPLIES_READ):
            if record.get("chat_id") != chat_id or not str(record.get("thread_id", "")).startswith(f"{team_id}-"):
                continue
            if (only is not None and record.get("project") not in only) or record.get("is_automatic"):
                continue
            texts.append(_reply(record))
            if path := record.get("triage_file"):
                texts += await asyncio.to_thread(_triage_file, self.home, str(path))
        return texts


async def _look_into(
    folder: Path,
    start: str,
    project: Project,
    wanted: Query,
    texts: dict[str, _Text],
    hits: dict[str, list[tuple[Sequence[int], Sequence[str]]]],
) -> None:
    """Add the files of one folder, and the matches in them. A folder that cannot be searched adds nothing."""
    starts = [start for stem in wanted.stems for start in (beginning(stem), *irregular_forms(stem))]
    try:
        paths, matches = await asyncio.gather(list_files(folder), find_words(folder, starts))
    except ToolError:
        return
    within = is_inside(folder, project)
    names = {path: f"{start}/{path}".removeprefix("./") for path in paths}
    for path, ref in names.items():
        place = KnownPlace(source="knowledge", ref=ref, in_project=within, said="")
        texts[ref] = _Text(place, folder=folder, path=path)
    for match in matches.files:
        if match.path in names:
            hits[names[match.path]] = [(match.lines, match.words)]


def _reply(record: dict[str, Any]) -> _Text:
    ref = str(record.get("posted_message_id", ""))
    lines = tuple(str(record.get("reply_text", "")).split("\n"))
    return _Text(KnownPlace(source="reply", ref=ref, said=""), lines)


def _triage_file(home: Path, path: str) -> list[_Text]:
    place = KnownPlace(source="triage_file", ref=path, said="")
    try:
        return [_Text(place, read_lines(home, path), home, path)]
    except ToolError:
        return []  # purged meanwhile, or not under the home


def _rank_texts(
    wanted: Query,
    texts: dict[str, _Text],
    hits: dict[str, list[tuple[Sequence[int], Sequence[str]]]],
    guard: Guard | None,
) -> tuple[KnownPlace, ...]:
    """Rank the texts by their best passage; runs in a thread, since it reads files."""
    for ref, text in texts.items():
        if text.lines is not None:
            hits[ref] = [_split_hits(text.lines)]
    ground = SearchIndex(wanted, hits, tuple(texts))
    if guard is not None:
        for ref in ground.best_files(_FILES_READ):
            hits[ref] = _open(hits.get(ref, []), texts[ref], guard)
        ground = SearchIndex(wanted, hits, tuple(texts))
    ranking = Ranking(ground)
    best: list[tuple[float, KnownPlace]] = []
    for ref in ground.best_files(_FILES_READ):
        try:
            lines = texts[ref].read()
        except ToolError:
            continue
        rated = ranking.rate(ref, lines, split_passages("known.md", lines))
        if rated:
            best_rating = max(rated, key=lambda rating: rating.score)
            first, last = (
                best_rating.passage.start,
                min(best_rating.passage.end, best_rating.passage.start + _MOST_LINES - 1),
            )
            excerpt = "\n".join(lines[first - 1 : last])
            place = texts[ref].place
            where = ref if place.source == "reply" else f"{ref}:{first}-{last}"
            best.append((best_rating.score, place.evolve(ref=where, said=excerpt)))
    best.sort(key=lambda rating: (-rating[0], rating[1].ref))
    return tuple(place for score, place in best[:PLACES] if score > 0 and score >= _WORTH_SHOWING * best[0][0])


def _open(
    hits: Sequence[tuple[Sequence[int], Sequence[str]]], text: _Text, guard: Guard
) -> list[tuple[Sequence[int], Sequence[str]]]:
    """Return the matches whose words remain after redaction."""
    try:
        lines = text.read()
    except ToolError:
        return []
    pairs = zip(lines, guard.lines(lines), strict=True)
    changed = {at: visible.lower() for at, (line, visible) in enumerate(pairs, start=1) if line != visible}
    filtered = [
        [hit for hit in zip(*group, strict=True) if hit[0] not in changed or hit[1] in changed[hit[0]]]
        for group in hits
    ]
    return [([at for at, _ in group], [word for _, word in group]) for group in filtered]


def _split_hits(lines: Sequence[str]) -> tuple[list[int], list[str]]:
    hits = [(at, word) for at, line in enumerate(lines, start=1) for word in _WORD.findall(line.lower())]
    return [at for at, _ in hits], [word for _, word in hits]


class SearchKnowledge(BaseModel):
    """Input of `search_knowledge`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    question: Annotated[str, Field(min_length=1, max_length=1_000, description="In plain words.")]


def knowledge_tool(
    knowledge: Knowledge,
    guard: Guard,
    project: Project,
    *,
    team_id: str,
    chat_id: str,
    only: Collection[str] | None = None,
) -> Tool:
    """Build `search_knowledge` for one run, about one project and for one channel; `only` is as in
    `Knowledge.search`."""

    async def run(request: SearchKnowledge) -> str:
        where: dict[str, Any] = {"team_id": team_id, "chat_id": chat_id, "only": only}
        places = await knowledge.search(request.question, project, guard=guard, **where)
        room = max(_LEAST_SHOWN, get_room() // PLACES - _MARKS)
        answers = await asyncio.to_thread(lambda: [_answer(guard, place, room) for place in places])
        return "\n\n".join(answers) or "Nothing that is known answers this."

    return Tool(
        name="search_knowledge",
        description="Search the team's own notes, earlier triage files and approved replies of this channel. "
        "What they say may be out of date: check it against the code before you rest on it.",
        input=SearchKnowledge,
        run=run,
    )


def format_place(guard: Guard, place: KnownPlace) -> str:
    """Format one place for an agent's prompt."""
    return guard.wrap(place.said, source=place.source, ref=place.ref, note=_cite(place))


def _answer(guard: Guard, place: KnownPlace, room: int) -> str:
    return guard.answer(place.said, source=place.source, room=room, ref=place.ref, note=_cite(place))


def _cite(place: KnownPlace) -> str:
    return "read_file opens it" if place.in_project else "cite it as memory"
