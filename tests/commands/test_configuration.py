"""Settings as YAML: whole in a terminal, by sections and lines in Slack, and never with a secret."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any
from zoneinfo import ZoneInfo

import pytest
import yaml

from bot.commands.command import CommandAnswer
from bot.commands.configuration import MAX_CHARS, ConfigCommand
from bot.config.settings import Settings, load
from bot.config.yaml_text import find_ids, write_yaml
from bot.decide.redaction.redactor import Redactor
from bot.models.plain_lines import to_plain_text
from tests.chat.crew import ADMIN, OPERATOR, command, handler
from tests.fakes import PhoneBook, naming

SECRET = "xoxb-" + "1234567890" * 2 + "-" + "a1B2c3D4" * 3
TEXT = """\
watched_chats: [{chat_id: C0HELP, name: help-platform}]
operators: [U0OPS]
admins: [U0ADMIN]
timezone: Asia/Kolkata
projects:
  shop: {root: ./shop, description: "Sells: *things* & <more>, ```code``` #1"}
  my.shop: {root: ./shop}
classifier: {languages: [en, de]}
"""


def settings(folder: Path) -> Settings:
    """Settings with values that need quotes."""
    (folder / "shop").mkdir(exist_ok=True)
    (folder / "triage.yml").write_text(TEXT)
    return load(folder / "triage.yml", folder / "home")


async def config(content: dict[str, Any], section: str = "", *, via: str = "cli", **given: Any) -> CommandAnswer:
    """What `config` shows of these settings."""
    controls: Any = SimpleNamespace(commanded_modes={"C0HELP": "silent"}, state="paused")
    overview: Any = SimpleNamespace(list_overrides=lambda: ("Made by `create_project`: `till`.",))
    owner = ConfigCommand(
        settings=content,
        controls=controls,
        ledger=None,
        projects=overview,
        redactor=Redactor([SECRET]),
        naming=naming(PhoneBook(U0OPS="Olu: #1\n\x00- U0EVIL", C0HELP="help-platform")),
    )
    commands = handler(runs={"config": owner.config})
    return await commands.execute("config", {"section": section, **given}, command(via=via))


def shown(answer: CommandAnswer) -> Any:
    """The answer as a program in a pipe reads it."""
    return yaml.safe_load(to_plain_text(answer.text, ZoneInfo("UTC")))


async def test_a_terminal_has_all_settings_and_they_load_again(tmp_path: Path) -> None:
    """Uncut, with the defaults, as one YAML document whose comments name the changes by commands."""
    loaded = settings(tmp_path)
    content = loaded.model_dump(mode="json", by_alias=True)
    answer = await config(content)
    assert len(answer.text) > MAX_CHARS
    assert shown(answer) == content
    assert Settings(**shown(answer)).model_dump(mode="json", by_alias=True) == content
    assert answer.rows[:3] == (
        "# Set by `mode`: <#C0HELP> silent.",
        "# Made by `create_project`: `till`.",
        "# Triage is paused.",
    )
    assert "\n- U0OPS  # Olu: #1 - U0EVIL\n" in answer.text
    assert "- chat_id: C0HELP  # help-platform\n" in answer.text
    assert answer.data is not None
    assert answer.data.model_dump()["settings"] == content


def test_a_time_zone_is_no_id_of_a_person() -> None:
    """Slack is asked for no name of UTC."""
    assert find_ids("operators:\n- U0OPS\ntimezone: UTC\nwatch:\n  chat_id: C0HELP") == ["U0OPS", "C0HELP"]


@pytest.mark.parametrize(
    ("section", "content"),
    [
        ("timezone", {"timezone": "Asia/Kolkata"}),
        ("WATCHED_CHATS", None),
        ("classifier.languages", {"classifier": {"languages": ["en", "de"]}}),
        ("projects.my.shop", None),
    ],
)
async def test_a_section_is_the_same_everywhere(tmp_path: Path, section: str, content: Any) -> None:
    """It stands in its place, so that it can be read back too."""
    loaded = settings(tmp_path).model_dump(mode="json", by_alias=True)
    slack = await config(loaded, section, via="slash")
    assert slack == await config(loaded, section, via="cli") == await config(loaded, section, via="chat")
    expected = content or (
        {"watched_chats": loaded["watched_chats"]}
        if section.isupper()
        else {"projects": {"my.shop": loaded["projects"]["my.shop"]}}
    )
    assert shown(slack) == expected


async def test_slack_shows_all_lines_in_turn(tmp_path: Path) -> None:
    """Each answer says how to see the lines that follow, and which sections there are."""
    content = settings(tmp_path).model_dump(mode="json", by_alias=True)
    lines: list[str] = []
    first, wanted = 1, len(write_yaml(content).splitlines())
    while first <= wanted:
        answer = await config(content, via="slash", first=first)
        assert len(answer.text) <= 3_500
        assert "`config NAME` shows one section: watched_chats, operators" in answer.text
        part = answer.rows[-1].removeprefix("```\n").removesuffix("\n```").split("\n")
        lines += part
        first += len(part)
        assert (f"`config first={first}` shows what follows" in answer.text) == (first <= wanted)
    assert yaml.safe_load(to_plain_text("\n".join(("```", *lines, "```")), ZoneInfo("UTC"))) == content


@pytest.mark.parametrize("via", ["cli", "slash"])
async def test_no_secret_is_shown_and_the_rest_stays_valid(via: str) -> None:
    """A setting that holds one by mistake is text in its place."""
    answer = await config({"chat": {"greeting": f"the token {SECRET}", "turns": 3}, "password": SECRET}, via=via)
    assert SECRET not in str(answer)
    assert shown(answer) == {"chat": {"greeting": "the token [redacted]", "turns": 3}, "password": "[redacted]"}


@pytest.mark.parametrize(
    ("section", "words"),
    [
        ("wach", "The nearest is `watch`"),
        ("<b>`", "The settings have no `&lt;b&gt;'`."),
        ("timezone.name", "`timezone` has no parts with names"),
        ("chat.nothing", "The settings have no `nothing`."),
        ("x" * 201, "at most 200 characters"),
    ],
)
async def test_an_unknown_section_is_named(tmp_path: Path, section: str, words: str) -> None:
    """With those that there are."""
    answer = await config(settings(tmp_path).model_dump(mode="json", by_alias=True), section)
    assert (answer.outcome, words in answer.text) == ("invalid", True), answer.text


async def test_a_line_beyond_the_end_is_named(tmp_path: Path) -> None:
    """The answer says how many lines there are."""
    answer = await config(settings(tmp_path).model_dump(mode="json", by_alias=True), "timezone", first=2)
    assert (answer.outcome, answer.line) == ("invalid", "The settings have 1 lines here.")


async def test_an_operator_sees_no_settings() -> None:
    """Only admins do."""
    answer = await handler().execute("config", {}, command(user_id=OPERATOR))
    assert (answer.outcome, ADMIN in answer.text) == ("refused", False)
