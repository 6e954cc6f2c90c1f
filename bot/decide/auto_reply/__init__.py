"""Automatic replies: the evidence that earns them, and the conditions of each one."""
