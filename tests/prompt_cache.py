"""Prompt cache of the model server, by the API's documented rules.

An entry is written at each marker; a marker looks for entries at its own block and the nineteen before it. Tokens are
four characters each.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from typing import Any

LOOK_BACK = 20
"""Blocks in which a marker finds an entry, its own included."""


@dataclass
class PromptCache:
    """Prefixes of earlier requests, as hashes."""

    sizes: list[int] = field(default_factory=list)
    """Tokens of each request."""
    _entries: set[str] = field(default_factory=set)

    def read(self, body: dict[str, Any]) -> dict[str, int]:
        """Count a request's tokens: uncached, written and read. Its own prefixes are cached from then on."""
        blocks = _blocks(body)
        texts = [json.dumps([*place, _unmarked(block)], sort_keys=True) for *place, block in blocks]
        sizes = [max(1, len(text) // 4) for text in texts]
        prefixes = _hash_prefixes(texts)
        markers = [number for number, (*_, block) in enumerate(blocks) if "cache_control" in block]
        ends = [
            number + 1
            for marker in markers
            for number in range(max(0, marker - LOOK_BACK + 1), marker + 1)
            if prefixes[number] in self._entries
        ]
        known, marked = max(ends, default=0), max(markers, default=-1) + 1
        self.sizes.append(sum(sizes))
        self._entries |= {prefixes[marker] for marker in markers}
        return {
            "input_tokens": sum(sizes[max(known, marked) :]),
            "cache_creation_input_tokens": sum(sizes[known:marked]),
            "cache_read_input_tokens": sum(sizes[:known]),
        }


def _blocks(body: dict[str, Any]) -> list[tuple[Any, ...]]:
    """Return the blocks of a request in the cache's order, each with its place."""
    prompt = body.get("system", [])
    prompts = [{"type": "text", "text": prompt}] if isinstance(prompt, str) else prompt
    return [
        *(("tool", tool) for tool in body.get("tools", ())),
        *(("system", block) for block in prompts),
        *(
            (number, message["role"], block)
            for number, message in enumerate(body["messages"])
            for block in message["content"]
        ),
    ]


def _unmarked(block: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in block.items() if key != "cache_control"}


def _hash_prefixes(texts: list[str]) -> list[str]:
    running, prefixes = hashlib.sha256(), []
    for text in texts:
        running.update(text.encode())
        prefixes.append(running.hexdigest())
    return prefixes
