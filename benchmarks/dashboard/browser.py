"""How Chromium is started where nobody looks, for figures and for tests."""

CHROMIUM_ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
"""Alone: what it would fetch or update by itself is not to be timed, nor to reach the network."""
