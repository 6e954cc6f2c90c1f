"""Agents: engines that draft answers, and code that checks their references."""
