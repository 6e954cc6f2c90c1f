"""A person at the local workspace: speaks, presses, submits, and waits until they see what they expect."""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import aiohttp

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

PATIENCE = 30.0
"""Seconds until a person who sees nothing new gives up."""
LONGEST_LINE = 2**24
"""Bytes of all that a person sees."""
AT_MOST = 6
"""How many times as long they wait where they see something new again and again."""

View = dict[str, Any]


class Human:
    """One user of the workspace at `url`, through the calls that the page uses."""

    def __init__(self, url: str, user: str) -> None:
        self.user = user
        self._url = url

    async def say(self, text: str, *, thread_ts: str | None = None, channel: str = "C0HELP") -> str:
        """Write a message; the answer is its ts."""
        thread = {"thread_ts": thread_ts} if thread_ts else {}
        answer = await self._call("say", channel=channel, text=text, **thread)
        assert answer["ok"], answer
        return str(answer["ts"])

    async def sends(self, text: str = "", *, channel: str = "C0HELP", **parts: Any) -> str:
        """Write a message with `blocks`, `attachments` or `files`; the answer is its ts."""
        answer = await self._call("say", channel=channel, text=text, **parts)
        assert answer["ok"], answer
        return str(answer["ts"])

    async def does(self, name: str, **said: Any) -> None:
        """Edit or delete a message of the help channel."""
        answer = await self._call(name, channel="C0HELP", **said)
        assert answer["ok"], answer

    async def react(self, ts: str, emoji: str, *, remove: bool = False) -> None:
        """Put an emoji under a message of the help channel, or take it away."""
        answer = await self._call("react", channel="C0HELP", ts=ts, name=emoji, remove=remove)
        assert answer["ok"], answer

    async def command(self, text: str, *, channel: str = "C0HELP") -> str:
        """Give `/triage` with these words; the answer is what the bot says immediately."""
        answer = await self._call("command", channel=channel, command="/triage", text=text)
        assert answer["ok"], answer
        assert answer["response"]["response_type"] == "ephemeral"
        return str(answer["response"]["text"])

    async def command_until(self, text: str, words: str) -> None:
        """Give `/triage` with this text again and again, until the answer has the words."""
        async with asyncio.timeout(PATIENCE):
            while words not in await self.command(text):
                pass

    async def press(self, action_id: str, card: View | None = None, **named: str) -> View:
        """Press a button, on this card or wherever it is seen last."""
        where = {"message_ts": card["ts"]} if card else {}
        return await self._call("press", action_id=action_id, **where, **named)

    async def calls(self, name: str, /, **body: Any) -> View:
        """Have done what no person does in a name of their own, such as to share a channel."""
        answer = await self._call(name, **body)
        assert answer["ok"], answer
        return answer

    async def press_on_home(self, action_id: str) -> View:
        """Press the first such button of the App Home, whatever stands elsewhere."""
        home = (await self.now())["home"]
        elements = [e for b in home["blocks"] for e in (*b.get("elements", ()), b.get("accessory") or {})]
        value = next(element["value"] for element in elements if element.get("action_id") == action_id)
        return await self._call("press", action_id=action_id, value=value, view_id=home["id"])

    async def thumb(self, which: str, reply: View) -> View:
        """Press a thumb, `up` or `down`, under a reply of the bot."""
        [buttons] = [block["elements"][0] for block in reply["blocks"] if block["type"] == "context_actions"]
        value = buttons["negative_button" if which == "down" else "positive_button"]["value"]
        return await self._call("press", action_id="feedback", value=value, message_ts=reply["ts"])

    async def shortcut(self, callback_id: str, ts: str, *, channel: str = "C0HELP") -> View:
        """Take a shortcut on a message, from its menu."""
        return await self._call("shortcut", callback_id=callback_id, channel=channel, ts=ts)

    async def home(self) -> View:
        """Open the bot's App Home, and see what it publishes for this person."""
        before = (await self.now())["home"]
        await self._call("home")
        found: View = await self.sees(lambda view: view["home"] if view["home"] != before else None)
        return found

    async def opens_messages(self) -> None:
        """Open the direct messages with the bot, from its Home."""
        await self._call("home", tab="messages")

    async def is_active(self, active: bool) -> None:
        """Be at the screen, or away from it: then nothing that only this person sees arrives."""
        await self._call("presence", active=active)

    async def makes_channel(self, name: str, *others: str, is_private: bool) -> str:
        """Make a channel and bring others into it; the answer is its id."""
        made = await self._call("channel", name=name, is_private=is_private)
        for who in others:
            await self._call("invite", channel=made["channel"], who=who)
        return str(made["channel"])

    async def submit(self, view: View, **values: str) -> View:
        """Submit a dialog whose blocks and actions share their names."""
        named = {block: {block: value} for block, value in values.items()}
        return await self._call("submit", view_id=view["id"], values=named)

    async def chooses(self, name: str, card: View) -> View:
        """Choose in a card's menu."""
        options = [o for b in card["blocks"] for e in b.get("elements", ()) for o in e.get("options", ())]
        value = next(option["value"] for option in options if option["value"].startswith(f"{name} "))
        return await self._call("press", action_id="more", value=value, message_ts=card["ts"])

    async def dismiss(self, card: View, **why: str) -> None:
        """Press Dismiss, and submit its dialog as it stands or with `why`."""
        await self.press("dismiss", card)
        answer = await self.submit(await self.dialog(), **why)
        assert answer["ok"], answer

    async def sees(self, what: Callable[[View], Any]) -> Any:
        """Wait until `what` finds something in all that this person sees now, and return it."""
        clock = asyncio.get_running_loop().time
        end = clock() + AT_MOST * PATIENCE
        view: View = {}
        with suppress(TimeoutError):
            async with asyncio.timeout(PATIENCE) as limit, aiohttp.ClientSession(read_bufsize=LONGEST_LINE) as session:
                async with session.get(f"{self._url}/human/stream", params={"user": self.user}) as stream:
                    async for line in stream.content:
                        if line.startswith(b"data:"):
                            view = json.loads(line[5:])
                            if found := what(view):
                                return found
                            limit.reschedule(min(end, clock() + PATIENCE))
        shown = [message.get("text", "") for message in cards(view)] if view else "nothing"
        raise AssertionError(f"{self.user} did not see what was waited for; the bot's messages were {shown}")

    async def whispered(self, act: Awaitable[Any], *words: str) -> View:
        """The line with all of these words that only this person sees, after `act`; the page is open before that."""
        acting: asyncio.Future[Any] | None = None

        def found(view: View) -> View | None:
            nonlocal acting
            acting = acting or asyncio.ensure_future(act)
            return newest_whisper(view, words)

        seen: View = await self.sees(found)
        if acting:
            await acting
        return seen

    async def card(self, *words: str) -> View:
        """The newest card that shows all of these words."""
        found: View = await self.sees(lambda view: newest(cards(view), words))
        return found

    async def dialog(self) -> View:
        """The dialog that is open."""
        found: View = await self.sees(lambda view: view["views"] and view["views"][-1])
        return found

    async def evidence(self, card: View, *words: str) -> View:
        """The dialog behind Show Evidence once it shows all of these words; it is closed again."""
        answer = await self.press("show_evidence", card)
        assert answer["ok"], answer
        found: View = await self.sees(lambda view: newest(view["views"], words))
        await self._call("close", view_id=found["id"])
        return found

    async def replies(self, ts: str, count: int = 1) -> list[View]:
        """The replies in a thread once there are so many."""
        found: list[View] = await self.sees(lambda view: len(r := replies(view, ts)) >= count and r)
        return found

    async def now(self) -> View:
        """All that this person sees at this moment."""
        async with aiohttp.ClientSession() as session:
            async with session.get(f"{self._url}/human/view", params={"user": self.user}) as answer:
                seen: View = await answer.json()
                return seen

    async def _call(self, name: str, /, **body: Any) -> View:
        async with aiohttp.ClientSession() as session:
            async with session.post(f"{self._url}/human/{name}", json={"user": self.user, **body}) as answer:
                said: View = await answer.json()
                return said


