"""The work on a thread: queue, effects, approval, delivery."""
