"""Views over the tables for people: what is wrong, why, and what to do about it."""
