"""Merge request that somebody has opened, as a forge's webhook reports it."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from pydantic import Field, StringConstraints, ValidationError

from bot.models.fact import Fact
from bot.models.merge_request import ForgeKind

TYPE = "merge_request_opened"
"""Type of its payload, beside those of Slack."""
_Line = Annotated[str, StringConstraints(max_length=300)]


class OpenedMergeRequest(Fact):
    """A merge request from the moment at which it was opened; its texts are untrusted."""

    forge: ForgeKind
    project: _Line
    """Path of the repository at the forge, such as `team/shop`."""
    number: Annotated[int, Field(ge=1)]
    url: Annotated[str, StringConstraints(max_length=2_000)]
    title: _Line
    author: _Line
    """Name of the account that opened it."""
    branch: _Line
    target: _Line
    is_draft: bool
    opened_at: datetime

    @property
    def interaction_id(self) -> str:
        """Return what is identical for every report of it: no request is opened twice.

        The id of a delivery is not signed, so it proves nothing.
        """
        host = "/".join(self.url.split("/")[:3])
        return f"merge-request-{host}-{self.project}-{self.number}-{self.opened_at.isoformat()}"

    def as_payload(self) -> dict[str, Any]:
        """Return the body that is recorded for it."""
        return {"type": TYPE, **self.model_dump(mode="json")}


def read_opened_merge_request(body: dict[str, Any]) -> OpenedMergeRequest | None:
    """Parse a recorded body; `None` if it is none."""
    try:
        return OpenedMergeRequest.model_validate({key: value for key, value in body.items() if key in _KEYS})
    except ValidationError:
        return None


_KEYS = frozenset(OpenedMergeRequest.model_fields)
