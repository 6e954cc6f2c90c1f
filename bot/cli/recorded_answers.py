"""Recorded answers of the demo: what stands in for a model where there is none.

Each file in `demo_recordings` has one or several conversations: the question that begins it, and by agent the turns
that answer it. A turn has `text`, `calls` of tools, or an `answer` in the form that its agent must give, in which
`{ref}` and `{quote}` are the cited place as the agent has read it in this run, since the code may have moved, and
`{defect}` the defect that it names. The text
`if_done` is said where all commands of the last turn were carried out, else what they answered, which is `{results}`
in it. Nothing else is made up: a request without a recorded turn has no answer.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bot.errors import TriageError

MODEL = "claude-opus-4-5-recorded"
"""Name of the model wherever one is shown. The price table takes it for the model of which it begins with the name."""

FOLDER = Path(__file__).parent / "demo_recordings"

_AGENTS = {
    "You investigate one question": "investigator",
    "Break this draft": "validator",
    "You are Triage, a bot": "chat",
    "You mend one defect": "fixer",
    "Break this change": "diff_validator",
}
"""First words of the prompts."""
_ROUND = "Nothing: this is the first run."
"""Text of an investigator's task before any draft was sent back."""
_MENTION = re.compile(r"^@\w+[,:]?\s+")
_HEADINGS = {
    "investigator": "# The question, word for word",
    "validator": "# The question",
    "fixer": "# The defect",
    "diff_validator": "# The defect",
}
"""Heading in the task of each agent above the text by which a recording is found."""
_TRACE = re.compile(r"[\W_]+")

Body = dict[str, Any]


class NotRecorded(TriageError):
    """No recorded turn answers this request."""


@dataclass(frozen=True, kw_only=True)
class Recording:
    """One conversation: its question, the place that it cites, and the turns of each agent."""

    question: str
    defect: str = ""
    """Summary of the defect that its findings name; the agents of a fix are given it in place of the question."""
    cites: Body = field(default_factory=dict)
    turns: Body = field(default_factory=dict)


def read_recordings(folder: Path = FOLDER) -> tuple[Recording, ...]:
    """Read all recordings."""
    found = []
    for path in sorted(folder.glob("*.json")):
        content = json.loads(path.read_text())
        for each in content if isinstance(content, list) else [content]:
            turns = {name: each[name] for name in _AGENTS.values() if name in each}
            texts = {name: each[name] for name in ("question", "defect", "cites") if name in each}
            found.append(Recording(**texts, turns=turns))
    return tuple(found)


def list_orders() -> tuple[str, ...]:
    """Return the recorded messages to the chat agent."""
    return tuple(each.question for each in read_recordings() if "chat" in each.turns)


def find_turn(body: Body, recordings: tuple[Recording, ...]) -> list[Body]:
    """Return the content blocks that answer a request of the Messages API. Raises `NotRecorded`."""
    system = _text(body.get("system", ""))
    agent = next((name for words, name in _AGENTS.items() if system.startswith(words)), "")
    messages = body["messages"]
    begin = _find_begin(messages) if agent == "chat" else 0
    task = _text(messages[begin]["content"])
    text = _fold(_find_order(task) if agent == "chat" else _find_text(task, _HEADINGS.get(agent, "")))
    own = [each for each in recordings if agent in each.turns]
    recording = next((each for each in own if text and text in (_fold(each.question), _fold(each.defect))), None)
    turns = recording.turns[agent] if recording else ()
    number = sum(message["role"] == "assistant" for message in messages[begin:])
    if recording is None or number >= len(turns) or (agent == "investigator" and _ROUND not in task):
        raise NotRecorded("the demo has no recorded answer to this, and no model")
    return _fill_in(turns[number], recording, messages)


def _fill_in(turn: Body, recording: Recording, messages: list[Body]) -> list[Body]:
    """Return the blocks of a turn, with the place that it cites and the results that it repeats."""
    blocks: list[Body] = []
    text = json.dumps(turn["answer"]) if "answer" in turn else turn.get("text", "")
    if "{ref}" in text:
        text = text.replace("{ref}", _find_place(recording.cites, messages))
        for name, value in (("quote", recording.cites["quote"]), ("defect", recording.defect)):
            text = text.replace(f'"{{{name}}}"', json.dumps(value))
    if "if_done" in turn:
        results = [_read_result(result) for result in _list_results(messages[-1])]
        is_done = all(result["outcome"] == "done" for result in results)
        lines = "\n".join(result["line"] for result in results)
        text = turn["if_done"].replace("{results}", lines) if is_done else lines
    if text:
        blocks.append({"type": "text", "text": text})
    for number, call in enumerate(turn.get("calls", ())):
        blocks.append({"type": "tool_use", "id": f"toolu_{len(messages)}_{number}", **call})
    return blocks


def _find_place(cites: Body, messages: list[Body]) -> str:
    """Return the place of the quote in the newest result that has it, as `path:first-last`."""
    lines = cites["quote"].split("\n")
    pattern = re.compile(r"^(\d+)\t" + r"\n\d+\t".join(map(re.escape, lines)) + "$", re.MULTILINE)
    for message in reversed(messages):
        for result in _list_results(message):
            if match := pattern.search(result):
                return f"{cites['path']}:{match[1]}-{int(match[1]) + len(lines) - 1}"
    raise NotRecorded(f"{cites['path']} has changed since the demo's answer was recorded")


def _list_results(message: Body) -> list[str]:
    content = message["content"] if isinstance(message["content"], list) else []
    return [_text(block["content"]) for block in content if block.get("type") == "tool_result"]


def _read_result(text: str) -> Body:
    """Return what a command answered, as JSON in its envelope."""
    try:
        result: Body = json.loads(_strip_envelope(text))
    except ValueError:
        raise NotRecorded("the demo's recorded answer does not fit what the command said") from None
    return result


def _strip_envelope(text: str) -> str:
    return "\n".join(line for line in text.split("\n") if not line.startswith("⟦"))


def _find_begin(messages: list[Body]) -> int:
    """Return the index of the newest message that a person wrote."""
    return max(n for n, each in enumerate(messages) if each["role"] == "user" and not _list_results(each))


def _find_text(task: str, heading: str) -> str:
    """Return the text below a heading of a task, without its envelope."""
    return _strip_envelope(task.partition(f"{heading}\n\n")[2].partition("⟦end ")[0])


def _find_order(text: str) -> str:
    """Return what a person wrote to the chat agent: the line after its last mark `[from name]:`."""
    return text.rpartition("]: ")[2]


def _fold(text: str) -> str:
    """Return a text as it is compared: without a mention of the bot before it."""
    return _TRACE.sub(" ", _MENTION.sub("", text.strip())).strip().casefold()


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(str(block.get("text", "")) for block in content if block.get("type") == "text")
