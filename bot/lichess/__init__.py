"""The door to Lichess: one async gateway over berserk. Only `wire` knows a Lichess JSON key."""
