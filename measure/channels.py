"""Put the labelled messages back into their public channels, so that what stood around them is known: for `make train`.

`python -m measure.channels FOLDER` reads clones of github.com/jkkummerfeld/irc-disentanglement, LiveChat2021/LiveChat,
HIT-SCIR/Molweni and haskell-jp/slack-log, each as FOLDER/<name>, and writes a file of JSON lines for each channel to
`channels` in the data folder: `ts`, `author`, `text`, `n` (its number), `root` (that of its thread's first message
as the corpora's own annotations have it) and, of a labelled message, `id`. Nothing of it belongs to the project.
"""

from __future__ import annotations

import json
import re
import sys
from collections import defaultdict
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from measure import labelled

if TYPE_CHECKING:
    from collections.abc import Iterator

Row = dict[str, Any]
_IRC = re.compile(r"\S+ (\S+) \[(\d\d:\d\d:\d\d)\] (?:<([^>]+)>\s?|\* (\S+) )(.*)$")
_GITTER = re.compile(r"\[(\S+ \S+)\] <([^>]+)> ?(.*)$")
_TALK = re.compile(r"\d+ \[(\S+)\] <([^>]+)> ?(.*)$")
_ENTITY = re.compile(r"&(?:lt|gt|amp);")


def irc(folder: Path, name: str) -> list[Row]:
    """A sample of a channel; linked lines are a thread."""
    lines = (folder / f"{name}.ascii.txt").read_text("utf-8", "replace").split("\n")
    roots = list(range(len(lines) + 1))

    def root(line: int) -> int:
        while roots[line] != line:
            line = roots[line]
        return line

    for pair in (folder / f"{name}.annotation.txt").read_text("utf-8").splitlines():
        first, second = sorted(root(int(number)) for number in pair.split()[:2])
        roots[second] = first
    read = ((number, _IRC.match(line)) for number, line in enumerate(lines))
    return [row(f"{m[1]} {m[2]}", m[3] or m[4], m[5].strip(), n, root(n)) for n, m in read if m]


def gitter(folder: Path, name: str) -> list[Row]:
    """A whole room; its threads are the talks that the corpus tells apart."""
    talks: dict[tuple[str, str, str], int] = {}
    talk = 0
    for line in (folder / "disentangle" / f"{name}.txt").read_text("utf-8", "replace").split("\n"):
        talk += line.startswith("-----")
        if m := _TALK.match(line):
            talks.setdefault((m[1].replace("T", " ")[:16], m[2], letters(m[3])[:30]), talk)
    rows: list[Row] = []
    for line in (folder / "raw" / f"{name}_chatFormat.ascii.txt").read_text("utf-8", "replace").split("\n"):
        if m := _GITTER.match(line):
            rows.append(row(m[1], m[2], m[3].strip(), len(rows), len(rows)))
        elif rows:
            rows[-1]["text"] += f"\n{line}"
    first: dict[int, str] = {}
    for each in rows:
        known = talks.get((each["ts"][:16], each["author"], letters(each["text"])[:30]))
        each["root"] = each["n"] if known is None else first.setdefault(known, each["n"])
    return rows


def slack(folder: Path) -> list[Row]:
    """A channel as its archive keeps it."""
    said: dict[str, dict[str, Any]] = {}
    for path in sorted(folder.rglob("*.json")):
        said |= {m["ts"]: m for m in json.loads(path.read_text("utf-8")) if m.get("user") or m.get("bot_id")}
    rows = []
    for ts in sorted(said, key=float):
        made, at = said[ts], datetime.fromtimestamp(float(ts), UTC).replace(tzinfo=None)
        rows.append(row(str(at), made.get("user") or made["bot_id"], made["text"], 0, 0))
        rows[-1] |= {"n": ts, "root": made.get("thread_ts") or ts}
    return rows


def dialogues(folder: Path) -> list[Row]:
    """Single dialogues, each a thread; what stood between them is not known."""
    rows: list[Row] = []
    seen, at = set(), datetime(2010, 1, 1, tzinfo=UTC).replace(tzinfo=None)
    for part in ("dev", "test"):
        for talk in json.loads((folder / f"{part}.json").read_text("utf-8")):
            said = tuple(letters(each["text"]) for each in talk["edus"])
            if said in seen:
                continue
            seen.add(said)
            at, first = at + timedelta(seconds=400), len(rows)
            for number, each in enumerate(talk["edus"]):
                when = str(at + timedelta(seconds=40 * number))
                rows.append(row(when, each["speaker"], each["text"], len(rows), first) | {"dialogue": True})
    return rows


def row(ts: str, author: str, text: str, number: int, root: int) -> Row:
    """A message of a channel."""
    return {"ts": ts, "author": author, "text": text, "n": f"{number}.000000", "root": f"{root}.000000"}


def letters(text: str) -> str:
    """What stays of a text however it was written down."""
    return re.sub(r"\W+", "", _ENTITY.sub("", text).lower())[:80]


def channels(clones: Path) -> Iterator[tuple[str, str, list[Row]]]:
    """Each channel: its file, its source and its messages."""
    irc_files = clones / "irc-disentanglement" / "data" / "new-domains"
    for name in (f"{channel}.{part}" for channel in ("mediawiki", "stripe") for part in range(3)):
        yield name, f"irc:{name[:-2]}", irc(irc_files, name)
    yield "docker", "gitter:docker_docker", gitter(clones / "LiveChat" / "data", "docker_docker")
    yield "molweni", "molweni(ubuntu irc)", dialogues(clones / "Molweni" / "DP")
    for channel in ("C4M4TT8JJ", "C5666B6BB"):
        yield channel, f"haskell-jp slack {channel}", slack(clones / "slack-log" / "docs" / "json" / channel)


def main() -> None:
    """Write the channels, each labelled message with its id."""
    known: dict[str, list[Row]] = defaultdict(list)
    for line in (labelled.DATA / labelled.LABELLED).read_text("utf-8").splitlines():
        known[json.loads(line)["source"]].append(json.loads(line))
    labelled.CHANNELS.mkdir(parents=True, exist_ok=True)
    found: set[str] = set()
    for name, source, rows in channels(Path(sys.argv[1])):
        places: dict[str, list[Row]] = defaultdict(list)
        for each in rows:
            places[letters(each["text"])].append(each)
        for judged in known[source]:
            fits = [r for r in places[letters(judged["text"])] if r["ts"][:16] == str(judged.get("ts", r["ts"]))[:16]]
            free = [each for each in fits if "id" not in each]
            if free and judged["id"] not in found:
                found.add(judged["id"])
                free[0] |= {"id": judged["id"], "text": judged["text"]}
        lines = (json.dumps(each, ensure_ascii=False) for each in rows)
        (labelled.CHANNELS / f"{name}.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
        print(f"{name}: {len(rows)} messages")  # noqa: T201  # the output
    print(f"{len(found)} of {sum(map(len, known.values()))} labelled messages have a channel")  # noqa: T201  # the output


if __name__ == "__main__":
    main()
