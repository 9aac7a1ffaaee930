"""What the page offers is what the engine offers."""

from bot.demo.guests import ELO_MAX, ELO_MIN
from engine import strength


def test_the_page_and_the_engine_agree_on_the_range() -> None:
    assert (ELO_MIN, ELO_MAX) == (strength.ELO_MIN, strength.ELO_MAX)
