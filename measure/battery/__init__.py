"""Battery of behaviours and faults of a scripted model server: `python -m measure.battery`."""
