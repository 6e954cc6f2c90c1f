"""A scripted model for the torture of replicas: it reads the line that a question asks for, and cites it."""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING

from tests.line.play import found, judged, role, said
from tests.model_server import calls
from tests.model_stream import COMPLETE, send_message
from tests.replicas import place_of, value_of

if TYPE_CHECKING:
    import random

    from aiohttp import web

    from tests.model_server import Answer, Body

_ASKED = re.compile(r"What is the ([a-z_]{1,60}) of the shop")


class SlowModel:
    """Answers that take a moment each, so that kills come in the middle of runs; `runs` counts first turns."""

    def __init__(self, chance: random.Random) -> None:
        self._chance, self.runs = chance, 0

    def __call__(self, body: Body) -> Answer:
        """Answer a request later."""
        answer, seconds = self._choose(body), self._chance.uniform(0.2, 2.0)

        async def later(request: web.Request) -> web.StreamResponse:
            await asyncio.sleep(seconds)
            return await send_message(request, request[COMPLETE](answer))

        return later

    def _choose(self, body: Body) -> Body:
        name = _ASKED.findall(said(body))[0]  # hints of other questions come after it
        path, line = place_of(name)
        is_first = not any(message["role"] == "assistant" for message in body["messages"])
        self.runs += is_first and role(body) == "investigator"
        if is_first:
            return calls(("read_file", {"path": path}))
        if role(body) == "validator":
            return judged(spot_check_ref=f"{path}:{line}", spot_check_note="The constant stands there.")
        quote, ref = f"{name.upper()} = {value_of(name)}", f"{path}:{line}"
        reference = {"kind": "file", "ref": ref, "supports_claim": "The value stands there.", "quote": quote}
        return found(
            summary_for_orchestrator="The constant is set in the shop's limits.",
            draft_reply=f"`{quote}`, in `{ref}`.",
            evidence_refs=[reference],
            research_notes=f"Looked in {path}.",
        )
