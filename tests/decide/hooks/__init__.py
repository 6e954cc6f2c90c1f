"""Tests of the decisions of hooks."""
