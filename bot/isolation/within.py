"""Start of a program inside a boundary without a network: offers the relay's socket as a proxy, then becomes the
program.

`python within.py SOCKET PROGRAM [ARGUMENT …]`. It imports only the standard library.
"""

from __future__ import annotations

import os
import socket
import sys
import threading

PROXIES = ("HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY", "https_proxy", "http_proxy", "all_proxy")
_PIECE = 65_536


def main() -> None:
    """Listen, serve in a child process, and replace this process by the program."""
    relay, *command = sys.argv[1:]
    listener = socket.create_server(("127.0.0.1", 0))
    if os.fork() == 0:
        if os.fork() == 0:  # adopted by the boundary's first process
            _serve(listener, relay)
        os._exit(0)
    os.wait()
    proxy = f"http://127.0.0.1:{listener.getsockname()[1]}"
    listener.close()
    os.execve(command[0], command, {**os.environ, **dict.fromkeys(PROXIES, proxy), "NODE_USE_ENV_PROXY": "1"})  # noqa: S606  # no shell is wanted


def _serve(listener: socket.socket, relay: str) -> None:
    nothing = os.open(os.devnull, os.O_RDWR)
    for handle in range(3):  # do not hold the program's output open
        os.dup2(nothing, handle)
    while True:
        inner, _ = listener.accept()
        outer = socket.socket(socket.AF_UNIX)
        try:
            outer.connect(relay)
        except OSError:
            inner.close()
            continue
        for source, target in ((inner, outer), (outer, inner)):
            threading.Thread(target=_pump, args=(source, target), daemon=True).start()


def _pump(source: socket.socket, target: socket.socket) -> None:
    try:
        while piece := source.recv(_PIECE):
            target.sendall(piece)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        for end in (source, target):
            end.close()


if __name__ == "__main__":
    main()
