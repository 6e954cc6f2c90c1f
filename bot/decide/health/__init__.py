"""Decisions on health: states of services after a result, outages, incidents, and their recovery."""
