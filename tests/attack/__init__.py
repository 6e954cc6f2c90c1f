"""The attacks of `make attack` in short."""
