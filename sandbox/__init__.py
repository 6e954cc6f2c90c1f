"""A local Slack workspace: Web API, Socket Mode, people and a page, on one loopback port.

It is independent of any app: apps use it like Slack. `server` builds and runs it.
"""
