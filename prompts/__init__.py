"""Prompts and texts of Triage: `*.md` templates beside this file, and one strict `render`."""
