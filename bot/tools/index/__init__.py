"""The search index of a project: stems of its files by passage, kept on disk by content, and its definitions."""
