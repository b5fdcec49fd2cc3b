"""Bots to play against, and to learn from. They are functions of the view."""
