"""One driver per module."""
