"""Outbound port of forges: merge requests of branches that were pushed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from bot.models.merge_request import MergeRequest


class Forge(Protocol):
    """The forges of the settings, each by the remotes that it serves (`bot.adapters.forge.Forges`).

    An `address` is that of the remote which the branch was pushed to, `WorkRepository.address`. Each call that asks a
    forge raises `ToolError` with the next step for a person if the forge does not serve or refuses it, `RetryLater`
    if it had no effect and may succeed later, and `Uncertain` where a draft may have been opened and the forge cannot
    be asked. After `RetryLater`, after `Uncertain` and after a crash the same call is made again, with the same
    arguments: `open_draft` finds what is there. Tokens are in no error. Titles that a forge returns are untrusted.
    """

    def find_fault(self, address: str) -> str:
        """Return why no request can be opened for the remote of this address, as a clause; empty if nothing is known
        against it. No forge is asked."""

    async def find(self, address: str, branch: str) -> MergeRequest | None:
        """Return the newest open merge request of a branch; `None` without one."""

    async def open_draft(self, address: str, *, branch: str, target: str, title: str, body: str) -> MergeRequest:
        """Open a draft that would merge a branch into `target`, and return it.

        An open request of the branch is returned as it is instead, whoever opened it, with the title and the target
        that it has: however often this is called, there is one. The branch must be at the remote; `title` and `body`
        are those of a `MergeRequestText`.
        """
