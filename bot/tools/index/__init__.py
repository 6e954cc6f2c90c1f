"""Search index of a project: word stems by passage, stored by file content, and definitions."""
