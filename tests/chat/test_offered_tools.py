"""Tools in groups: the core always, others when the conversation needs them."""

from __future__ import annotations

import json

import pytest

from bot.chat.offered_tools import CORE, FEW, MORE_TOOLS, OfferedTools, choose_subjects
from bot.commands.catalogue import CATALOGUE
from bot.commands.command import CommandSpec
from bot.commands.subjects import SUBJECTS
from prompts.render import render
from tests.chat.crew import MEMBER
from tests.chat.talk import TRUSTED, Door
from tests.chat.test_agent import results, talking
from tests.model_server import calls, says

ALL = tuple(CATALOGUE.values())
MAX_PREFIX_TOKENS = 6_000
CHARS_PER_TOKEN = 4.1
"""Characters of English and JSON in a token: the published tokenizer of earlier Claude models counts 4.12 for this very
prefix."""


def offered(*subjects: str, allowed: tuple[CommandSpec, ...] = ALL) -> OfferedTools:
    """The tools of a conversation about these subjects."""
    return OfferedTools(allowed=allowed, subjects=frozenset(subjects))


def names(specs: tuple[CommandSpec, ...]) -> set[str]:
    """Their names as tools."""
    return {spec.tool_name for spec in specs}


@pytest.mark.parametrize(
    ("text", "subjects"),
    [
        ("hello", set()),
        ("what waits?", set()),
        ("write a note: the key rotates monthly", {"notes"}),
        ("Liste die Notizen von shop auf", {"notes"}),
        ("erstelle ein Projekt shop", {"projects"}),
        ("quel est le coût ?", {"system"}),
        ("which channel belongs to shop?", {"channels"}),
        ("who works on what?", {"agents", "tasks"}),
        ("今、何が待っていますか", set()),
        ("get_token_usage", {"system"}),
    ],
)
def test_words_choose_subjects(text: str, subjects: set[str]) -> None:
    """In the languages of the synonyms; where there is no such word, the model loads what it needs."""
    assert choose_subjects((text,), ALL) == subjects


def test_a_conversation_keeps_its_subjects() -> None:
    """Each of its messages counts, so that the tools do not change with every answer."""
    assert choose_subjects(("write a note", "thanks", "and pause it"), ALL) >= {"notes"}


def test_every_command_is_in_the_core_or_in_a_subject_that_can_be_loaded() -> None:
    """None is out of reach, and none is declared twice."""
    assert names(ALL) >= CORE
    tools = offered()
    for subject in SUBJECTS:
        tools.loaded.append(subject.name)
    declared = [spec.tool_name for spec in (*tools.core, *tools.declared)]
    assert sorted(declared) == sorted(spec.tool_name for spec in ALL)
    assert (tools.undeclared, tools.waiting) == ((), ())


def test_a_person_with_few_commands_has_all_of_them_at_once() -> None:
    """A member needs no groups."""
    tools = offered(allowed=ALL[:FEW])
    assert (tools.core, tools.declared, tools.undeclared, tools.is_grouped) == (ALL[:FEW], (), (), False)


async def test_a_subject_is_loaded_in_the_middle_of_a_run() -> None:
    """The next request declares its tools after all that were there, and the model calls one."""
    script = [calls((MORE_TOOLS, {"subject": "Notes"})), calls(("list_notes", {})), says("There is one note.")]
    async with talking(script) as (talk, server):
        await talk.agent().chat("Is there something on deploys?", "Ana", ())
    first, second, third = ([tool["name"] for tool in body["tools"]] for body in server.requests)
    assert "list_notes" not in first
    assert second[: len(first)] == first
    assert {"list_notes", "read_note", "write_note"} <= {*second[len(first) :]}
    assert third == second
    assert [name for name, _, _ in talk.door.executed] == ["list_notes"]
    assert "notes: " in server.requests[0]["system"][1]["text"]


async def test_a_second_run_of_the_turn_continues_with_the_loaded_tools() -> None:
    """Its requests begin as those before."""
    script = [calls((MORE_TOOLS, {"subject": "files"})), says(""), says("Done.")]
    async with talking(script) as (talk, server):
        agent = talk.agent()
        await agent.chat("hm", "Ana", ())
        await agent.chat("Answer with `respond`.", "Ana", ())
    _, second, third = server.requests
    assert [tool["name"] for tool in third["tools"]] == [tool["name"] for tool in second["tools"]]


async def test_a_subject_that_is_none_is_refused_with_those_that_wait() -> None:
    """The model can mend its call."""
    script = [calls((MORE_TOOLS, {"subject": "weapons"})), says("No.")]
    async with talking(script) as (talk, server):
        await talk.agent().chat("pause the project", "Ana", ())
    ((said, failed),) = results(server.requests[-1])
    assert failed
    assert "the subjects are: questions, tasks" in said
    assert "projects" not in said


async def test_a_command_that_was_not_loaded_runs_all_the_same() -> None:
    """A model that knows its name is not sent around; the handler decides, as for every call."""
    script = [calls(("read_note", {"title": "Deploy"})), says("Read.")]
    async with talking(script, door=Door()) as (talk, _):
        await talk.agent().chat("hm", "Ana", ())
    assert [name for name, _, _ in talk.door.executed] == ["read_note"]


async def test_a_member_is_told_of_no_subject() -> None:
    """There is nothing to load."""
    async with talking([says("Hello.")], catalogue=TRUSTED) as (talk, server):
        await talk.agent(MEMBER).chat("hello", "Ana", ())
    (body,) = server.requests
    assert MORE_TOOLS not in {tool["name"] for tool in body["tools"]}
    assert "further tools" not in body["system"][1]["text"]


async def test_prompt_and_all_tools_fit_six_thousand_tokens() -> None:
    """With every subject loaded; the core and the prompt take less than half."""
    sizes = {}
    async with talking([]) as (talk, _):
        agent = talk.agent()
    for part, tools in (("core", offered()), ("all", offered(*(subject.name for subject in SUBJECTS)))):
        forms = [(tool.name, tool.description, tool.schema) for tool in agent._declare_tools(tools)]
        sizes[part] = len(render("chat")) + len(json.dumps(forms, ensure_ascii=False, separators=(",", ":")))
    assert sizes["all"] <= MAX_PREFIX_TOKENS * CHARS_PER_TOKEN
    assert sizes["core"] <= MAX_PREFIX_TOKENS * CHARS_PER_TOKEN / 2
