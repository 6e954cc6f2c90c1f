"""Escalation: processes of tiers 2 and 3, their folders, and the supervisor that starts and watches them."""
