"""Created tasks: their threads, the agents whose slots they run in, and the scheduler that starts them."""
