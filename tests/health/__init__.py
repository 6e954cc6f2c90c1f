"""Tests of health checks, incidents and runbooks."""
