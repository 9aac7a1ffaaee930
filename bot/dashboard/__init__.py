"""The window: pages that show what the service does, and their static files."""
