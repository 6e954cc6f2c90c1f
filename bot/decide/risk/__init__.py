"""Rules that find risky advice in a draft."""
