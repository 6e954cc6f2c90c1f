"""The words that Triage writes and asks with: `*.md` templates beside this file, and one strict `render`."""
