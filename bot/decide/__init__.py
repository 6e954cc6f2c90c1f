"""Pure decisions: no await, no I/O, no clock."""
