"""A referee for Gin Rummy matches between programs."""

__version__ = "0.1.0"
