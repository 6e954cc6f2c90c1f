"""Tests of the checks of services, against real servers on loopback."""
