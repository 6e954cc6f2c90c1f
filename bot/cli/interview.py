"""Questions at a terminal: asked until the answer fits; none is asked for scripts. A typed secret is not shown."""

from __future__ import annotations

import getpass
import re
import sys
from typing import TYPE_CHECKING, TypeVar

from bot.errors import Misconfigured

if TYPE_CHECKING:
    from collections.abc import Callable

Answer = TypeVar("Answer")

_TOKEN = re.compile(r"[!-~]+")


class Interview:
    """Interview at the terminal; without asking, an answer that is missing or does not fit raises `Misconfigured`."""

    def __init__(self, *, is_asking: bool) -> None:
        self.is_asking = is_asking

    def tell(self, text: str) -> None:
        """Show lines to the person."""
        print(text, file=sys.stderr, flush=True)  # noqa: T201  # command-line output

    def confirm(self, question: str, *, else_say: str) -> None:
        """Ask for a yes. Raises `Misconfigured` with `else_say` for any other answer."""
        if not self.is_asking or self._read(f"{question} [y/N] ").lower() not in ("y", "yes"):
            raise Misconfigured(else_say)

    def ask_until(self, name: str, question: str, given: str | None, find: Callable[[str], Answer]) -> Answer:
        """Return what `find` makes of the given text, else of a typed one, which is asked for until one fits.

        `name` is the option that gives the text; `find` raises `Misconfigured` for one that does not fit.
        """
        if given is None and not self.is_asking:
            raise Misconfigured(f"{name}: expected with --yes")
        if given is None:
            self.tell(question)
        while True:
            try:
                return find(self._read("> ") if given is None else given)
            except Misconfigured as problem:
                if not self.is_asking:
                    raise Misconfigured(f"{name}: {problem}") from None
                self.tell(str(problem))
                given = None

    def ask_secret(self, name: str, prefix: str) -> str:
        """Return a secret that begins with this prefix, as typed without an echo."""
        if not self.is_asking:
            raise Misconfigured(f"{name}: expected in the environment or in .env with --yes")
        while True:
            try:
                secret = getpass.getpass(f"{name} ({prefix}…, not shown): ", stream=None).strip()
            except EOFError:
                raise Misconfigured("no answer") from None
            if secret.startswith(prefix) and _TOKEN.fullmatch(secret):
                return secret
            self.tell(f"Expected one word that begins with {prefix}." if prefix else "Expected one word.")

    def _read(self, prompt: str) -> str:
        print(prompt, end="", file=sys.stderr, flush=True)  # noqa: T201  # as above
        line = sys.stdin.readline()
        if not line:
            raise Misconfigured("no answer")
        return line.strip()
