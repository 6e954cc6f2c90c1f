"""What an agent may do: read-only, confined to a project's root."""
