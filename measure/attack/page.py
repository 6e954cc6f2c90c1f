"""Strings that would be a script in a browser, wherever the local workspace's page shows text of others.

Chromium looks at messages, threads, names, cards, dialogs and the App Home that are made of them. What counts: a
script that ran, one that the page's content policy had to stop, a box, a request to anybody else, another page, and
what of their markup became a part of the page.
"""

from __future__ import annotations

import asyncio
import random
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from measure.attack.hostile import PIECES
from measure.attack.tally import Tally
from sandbox.dialogs import Dialog
from sandbox.seed import BOT_USER, CHANNELS, PEOPLE
from sandbox.server import Sandbox
from tests.sandbox.browser.conftest import CHROMIUM, QUIET

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.async_api import Browser, Page

COUNT = 1_000
AT_ONCE = 50
"""Strings on one page."""
RUN, ELSEWHERE = "window.ran=(window.ran||0)+1", "//elsewhere.invalid"
SCRIPTS = (
    f"<script>{RUN}</script>",
    f"</script><script>{RUN}</script>",
    f"<script src={ELSEWHERE}/a.js></script>",
    f"<script type=module>import '{ELSEWHERE}/a.js'</script>",
    f"<img src=x onerror='{RUN}'>",
    f"<img src={ELSEWHERE}/a.png>",
    f"<svg onload='{RUN}'>",
    f"<svg><script>{RUN}</script></svg>",
    f"<svg><animate onbegin='{RUN}' attributeName=x dur=1s>",
    f"<math><mtext></form><form><mglyph><style></math><img src onerror='{RUN}'>",
    f"<iframe srcdoc='<script>parent.{RUN}</script>'></iframe>",
    f"<iframe src='javascript:parent.{RUN}'></iframe>",
    f"<object data='{ELSEWHERE}/a'></object><embed src='{ELSEWHERE}/b'>",
    f"<link rel=stylesheet href={ELSEWHERE}/a.css><style>@import '{ELSEWHERE}/b.css';</style>",
    f"<meta http-equiv=refresh content='0;url={ELSEWHERE}'>",
    f"<base href={ELSEWHERE}/>",
    f"<body onload='{RUN}'><details open ontoggle='{RUN}'>",
    f"<input autofocus onfocus='{RUN}'><select autofocus onfocus='{RUN}'>",
    f"<video><source onerror='{RUN}'></video><audio src=x onerror='{RUN}'>",
    f"<marquee onstart='{RUN}'>x</marquee>",
    f"<a href='javascript:{RUN}'>x</a>",
    f"<javascript:{RUN}|x>",
    f"<JavaScript&colon;{RUN}|x>",
    f"<data:text/html,<script>{RUN}</script>|x>",
    f"<vbscript:{RUN}|x>",
    f"<https:{ELSEWHERE}/'onmouseover='{RUN}|x>",
    f'<https:{ELSEWHERE}/" autofocus onfocus="{RUN}|x>',
    f"[x](javascript:{RUN})",
    f"![x](javascript:{RUN})",
    f"![x]({ELSEWHERE}/a.png)",
    f"<!channel|<img src=x onerror='{RUN}'>>",
    f"<@U0ANA|<img src=x onerror='{RUN}'>>",
    f"<#C0HELP|<svg onload='{RUN}'>>",
    f"<!date^1^{{date}}<img src=x onerror='{RUN}'>|<svg onload='{RUN}'>>",
    f"&lt;script&gt;{RUN}&lt;/script&gt;",
    f"&amp;lt;img src=x onerror='{RUN}'&amp;gt;",
    f"\\u003cscript\\u003e{RUN}\\u003c/script\\u003e",
    f"%3Cscript%3E{RUN}%3C/script%3E",
    f"`<script>{RUN}</script>`",
    f"```\n<script>{RUN}</script>\n```",
    f"*<img src=x onerror='{RUN}'>*",
    f"'-({RUN})-'",
    f'";{RUN};//',
    f"${{{RUN}}}",
    f"{{{{constructor.constructor('{RUN}')()}}}}",
    f"javascript:{RUN}",
    f"data:text/html,<script>{RUN}</script>",
    f"' onerror='{RUN}' x='",
    f'"><img src=x onerror="{RUN}">',
    f"--><img src=x onerror='{RUN}'>",
    f"]]><script>{RUN}</script>",
    f"</textarea></title></style><script>{RUN}</script>",
    f"<template><script>{RUN}</script></template><slot onslotchange='{RUN}'>",
    f"<form action='javascript:{RUN}'><button autofocus formaction='javascript:{RUN}'>x</button></form>",
    f"<div style='background:url({ELSEWHERE}/a)' contenteditable onfocus='{RUN}'>x</div>",
    f"\u2028{RUN}\u2029<\u0000script>{RUN}</script>",
    "__proto__",
    "constructor",
    "<img name=getElementById><form id=body><input name=innerHTML>",
)


