"""Configuration: settings, environment, roles and projects, read once at the start."""
