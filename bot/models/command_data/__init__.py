"""Data of commands' answers: one module per subject, printed by `triage command NAME --json`.

Names of fields are an interface for programs: numbers are numbers, times are `UtcTime`, people, channels and tasks are
ids, texts are plain (`bot.models.plain_lines`), and a list is complete or says how many it leaves out.
"""
