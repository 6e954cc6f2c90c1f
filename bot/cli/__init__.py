"""The `triage` command line, a module per subject."""
