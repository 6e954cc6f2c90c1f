"""Tools of agents: read-only, confined to a project's root."""
