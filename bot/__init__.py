"""The service: what plays on Lichess, and the command line `krait`."""
