"""Edges: messages in, use cases, messages out."""