async def until(is_so: Callable[[], object]) -> None:
    """Look again and again, such as at files, until something is so."""
    end = asyncio.get_running_loop().time() + PATIENCE
    while not (seen := is_so()):  # no event tells of a file
        assert asyncio.get_running_loop().time() < end, f"waited {PATIENCE} s, and it is still {seen!r}"
        await asyncio.sleep(0.02)


def cards(view: View) -> list[View]:
    """The messages of the bot in this person's direct messages."""
    return [message for dm in view["dms"] for message in dm["messages"]]


def replies(view: View, ts: str) -> list[View]:
    """The replies under a message of any channel, but for what this person alone sees."""
    roots = [m for channel in view["channels"] for m in channel["messages"] if m["ts"] == ts]
    return [reply for root in roots for reply in root["replies"] if not reply.get("ephemeral")]


def newest_whisper(view: View, words: tuple[str, ...]) -> View | None:
    """The last ephemeral message that has all of these words, in a channel, its threads or a direct message."""
    roots = [m for place in (*view["channels"], *view["dms"]) for m in place["messages"]]
    said = [m for root in roots for m in (root, *root.get("replies", ()))]
    found = [m for m in said if m.get("ephemeral") and all(word in m["text"] for word in words)]
    return found[-1] if found else None


def newest(messages: list[View], words: tuple[str, ...]) -> View | None:
    """The last message that shows all of these words somewhere."""
    found = [m for m in messages if all(word in json.dumps(m["blocks"], ensure_ascii=False) for word in words)]
    return found[-1] if found else None


def shows(message: View, text: str) -> bool:
    """Return whether a message shows this text."""
    return text in json.dumps(message["blocks"], ensure_ascii=False)
