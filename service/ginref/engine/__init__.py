"""The rules of Gin Rummy and Hollywood Gin: pure values and functions."""
