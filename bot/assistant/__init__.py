"""What people ask of the bot itself: its commands."""
