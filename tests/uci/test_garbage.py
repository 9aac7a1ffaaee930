"""Nothing a GUI sends ends the conversation."""

from typing import TYPE_CHECKING

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.uci.conftest import Inside

VOCABULARY = """
uci isready ucinewgame position startpos fen moves go stop ponderhit setoption name value d eval debug
register depth nodes movetime mate infinite ponder searchmoves perft wtime btime winc binc movestogo
Hash MultiPV true e2e4 e1e8 0000 -1 0 1 99999999999999999999 8/8/8/8/8/8/8/8 4k3/8/8/8/8/8/8/4K2R w b - KQkq
"""
WORDS = VOCABULARY.split()
SENSE = st.lists(st.sampled_from(WORDS), max_size=8).map(lambda words: " ".join(words).encode())
NONSENSE = st.binary(max_size=60).map(lambda raw: raw.replace(b"\n", b" "))


def says_quit(line: bytes) -> bool:
    return line.decode("utf-8", "replace").lstrip("\ufeff").split()[:1] == ["quit"]


@settings(deadline=None, max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(lines=st.lists((SENSE | NONSENSE).filter(lambda line: not says_quit(line)), max_size=12))
def test_after_any_lines_the_engine_is_still_ready(
    inside: "Callable[..., Inside]", lines: list[bytes]
) -> None:
    talk = inside()
    talk.say(*lines, "stop", "isready")
    asked = sum(line.split()[:1] == [b"isready"] for line in lines) + 1
    for _ in range(asked):
        talk.until("readyok")
    talk.close()
    assert talk.exit_code() == 0
