"""Hypothesis without a clock and without chance, so that a run says the same everywhere."""

from hypothesis import settings

settings.register_profile("steady", deadline=None, derandomize=True)
settings.load_profile("steady")
