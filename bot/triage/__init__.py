"""Work on threads: queues, effects, checks, delivery."""
