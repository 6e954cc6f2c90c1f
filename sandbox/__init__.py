"""A local Slack workspace: Web API, Socket Mode, people and a page, on one loopback port.

It stands apart: it knows nothing of any app, and apps speak to it as they speak to Slack. `server` builds and runs it.
"""
