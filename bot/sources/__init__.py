"""Where moves come from before an engine is asked: books and endgame tables."""
