"""Tests of declared commands and of projects' checks."""
