"""Id of a thread: workspace, channel and the timestamp of its first message."""

from __future__ import annotations

from typing import Annotated

from pydantic import StringConstraints

THREAD_ID = r"^[A-Z][A-Z0-9]{1,30}-[A-Z][A-Z0-9]{1,30}-\d{1,12}\.\d{1,9}$"
ThreadId = Annotated[str, StringConstraints(pattern=THREAD_ID)]
