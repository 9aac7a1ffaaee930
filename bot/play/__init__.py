"""The shell: carries out what `bot.game` decides. One manager an account, one runner a game."""
