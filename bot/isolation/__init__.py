"""Isolation boundary by the operating system: programs start in `bwrap` where it is installed, with only their grants.

A search, a git or an MCP server is started with `Boundary.arguments`: with a private view of the disk and of processes,
without a network unless granted, and with only the variables that its caller names. `security.isolation` decides if the
bot runs without a boundary. The rules are in `grant`, this machine's mounts in `machine`, the folders of a repository
in `repository`, the files of an MCP server in `program`.
"""

from bot.isolation.grant import Grant
from bot.isolation.in_force import Boundary, Mode, NotIsolated, boundary, configure

__all__ = ["Boundary", "Grant", "Mode", "NotIsolated", "boundary", "configure"]
