"""Runs one of Bolt's examples unchanged, against the workspace at SLACK_API_URL and on the port PORT."""

import os
import runpy
import sys
from typing import Any

from aiohttp import web
from slack_bolt import App
from slack_bolt.async_app import AsyncApp
from slack_sdk.web.async_base_client import AsyncBaseClient
from slack_sdk.web.base_client import BaseClient

URL, PORT = os.environ["SLACK_API_URL"], int(os.environ["PORT"])


def _at_the_workspace(kind: Any) -> None:
    """Every client made without an address goes to the workspace."""
    begin = kind.__init__

    def init(self: Any, token: str | None = None, *args: Any, **more: Any) -> None:
        if not args:
            more.setdefault("base_url", URL)
        begin(self, token, *args, **more)

    kind.__init__ = init


def _on_our_port(kind: Any) -> None:
    start = kind.start
    kind.start = lambda self, *_, **__: start(self, PORT)


for client in (BaseClient, AsyncBaseClient):
    _at_the_workspace(client)
for app in (App, AsyncApp):
    _on_our_port(app)
run_app = web.run_app
web.run_app = lambda app, **_: run_app(app, host="127.0.0.1", port=PORT)
runpy.run_path(sys.argv[1], run_name="__main__")
