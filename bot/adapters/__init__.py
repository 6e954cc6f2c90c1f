"""Adapters: the outside, one foreign library in each module."""
