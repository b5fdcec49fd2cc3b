"""Tournaments of matches: pure functions of a configuration and an event log."""
