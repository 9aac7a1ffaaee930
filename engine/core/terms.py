"""The vocabulary of the classical evaluation: which weight means what.

A term is a run of weights; `OFFSET[name]` is the first of them. Every weight has a middle-game and an
end-game value. The evaluation adds weight * count for White and subtracts it for Black, so the whole is
linear in the weights and can be tuned by logistic regression over the counts that `evaluate.trace` writes.
"""

from typing import NamedTuple


class Term(NamedTuple):
    name: str
    size: int
    meaning: str  # what the index within the run stands for


TERMS = (
    Term("material", 5, "pawn to queen"),
    Term("squares", 384, "piece * 64 + square seen from its own side"),
    Term("knight mobility", 9, "safe squares"),
    Term("bishop mobility", 14, "safe squares"),
    Term("rook mobility", 15, "safe squares"),
    Term("queen mobility", 28, "safe squares"),
    Term("bishop pair", 1, ""),
    Term("doubled pawn", 1, ""),
    Term("isolated pawn", 2, "closed or half-open file"),
    Term("backward pawn", 2, "closed or half-open file"),
    Term("phalanx", 8, "rank"),
    Term("supported pawn", 8, "rank"),
    Term("passed pawn", 8, "rank"),
    Term("passed, square ahead taken", 8, "rank"),
    Term("passed, road safe", 8, "rank"),
    Term("passed, own king's distance", 8, "distance of the square ahead, rank 4 and further"),
    Term("passed, their king's distance", 8, "distance of the square ahead, rank 4 and further"),
    Term("rook on a file", 2, "half-open, open"),
    Term("rook behind passed pawn", 1, ""),
    Term("outpost", 2, "knight, bishop"),
    Term("minor behind pawn", 1, ""),
    Term("bishop and pawns of its colour", 9, "pawns"),
    Term("shelter", 32, "file from the edge * 8 + rank of our rearmost pawn, 0 none"),
    Term("storm", 32, "file from the edge * 8 + rank of their foremost pawn, 0 none"),
    Term("king danger", 64, "units of attack"),
    Term("king ring attacked", 4, "by knight, bishop, rook, queen"),
    Term("threat by pawn", 6, "victim"),
    Term("threat by minor", 6, "victim"),
    Term("threat by rook", 6, "victim"),
    Term("threat by king", 1, ""),
    Term("hanging", 1, "attacked and not defended"),
    Term("pawn push threat", 1, ""),
    Term("space", 1, "safe squares behind our centre pawns"),
    Term("tempo", 1, ""),
)

OFFSET: dict[str, int] = {}
SIZE = 0
for _term in TERMS:
    OFFSET[_term.name] = SIZE
    SIZE += _term.size
