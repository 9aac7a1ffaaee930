"""A game in the terminal: what a typed line means, how a board looks, and whose turn it is."""
