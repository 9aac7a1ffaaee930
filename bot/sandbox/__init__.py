"""The local Lichess: a server that speaks the Bot API, for trying a bot without a token or a network."""
