"""Decides and never does: no I/O, no clock, no logger, no dice in this room."""
