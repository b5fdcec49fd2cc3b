"""Use cases of the referee, in terms of ports."""
