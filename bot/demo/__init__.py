"""A local Lichess with the service on it: games by themselves (`auto`), or a page to play on (`parlour`)."""
