"""Messages and stubs of the API, generated from proto/ginref/v1."""
