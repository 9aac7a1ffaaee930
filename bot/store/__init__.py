"""The database: a row for every game and every move, and the PGN beside it."""
