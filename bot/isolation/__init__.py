"""The boundary by the operating system: programs start in `bwrap` where it is installed, with what they were granted.

A search, a git or an MCP server is started with `Boundary.arguments`: its own view of the disk, its own processes, no
network unless it was granted, no variable but those that its caller names. `security.isolation` decides whether a bot
runs without. The rules are in `grant`, what this machine has in `machine`, the folders of a repository in
`repository`, the files of an MCP server in `program`.
"""

from bot.isolation.grant import Grant
from bot.isolation.in_force import Boundary, Mode, NotIsolated, boundary, settle

__all__ = ["Boundary", "Grant", "Mode", "NotIsolated", "boundary", "settle"]
