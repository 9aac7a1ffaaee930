"""The node signature: the checksum of how the engine plays."""

from engine import bench


def test_the_node_signature_is_the_recorded_one() -> None:
    """Another number means that play has changed: it goes in only with a measured match (CONTRIBUTING.md)."""
    assert bench.run().nodes == bench.SIGNATURE


def test_every_position_is_reported_on_the_way() -> None:
    heard: list[tuple[int, int, int]] = []
    result = bench.run(lambda *told: heard.append(told), depth=1)
    assert [number for number, _, _ in heard] == list(range(1, len(bench.POSITIONS) + 1))
    assert heard[-1] == (len(bench.POSITIONS), len(bench.POSITIONS), result.nodes)
