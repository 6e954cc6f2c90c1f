"""Adapters: implementations of the ports, one foreign library in each module."""
