"""The match record: what happened, how it folds, how it is signed and verified."""
