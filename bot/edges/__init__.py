"""The outside, each foreign library in one module."""
