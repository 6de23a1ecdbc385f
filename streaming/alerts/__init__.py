"""Alerts: rules held against each group inside the micro-batch, delivered by the driver."""
