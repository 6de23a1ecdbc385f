"""What must be in place for a run, each looked at by itself: the parts of `check`."""
