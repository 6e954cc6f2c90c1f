"""Ports: protocols between decisions and the outside."""
