"""Tests of hooks: their scheduler, their runs, and the events that begin them."""
