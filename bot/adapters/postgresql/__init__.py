"""State in PostgreSQL, shared by several replicas; needs the extra `postgresql`."""
