"""The player: a UCI chess engine in Python, compiled by Numba. It knows nothing of the bot.

Importing this package loads nothing else: `krait-engine` greets its GUI before Numba is even imported.
"""
