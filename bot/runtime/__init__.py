"""What a program that runs for months needs of its machine: processes for work that would hold up the event loop."""
