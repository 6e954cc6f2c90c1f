"""`python -m sandbox`: a local Slack workspace on its own."""

import argparse
import asyncio
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from sandbox.manifest import UnreadableManifest
from sandbox.record import UnreadableRecord
from sandbox.server import PortTaken, Sandbox


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m sandbox",
        description="A local Slack workspace for developing and trying out Slack apps. It listens on 127.0.0.1 only.",
    )
    parser.add_argument("--port", type=int, default=8765, help="port to listen on, 0 for any free one (default: 8765)")
    parser.add_argument("--data", type=Path, metavar="FILE", help="keep the messages in this file across restarts")
    parser.add_argument(
        "--manifest", type=Path, metavar="FILE", help="apply this app manifest: scopes, events, commands"
    )
    parser.add_argument("--shared", action="store_true", help="Slack Connect: a second company, and a shared channel")
    parser.add_argument("--grid", action="store_true", help="Enterprise Grid: a second workspace, and a shared channel")
    parser.add_argument("--rate-limits", action="store_true", help="refuse calls beyond the tier of their method")
    parser.add_argument("--events-url", metavar="URL", help="HTTP mode: POST events to this address on this machine")
    parser.add_argument(
        "--signing-secret-env", metavar="NAME", help="environment variable with the signing secret of HTTP mode"
    )
    chosen = parser.parse_args(arguments)
    try:
        asyncio.run(_run(chosen))
    except (PortTaken, UnreadableRecord, UnreadableManifest, ValueError, OSError, OverflowError) as error:
        print(f"sandbox: {error}", file=sys.stderr)  # noqa: T201  # a command's own output
        return 2
    return 0


async def _run(chosen: argparse.Namespace) -> None:
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stopped.set)
    workspace = await Sandbox.start(
        port=chosen.port,
        data=chosen.data,
        manifest=chosen.manifest,
        rate_limits=chosen.rate_limits,
        shared=chosen.shared,
        grid=chosen.grid,
        events_url=chosen.events_url,
        signing_secret=os.environ.get(chosen.signing_secret_env or "", ""),
    )
    print(f"page: {workspace.url}/", flush=True)  # noqa: T201  # a command's own output
    print(f"api:  {workspace.api_url}", flush=True)  # noqa: T201  # a command's own output
    await stopped.wait()
    await workspace.close()


if __name__ == "__main__":
    sys.exit(main())
