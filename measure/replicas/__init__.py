"""Measurements of replicas on PostgreSQL: kills of every kind (`make torture ARGS=--storage=postgresql`)."""
