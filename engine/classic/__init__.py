"""The textbook, over python-chess boards, so that it plays every variant of Lichess; each file one idea more.

`minimax` looks at everything; `alphabeta` at less, with the same answer; `quiescence` sees exchanges through;
`deepening` adds a table, an order and a clock. Slow and plain, it is the twin that checks the fast engine.
"""
