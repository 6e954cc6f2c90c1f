"""A project that is fetched, through real sockets and real git: evidence names a commit, and a newer one is noticed."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from bot.isolation import Boundary, boundary, in_force
from tests.adapters.test_checkouts import commit, git
from tests.line.human import shows
from tests.line.test_straight_line import QUESTION

if TYPE_CHECKING:
    from pathlib import Path

    from tests.line.conftest import Line


async def test_evidence_names_the_commit_and_a_newer_one_makes_it_stale(
    line: Line, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Approve looks into the newest commit that was fetched; where the cited lines differ, nothing is posted.

    Every program on the way starts in the boundary, with no variable of the bot's.
    """
    monkeypatch.setenv("DATABASE_URL", "of-the-bot")
    programs = tell_programs(line.folder, monkeypatch)
    shop = line.folder / "shop"
    git(shop, "init", "-q", "-b", "main")
    first = commit(shop)
    async with line.bot(code="repository: ./shop", project="web_url: 'https://github.com/octo/shop'") as bot:
        await line.ana.say(QUESTION)
        card = await line.olu.card('"approve"', f"https://github.com/octo/shop/blob/{first}/orders.py")
        await line.olu.evidence(card, f"at `{first[:8]}`")
        (shop / "orders.py").write_text("# gone\n")
        commit(shop)
        await bot.core.repositories.fetch("shop")
        await line.olu.press("approve", card)
        assert await line.olu.card("Look again", "post_anyway")
    if boundary().bwrap:
        started = programs.read_text()
        assert all(f" {name} " in started for name in ("rg", "fetch", "worktree", "cat-file"))
        assert "DATABASE_URL" not in started


def tell_programs(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Have the boundary write down the programs that it starts and their variables; gives the file."""
    told, real = folder / "programs", boundary().bwrap
    if real:
        teller = folder / "bwrap"
        words = r"sed 's|/[^ ]*/| |g'"
        teller.write_text(f'#!/bin/sh\n{{ echo "$@" | {words}; env; }} >> {told}\nexec {real[0]} "$@"\n')
        teller.chmod(0o755)
        monkeypatch.setattr(in_force, "_boundary", Boundary((str(teller), *real[1:])))
    return told


async def test_a_repository_out_of_reach_keeps_its_state_and_the_card_says_so(line: Line) -> None:
    """What was fetched before is answered from."""
    shop = line.folder / "shop"
    git(shop, "init", "-q", "-b", "main")
    commit(shop)
    async with line.bot(code="repository: ./shop") as bot:
        git(shop, "checkout", "-q", "--orphan", "other")
        git(shop, "branch", "-D", "-q", "main")
        await bot.core.repositories.fetch("shop")
        await line.ana.say(QUESTION)
        card = await line.olu.card('"approve"', "it could not be fetched since")
        assert shows(card, "orders.py")


async def test_a_project_of_several_roots_answers_from_the_one_that_fits(line: Line) -> None:
    """Show Evidence names the root, evidence is checked and linked there, and the reply is posted."""
    shop, web = line.folder / "shop", line.folder / "web"
    web.mkdir()
    git(shop, "init", "-q", "-b", "main")
    first = commit(shop)
    (web / "page.js").write_text("// The page of the shop.\nconst PAGE = 3;\n")
    link = "https://github.com/octo/api"
    roots = f"roots: [{{name: web, root: ./web}}, {{name: api, root: ./shop, web_url: '{link}'}}]"
    async with line.bot(code=roots, chat="project: shop"):
        asked = await line.ana.say(QUESTION)
        card = await line.olu.card('"approve"', f"{link}/blob/{first}/orders.py")
        await line.olu.evidence(card, "from shop/api at")
        await line.olu.press("approve", card)
        assert len(await line.ana.replies(asked)) == 1


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give files to another user")
@pytest.mark.parametrize("code", ["root: ./shop", "repository: ./shop"])
async def test_commit_and_link_appear_whoever_owns_the_repository(line: Line, code: str) -> None:
    """A folder that is read where it lies, and one that is fetched: git calls the ownership of both dubious."""
    shop = line.folder / "shop"
    git(shop, "init", "-q", "-b", "main")
    first = commit(shop)
    for path in (shop, *shop.rglob("*")):
        os.chown(path, 12345, 12345)
    async with line.bot(code=code, project="web_url: 'https://github.com/octo/shop'"):
        await line.ana.say(QUESTION)
        card = await line.olu.card('"approve"', f"https://github.com/octo/shop/blob/{first}/orders.py")
        await line.olu.evidence(card, f"`{first[:8]}`")
