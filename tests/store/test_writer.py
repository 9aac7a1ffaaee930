"""Writing behind our back: in order, in batches, again where it failed."""

import asyncio

from bot.game.facts import ChallengeGone, Fact, Trouble
from bot.game.nouns import ChallengeId
from bot.store.writer import Writer
from tests.store.telling import run


def fact(number: int) -> ChallengeGone:
    return ChallengeGone(ChallengeId(str(number)), "gone", number)


class Paper:
    """Where a writer writes; refuses as often as it is told to."""

    def __init__(self, refusals: int = 0) -> None:
        self.refusals, self.saves = refusals, 0
        self.saving = asyncio.Event()
        self.held: list[int] = []
        self.written: list[int] = []
        self.troubles: list[str] = []
        self.writer = Writer("paper", self.fold, self.save, self.complain, pause_s=0.0, retry_s=0.01)

    def fold(self, fact: Fact) -> None:
        if fact.when_ms < 0 and isinstance(fact, ChallengeGone):
            raise ValueError("no such time")
        assert isinstance(fact, ChallengeGone)
        self.held.append(fact.when_ms)

    async def save(self) -> None:
        self.saves += 1
        self.saving.set()
        await asyncio.sleep(0)
        if self.refusals:
            self.refusals -= 1
            raise OSError("the paper is wet\nvery")
        self.written += self.held
        self.held.clear()

    def complain(self, fact: Fact) -> None:
        assert isinstance(fact, Trouble)
        self.troubles.append(f"{fact.what}: {fact.detail}")


def told(paper: Paper, *numbers: int) -> Paper:
    async def story() -> None:
        paper.writer.start()
        for number in numbers:
            paper.writer.tell(fact(number))
        await paper.writer.close(30.0)

    run(story())
    return paper


def test_everything_is_written_in_order_and_in_few_batches() -> None:
    paper = told(Paper(), *range(500))
    assert paper.written == list(range(500))
    assert paper.saves < 5


def test_a_failure_is_told_once_and_tried_again() -> None:
    paper = told(Paper(refusals=4), 1, 2, 3)
    assert paper.written == [1, 2, 3]
    assert paper.troubles == ["paper_failed: the paper is wet; what is unwritten is kept and tried again"]


def test_a_bad_fact_costs_no_other() -> None:
    paper = told(Paper(), 1, -1, 2)
    assert paper.written == [1, 2]
    assert paper.troubles == ["paper_fact_refused: ChallengeGone: ValueError: no such time"]


def test_settling_waits_for_a_save_that_is_under_way() -> None:
    async def story() -> None:
        paper = Paper()
        paper.writer.start()
        paper.writer.tell(fact(1))
        await paper.saving.wait()
        assert not paper.written
        await paper.writer.settle()
        assert paper.written == [1]
        await paper.writer.close(1.0)

    run(story())


def test_nothing_told_is_settled_at_once() -> None:
    assert told(Paper()).saves == 0


def test_leaving_does_not_wait_for_ever() -> None:
    async def story() -> list[str]:
        paper = Paper(refusals=10**9)
        paper.writer.start()
        paper.writer.tell(fact(1))
        await paper.writer.close(0.05)
        return paper.troubles

    assert run(story())[-1].startswith("paper_lost")


def test_a_second_outage_is_told_again() -> None:
    async def story() -> Paper:
        paper = Paper(refusals=1)
        paper.writer.start()
        paper.writer.tell(fact(1))
        await paper.writer.settle()
        paper.refusals = 1
        paper.writer.tell(fact(2))
        await paper.writer.close(30.0)
        return paper

    paper = run(story())
    assert paper.written == [1, 2]
    assert len(paper.troubles) == 2
