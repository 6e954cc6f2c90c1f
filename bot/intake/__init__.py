"""From a Slack event to a thread: duplicates, classification, replay."""
