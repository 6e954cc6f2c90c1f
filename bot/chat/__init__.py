"""Chat agent and App Home."""