def strings(count: int) -> Iterator[str]:
    """So many: each script by itself, then each among other things."""
    chance = random.Random(5)  # noqa: S311  # tries, no secret
    yield from SCRIPTS[:count]
    for _ in range(count - len(SCRIPTS)):
        before, after = (chance.choice(PIECES) * chance.choice((1, 2, 40)) for _ in range(2))
        yield f"{before}{chance.choice(SCRIPTS)}{after}"


@dataclass
class _Seen:
    """What a page did that it should not."""

    url: str
    trying: str = ""
    effects: list[str] = field(default_factory=list)

    def watch(self, page: Page) -> None:
        """Listen to it from now on."""
        page.on("dialog", lambda box: asyncio.ensure_future(self._box(box)))
        page.on("console", lambda line: self._policy(line.text))
        page.on("request", lambda request: self._asked(request.url))
        page.on("popup", lambda _: self.note("another page was opened"))

    def note(self, what: str) -> None:
        """Remember an effect."""
        self.effects.append(f"{what}: {self.trying}")

    async def _box(self, box: Any) -> None:
        self.note("a box")
        await box.dismiss()

    def _policy(self, text: str) -> None:
        if "Content Security Policy" in text:
            self.note(f"the policy stopped {text[:120]}")

    def _asked(self, url: str) -> None:
        if not url.startswith((self.url, "data:", "blob:")):
            self.note(f"a request to {urlsplit(url).netloc or url[:40]}")


STRANGE = """() => {
  const found = [];
  if (window.ran) found.push(`${window.ran} scripts ran`);
  for (const each of document.querySelectorAll("*")) {
    if (["SCRIPT", "IFRAME", "OBJECT", "EMBED", "BASE", "META", "LINK", "STYLE"].includes(each.tagName)
        && each.closest("body")) found.push(`a ${each.tagName}`);
    for (const given of each.attributes) {
      if (/^on/i.test(given.name)) found.push(`${each.tagName} ${given.name}`);
      if (/^(href|src|action|formaction|data|xlink:href)$/i.test(given.name)
          && /^\\s*(javascript|data|vbscript)\\s*:/i.test(given.value)
          && !given.value.startsWith("data:image/")) found.push(`${given.name} ${given.value}`);
    }
  }
  return found.slice(0, 20);
}"""
"""Asks a page what stands in it that only a string of somebody's can have put there."""


def _shown(workspace: Any, texts: list[str]) -> str:
    """Put strings wherever the page shows text of others; return the `ts` of a thread that holds one."""
    for person, text in zip(PEOPLE, texts, strict=False):
        workspace.roster.people[person.id] = replace(person, name=text, title=text)
    for channel, text in zip(CHANNELS, texts[-2:], strict=False):
        workspace.conversations[channel].name = text
    for room in workspace.conversations.values():
        for kept in (room.messages, room.roots, room.threads):
            kept.clear()
    root = workspace.post("C0HELP", texts[0], user="U0ANA")
    for text in texts:
        said = workspace.post("C0HELP", text, user="U0ANA")
        said.reactions[text] = ["U0OPS"]
        for thread_ts in (None, root.ts):
            workspace.post("C0HELP", text, user=BOT_USER, blocks=_blocks(text), thread_ts=thread_ts)
            workspace.post(
                "C0HELP",
                text,
                user="U0ALERTS",
                attachments=[_attachment(text)],
                files=[_file(text)],
                thread_ts=thread_ts,
            )
            workspace.whisper("C0HELP", text, user="U0ANA", blocks=_blocks(text), thread_ts=thread_ts)
    return str(root.ts)


