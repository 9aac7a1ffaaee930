"""PyTorch's part in training: it owns the parameters, the optimiser and the checkpoint.

The net itself is one function to PyTorch, `_Loss`: value and gradient come from the kernels of
`engine.lab.perceptron`, which see a batch once and are some ten times as fast as `embedding_bag`.
"""

import contextlib
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import torch

from engine.lab.aim import Aim
from engine.lab.games import Positions
from engine.lab.perceptron import Buckets, Crew, Indexes, Weights
from engine.lab.shape import FEATURES, OUT_LIMIT, ROW_LIMIT, Shape


class Batch(NamedTuple):
    positions: Positions
    order: Indexes
    king_bucket: Buckets
    aim: Aim
    crew: Crew


class _Loss(torch.autograd.Function):  # type: ignore[misc]  # PyTorch has no types here
    """Mean loss over a batch. The gradient is found on the way and only scaled in `backward`."""

    @staticmethod
    def forward(context: Any, rows: Any, bias: Any, out_weight: Any, out_bias: Any, batch: Batch) -> Any:
        weights = Weights(*(part.detach().numpy() for part in (rows, bias, out_weight, out_bias)))
        positions, order, king_bucket, aim, crew = batch
        total, context.gradient = crew.gradient(positions, order, king_bucket, aim, weights)
        context.count = len(order)
        return rows.new_tensor(total / len(order))

    @staticmethod
    def backward(context: Any, outer: Any) -> Any:
        scale = float(outer) / context.count
        return (*(torch.from_numpy(part) * scale for part in context.gradient), None)


class Network(torch.nn.Module):  # type: ignore[misc]  # as above
    """The parameters. With king buckets every bucket learns what it adds to rows that all share: a bucket
    that is seldom seen is then no worse than no bucket.
    """

    def __init__(self, shape: Shape, seed: int) -> None:
        super().__init__()
        random = torch.Generator().manual_seed(seed)
        kings, hidden, outputs = shape.king_buckets, shape.hidden, shape.outputs

        def uniform(limit: float, *size: int) -> Any:
            return torch.nn.Parameter((torch.rand(size, generator=random) * 2 - 1) * limit)

        self.shared = uniform(0.1, FEATURES, hidden)
        self.special = torch.nn.Parameter(torch.zeros(kings, FEATURES, hidden)) if kings > 1 else None
        self.bias = torch.nn.Parameter(torch.full((hidden,), 0.25))
        # All output buckets begin alike
        self.out_weight = torch.nn.Parameter(uniform(hidden**-0.5, 1, 2 * hidden).repeat(outputs, 1).detach())
        self.out_bias = torch.nn.Parameter(torch.zeros(outputs))

    def merged(self) -> tuple[Any, Any, Any, Any]:
        """The net's parameters as the kernels take them."""
        rows = self.shared if self.special is None else (self.special + self.shared).flatten(0, 1)
        return rows, self.bias, self.out_weight, self.out_bias

    def weights(self) -> Weights:
        with torch.no_grad():
            return Weights(*(part.detach().numpy() for part in self.merged()))

    def loss(self, batch: Batch) -> Any:
        return _Loss.apply(*self.merged(), batch)

    @torch.no_grad()  # type: ignore[untyped-decorator]
    def clip(self) -> None:
        """Keep every number where it can be quantised."""
        limit = ROW_LIMIT if self.special is None else ROW_LIMIT / 2
        self.shared.clamp_(-limit, limit)
        if self.special is not None:
            self.special.clamp_(-limit, limit)
        self.bias.clamp_(-ROW_LIMIT, ROW_LIMIT)
        self.out_weight.clamp_(-OUT_LIMIT, OUT_LIMIT)


class Schedule(NamedTuple):
    rate: float
    steps: int
    warm_up: int  # steps from nothing to the full rate
    last: float = 0.005  # share of the rate at the end of the cosine

    def at(self, step: int) -> float:
        if step < self.warm_up:
            return self.rate * (step + 1) / self.warm_up
        turn = (step - self.warm_up) / max(1, self.steps - self.warm_up)
        return self.rate * (self.last + (1 - self.last) * (1 + math.cos(math.pi * turn)) / 2)


class Learner:
    """A network under way: after `step` number s it has seen s + 1 batches, and no more need be known."""

    def __init__(self, shape: Shape, schedule: Schedule, decay: float, seed: int) -> None:
        self.network = Network(shape, seed)
        self.schedule = schedule
        self.optimiser = torch.optim.AdamW(self.network.parameters(), weight_decay=decay, fused=True)
        torch.set_num_threads(1)  # its threads would spin beside the kernels'

    def step(self, number: int, batch: Batch) -> float:
        """Learn from a batch; return its mean loss before."""
        for group in self.optimiser.param_groups:
            group["lr"] = self.schedule.at(number)
        self.optimiser.zero_grad()
        loss = self.network.loss(batch)
        loss.backward()
        self.optimiser.step()
        self.network.clip()
        return float(loss.detach())

    def save(self, path: Path, progress: dict[str, Any]) -> None:
        """Whole or not at all, whatever happens meanwhile."""
        state = {
            "network": self.network.state_dict(),
            "optimiser": self.optimiser.state_dict(),
            "progress": progress,
        }
        part = path.with_suffix(".part")
        torch.save(state, part)
        part.replace(path)

    def load(self, path: Path) -> dict[str, Any]:
        """Take up a saved state; return its progress. ValueError when it is none of this shape."""
        state = _state(path)
        with _named(path):
            self.network.load_state_dict(state["network"])
            self.optimiser.load_state_dict(state["optimiser"])
            progress: dict[str, Any] = state["progress"]
        return progress


def read_weights(path: Path, shape: Shape) -> Weights:
    """The net of a checkpoint; ValueError when it is none of this shape."""
    network, state = Network(shape, 0), _state(path)
    with _named(path):
        network.load_state_dict(state["network"])
    return network.weights()


def _state(path: Path) -> Any:
    with _named(path):
        return torch.load(path, weights_only=True)


@contextlib.contextmanager
def _named(path: Path) -> Iterator[None]:
    """What PyTorch has to say against a file, as ValueError with the file's name."""
    try:
        yield
    except Exception as error:
        reason = str(error).strip().partition("\n")[0]
        raise ValueError(f"{path}: not a checkpoint of this run: {reason}") from error
