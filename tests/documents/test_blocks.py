"""Blocks of the documents that are no command lines: settings load, Python runs, JSON is JSON, the rest is text."""

from __future__ import annotations

import ast
import asyncio
import json
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args, get_origin

import aiohttp
import yaml
from pydantic import BaseModel
from slack_sdk.web.async_client import AsyncWebClient

from bot.config.settings import Settings, load
from bot.errors import Misconfigured
from sandbox.server import Sandbox
from tests.documents.commands import is_command, is_shell
from tests.documents.pages import PAGES, ROOT, Block, Page
from tests.documents.test_paths import looks_like_path
from tests.documents.test_terminal_lines import parse
from tests.forks import FORKS, PATIENCE

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pytest

LANGUAGES = {"", "text", "sh", "yaml", "json", "python", "markdown", "nginx", "js"}
"""Languages of blocks; those of the last two are files of other programs."""

OTHER_YAML = ("# prometheus.yml", "# Kubernetes")
"""First lines of YAML that is none of Triage's."""

FOLDERS = ("shop", "shop-api", "platform/deploy", "portal/web", "vault")
"""Folders that settings name as relative paths."""

AROUND: dict[str, Any] = {
    "watched_chats": [{"chat_id": "C0123ABCD", "name": "help-platform"}],
    "operators": ["U0123ABCD"],
    "projects": {"platform": {"root": "./platform"}, "portal": {"root": "./portal"}},
}
"""The settings around a block, for the sections that it lacks."""

KEY = re.compile(r"(?P<path>[a-z]\w*(?:\[\])?(?:\.(?:[a-z0-9_]+|<\w+>)(?:\[\])?)+)(?:: \S.*)?")


def blocks(*languages: str) -> Iterator[tuple[Page, Block]]:
    """The blocks of these languages."""
    for page in PAGES:
        yield from ((page, block) for block in page.blocks if block.language in languages)


def test_each_block_has_a_language_that_is_tried() -> None:
    """And no command line stands in one of text, where nobody would try it."""
    wrong = [
        f"{page.at(block)}: {block.language}"
        for page in PAGES
        for block in page.blocks
        if block.language not in LANGUAGES
    ]
    for page, block in blocks("", "text"):
        lines = () if is_shell(block) else block.text.splitlines()
        wrong += [f"{page.at(block)}: {line}: put it in a block of command lines" for line in lines if is_command(line)]
    assert not wrong, "\n".join(wrong)


def test_each_block_of_settings_loads(tmp_path: Path) -> None:
    """With the least around it, from a folder that has what it names; a role of a page is one."""
    wrong = []
    for name in FOLDERS:
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "roles").mkdir()
    role = "---\nname: {0}\ndisplayName: Dev\ncategory: coding\ncwd: ./platform\n---\n\nYou know it.\n"
    (tmp_path / "roles" / "api-dev.md").write_text(role.format("api-dev"))
    for _, block in blocks("markdown"):
        (tmp_path / "roles" / "portal-dev.md").write_text(block.text)
    for page, block in blocks("yaml"):
        data = yaml.safe_load(block.text)
        if block.text.startswith(OTHER_YAML):
            continue
        path = tmp_path / "triage.yml"
        around = AROUND if "projects" not in data else {key: AROUND[key] for key in ("watched_chats", "operators")}
        path.write_text(yaml.safe_dump(around | data).replace("/srv/platform", "./platform"))
        try:
            load(path, tmp_path / "home", max_complaints=None)
        except Misconfigured as problem:
            wrong.append(f"{page.at(block)}: {problem}")
    assert not wrong, "\n".join(wrong)


def test_each_container_starts_triage_by_a_line_that_it_takes(capsys: pytest.CaptureFixture[str]) -> None:
    """The arguments of a pod."""
    for _, block in blocks("yaml"):
        if block.text.startswith("# Kubernetes"):
            (container,) = yaml.safe_load(block.text)["containers"]
            assert parse(container["args"], capsys) == ""


def test_each_block_of_json_is_json() -> None:
    """A line each; also in a block that names no language and begins as an object."""
    for page, block in blocks("json", ""):
        if block.language or block.text.startswith("{"):
            for line in block.text.splitlines():
                assert isinstance(json.loads(line), dict), page.at(block)


async def test_each_block_of_python_runs() -> None:
    """In a process beside a workspace; one that connects runs until it is connected."""
    wrong = []
    for page, block in blocks("python"):
        workspace = await Sandbox.start(port=0)
        process = FORKS.Process(target=run_python, args=(block.text.replace("http://127.0.0.1:8765", workspace.url),))
        process.start()
        if "start_async" in block.text:
            async with aiohttp.ClientSession(workspace.url) as session:
                while process.is_alive() and not await is_connected(session):
                    await asyncio.to_thread(process.join, 0.05)
            is_wrong = not process.is_alive()
            process.terminate()
            process.join(PATIENCE)
        else:
            await asyncio.to_thread(process.join, PATIENCE)
            is_wrong = process.exitcode != 0
        wrong += [page.at(block)] if is_wrong else []
        process.kill()
        await workspace.close()
    assert wrong == []


def run_python(text: str) -> None:
    """Run a block, which may wait at its top."""
    os.chdir(ROOT)
    names: dict[str, Any] = {"Path": Path, "AsyncWebClient": AsyncWebClient}
    code = compile(text, "block", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    asyncio.run(eval(code, names))  # noqa: S307  # the documents' own code


async def is_connected(session: aiohttp.ClientSession) -> bool:
    """Return whether an app has asked for a connection to the workspace."""
    async with session.get("/calls") as answer:
        return "apps.connections.open" in await answer.text()


def test_each_key_of_the_settings_that_a_document_names_is_one() -> None:
    """A code span such as `retention.days`, with a value or without."""
    wrong = []
    for page in PAGES:
        for span in page.spans:
            match = KEY.fullmatch(span.text)
            if (
                match
                and not looks_like_path(match["path"])
                and (first := match["path"].split(".")[0].removesuffix("[]")) in Settings.model_fields
            ):
                names = match["path"].replace("[]", "").split(".")[1:]
                if not has_key(Settings.model_fields[first].annotation, names):
                    wrong.append(f"{page.at(span)}: {span.text}")
    assert not wrong, "\n".join(wrong)


def has_key(annotation: Any, names: list[str]) -> bool:
    """Return whether a type of the settings has these keys, one within the other."""
    if not names:
        return True
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        fields = annotation.model_fields
        named = names[0] if names[0] in fields else next((key for key in fields if fields[key].alias == names[0]), "")
        named = named or ("tier_2" if names[0] == "<n>" else "")
        field = fields.get(named)
        return field is not None and has_key(field.annotation, names[1:])
    if get_origin(annotation) is not None and issubclass(dict, get_origin(annotation)):  # a mapping takes any name
        return has_key(get_args(annotation)[1], names[1:])
    return any(has_key(each, names) for each in get_args(annotation))
