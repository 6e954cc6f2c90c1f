"""Measurements of what the documents claim, and training; `make bench`, `make attack` and `make train` run them."""