def _blocks(text: str) -> list[dict[str, Any]]:
    plain, marked = {"type": "plain_text", "text": text}, {"type": "mrkdwn", "text": text}
    button = {"type": "button", "action_id": text, "value": text, "text": plain, "url": text}
    sure = {"title": plain, "text": marked, "confirm": plain, "deny": plain}
    option = {"text": plain, "value": text, "description": plain}
    menu = {"type": "static_select", "action_id": "m", "placeholder": plain, "options": [option]}
    rich = [
        {"type": "text", "text": text, "style": {"code": True}},
        {"type": "link", "url": text, "text": text},
        {"type": "emoji", "name": text},
        {"type": "user", "user_id": text},
        {"type": "channel", "channel_id": text},
        {"type": "date", "timestamp": 1, "format": text, "fallback": text, "url": text},
    ]
    kinds = ("rich_text_section", "rich_text_quote", "rich_text_preformatted")
    return [
        {"type": "header", "text": plain},
        {"type": "section", "block_id": text, "text": marked, "fields": [marked, plain], "accessory": button},
        {"type": "context", "elements": [marked, plain, {"type": "image", "image_url": text, "alt_text": text}]},
        {"type": "actions", "elements": [{**button, "confirm": sure}, menu, {"type": "overflow", "options": [option]}]},
        {"type": "markdown", "text": text},
        {"type": "image", "image_url": text, "alt_text": text, "title": plain},
        {"type": "rich_text", "elements": [{"type": kind, "elements": rich} for kind in kinds]},
        {"type": "table", "rows": [[{"type": "raw_text", "text": text}]]},
    ]


def _attachment(text: str) -> dict[str, Any]:
    known = ("text", "title", "title_link", "pretext", "fallback", "author_name", "author_link", "footer", "color")
    return {
        **dict.fromkeys(known, text),
        "image_url": text,
        "thumb_url": text,
        "fields": [{"title": text, "value": text}],
    }


def _file(text: str) -> dict[str, Any]:
    known = ("name", "title", "pretty_type", "preview", "permalink", "url_private", "thumb_360", "mimetype")
    return {"id": "F1", **dict.fromkeys(known, text)}


def _view(text: str, kind: str) -> dict[str, Any]:
    plain = {"type": "plain_text", "text": text}
    element = {"type": "plain_text_input", "action_id": "a", "initial_value": text, "placeholder": plain}
    form = {"type": "input", "block_id": "b", "label": plain, "hint": plain, "element": element}
    more = {"title": plain, "submit": plain, "close": plain, "callback_id": "c"} if kind == "modal" else {}
    return {"type": kind, "blocks": [form, *_blocks(text)], "private_metadata": text, **more}


_HOME: dict[str, Any] = {
    "id": "V1",
    "hash": "1",
    "root_view_id": "V1",
    "previous_view_id": None,
    "state": {"values": {}},
    "external_id": "",
}
"""What Slack adds to a view. It is put there past the checks of its own."""


async def look(browser: Browser, count: int) -> Tally:
    """Let a browser look at so many strings."""
    workspace = await Sandbox.start()
    seen, tried = _Seen(workspace.url), 0
    try:
        every = strings(count)
        while texts := [*islice(every, AT_ONCE)]:
            root_ts = _shown(workspace._workspace, texts)
            workspace._homes._views["U0ANA"] = {**_view(texts[0], "home"), **_HOME}
            workspace._dialogs._dialogs["V1"] = Dialog("U0ANA", {**_view(texts[-1], "modal"), **_HOME})
            page = await (await browser.new_context()).new_page()
            seen.trying = f"strings {tried} to {tried + len(texts) - 1}"
            seen.watch(page)
            await _visit(page, workspace.url, root_ts, seen)
            await page.context.close()
            tried += len(texts)
    finally:
        await workspace.close()
    return Tally("strings that would be a script, on the page of the local workspace", tried, tuple(seen.effects))


async def _visit(page: Page, url: str, root_ts: str, seen: _Seen) -> None:
    """Look at the channel, a thread and the App Home, as a person would."""
    for where, shown in (
        ("/archives/C0HELP?as=U0ANA", "#messages li.message"),
        (f"/archives/C0HELP?as=U0ANA&thread_ts={root_ts}", "#thread:not([hidden]) li.message"),
        ("/archives/C0HELP?as=U0ANA&tab=home", "#dialog[open]"),
        ("/archives/D0ANA?as=U0ANA&tab=home", "#dialog[open]"),
    ):
        await page.goto(f"{url}{where}")
        await page.locator(shown).last.wait_for(state="attached", timeout=20_000)
        await page.wait_for_timeout(150)
        for found in await page.evaluate(STRANGE):
            seen.note(found)
        if page.url.partition("?")[0] != f"{url}{where}".partition("?")[0]:
            seen.note(f"another page: {page.url[:80]}")


async def _run(count: int) -> Tally:
    from playwright.async_api import async_playwright

    async with async_playwright() as driver:
        running = await driver.chromium.launch(executable_path=str(CHROMIUM), args=list(QUIET))
        try:
            return await look(running, count)
        finally:
            await running.close()


def run(count: int) -> Tally:
    """Let Chromium look at so many strings; where there is none, none was tried."""
    if not Path(CHROMIUM).exists():
        return Tally("strings that would be a script: no Chromium here", 0)
    return asyncio.run(_run(count))
