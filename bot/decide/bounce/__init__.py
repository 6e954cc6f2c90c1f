"""Bounces: the correction that an operator's words ask of the next search."""
