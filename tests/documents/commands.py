"""Finding command lines in the documents: in fenced blocks, and code spans that are whole commands."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tests.documents.pages import PAGES, Block, Page

if TYPE_CHECKING:
    from collections.abc import Iterator

_PROGRAM = re.compile(
    r"(?P<name>/triage|!triage|@Triage|triage|make|curl|python3?|pip|pipx|uvx?|npx?|docker|systemctl|journalctl|sudo|git"
    r"|tmux|tail|apt(?:-get)?|kill|chmod|kubectl|pytest|export|echo|rm|jq|sh|bash)(?= )"
)
"""How a command line begins; a code span of one word names a program or a file."""
_ALONE = ("make", ".ci/run")
"""Command lines of one word."""
_ASSIGNED = re.compile(r"[A-Z][A-Z0-9_]*=\S+(?: |$)")
_ENVIRONMENT = re.compile(r"^(?:\$[A-Z]+|~/[\w-]+)/bin/")
_PROMPT = re.compile(r"^\$ ")
_COMMENT = re.compile(r"(?:^|\s+)# .*$")
_SHELL = ("sh", "bash", "console")


@dataclass(frozen=True)
class Command:
    """A command line, without its comment, and where it stands."""

    where: str
    text: str
    is_in_block: bool

    @property
    def program(self) -> str:
        """The program that it calls; of a line with variables before it, the one behind them."""
        return strip_environment(_ASSIGNED.sub("", self.text)).split(maxsplit=1)[0]


def strip_environment(text: str) -> str:
    """Return a line without the folder of an environment before its program."""
    return _ENVIRONMENT.sub("", text)


def is_command(text: str) -> bool:
    """Return whether a code span or a line is a command."""
    rest = strip_environment(_ASSIGNED.sub("", text))
    return rest in _ALONE or bool(_PROGRAM.match(rest))


def is_shell(block: Block) -> bool:
    """Return whether a block is made of command lines: by its language, or without one by its first line."""
    lines = [line for line in block.text.splitlines() if line.strip() and not line.startswith("#")]
    first = _COMMENT.sub("", _PROMPT.sub("", lines[0])) if lines else ""
    return block.language in _SHELL or (not block.language and (is_command(first) or bool(_ASSIGNED.fullmatch(first))))


def find_commands(page: Page) -> Iterator[Command]:
    """Yield the command lines of a page; a block with functions or lines that go on is one of them as a whole."""
    for block in page.blocks:
        if is_shell(block):
            yield from _split_block(page, block)
    for span in page.spans:
        if is_command(span.text):
            yield Command(page.at(span), span.text, is_in_block=False)


def is_script(block: Block) -> bool:
    """Return whether the lines of a block belong together: it defines a function, or a line goes on."""
    return bool(re.search(r"^\w+\(\) \{|\\$|^export |^[A-Z]+=\S+(?: *#.*)?$", block.text, re.MULTILINE))


def _split_block(page: Page, block: Block) -> Iterator[Command]:
    if is_script(block):
        yield Command(page.at(block), block.text, is_in_block=True)
        return
    lines = block.text.splitlines()
    has_prompts = any(map(_PROMPT.match, lines))
    for number, line in enumerate(lines, block.line):
        text = _COMMENT.sub("", line).strip()
        if text and (not has_prompts or _PROMPT.match(line)):
            yield Command(f"{page.name}:{number}", _PROMPT.sub("", text), is_in_block=True)


COMMANDS = tuple(command for page in PAGES for command in find_commands(page))
"""All command lines of the documents."""
