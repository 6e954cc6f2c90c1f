"""The commands, by subject: a catalogue, one handler for every way in, and what each command does."""
