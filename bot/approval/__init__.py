"""Approval: operators' decisions on cards, corrections, and readers' feedback on replies."""
