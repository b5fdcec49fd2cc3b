"""Tests that look at pages; they share one referee and one browser."""
