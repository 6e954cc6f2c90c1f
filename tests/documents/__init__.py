"""The documents: every link leads somewhere, every path is there, every command line works."""
