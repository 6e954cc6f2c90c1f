"""The chat agent and the App Home."""
