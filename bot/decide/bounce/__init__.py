"""Bounces: the correction that an operator's feedback asks of the next draft."""
