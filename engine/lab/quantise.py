"""`krait lab quantise`: a trained net as the whole numbers the engine plays with.

Accumulators are in units of 1/511, output weights of 1/256. That no sum of any legal position leaves its 16
or 32 bits is proven from the weights (`engine.net.check`), and the numbers are shown.
"""

import json
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from rich.console import Console

from engine import net
from engine.core.layout import QA, QB, SQUARE
from engine.lab import runfolder, train
from engine.lab.aim import Floats, mean_loss
from engine.lab.games import Positions
from engine.lab.perceptron import Crew, Weights
from engine.lab.runfolder import Options
from engine.lab.shape import FEATURES, Shape
from engine.net import Net

CENTIPAWNS = 235  # the search's, to the net's unit, one of log-odds; what people are shown: engine/meaning.py
REPORT = "quantised.json"


def rounded(weights: Weights, shape: Shape) -> Net:
    """The nearest net in whole numbers; ValueError when a number is too large for its place."""

    def whole(name: str, unit: int, kind: type[np.signedinteger[Any]]) -> Any:
        part: Floats = getattr(weights, name)
        numbers = np.rint(part.astype(np.float64) * unit)
        if not np.isfinite(numbers).all() or np.abs(numbers).max() > np.iinfo(kind).max:
            raise ValueError(
                f"{name}: a weight of {np.abs(part).max():g} is not to be written in {kind.__name__}"
            )
        return numbers.astype(kind)

    return Net(
        shape.king_table(),
        whole("rows", QA, np.int16).reshape(shape.king_buckets, FEATURES, shape.hidden),
        whole("bias", QA, np.int16),
        whole("out_weight", QB, np.int16),
        whole("out_bias", SQUARE * QB, np.int32),
        CENTIPAWNS,
    )


def as_floats(whole: Net) -> Weights:
    """What the whole numbers stand for."""
    return Weights(
        (whole.rows.reshape(-1, whole.rows.shape[2]) / QA).astype(np.float32),
        (whole.bias / QA).astype(np.float32),
        (whole.out_weight / QB).astype(np.float32),
        (whole.out_bias / (SQUARE * QB)).astype(np.float32),
    )


def arithmetic(whole: Net) -> list[str]:
    """The proof that nothing overflows, in numbers."""
    accumulator, neuron = net.worst_sum(whole)
    output, bucket = net.worst_output(whole)
    total = output // SQUARE
    return [
        f"accumulator  |bias| + 16 worst squares of each colour, neuron {neuron}: {accumulator:,} <= 32,767",
        f"activation   ({QA} << 6)^2 >> 16 = {SQUARE:,} <= 32,767",
        f"output       {SQUARE:,} * {total:,}, the sum of |weights| of bucket {bucket}: {output:,} < 2^31",
    ]


class Difference(NamedTuple):
    """Between the float net and the whole one, on some positions."""

    mean_cp: float
    root_mean_square_cp: float
    max_cp: float
    float_loss: float
    whole_loss: float

    def describe(self) -> str:
        return (
            f"loss {self.float_loss:.6f}, in whole numbers {self.whole_loss:.6f}; difference mean"
            f" {self.mean_cp:.2f} cp, root mean square {self.root_mean_square_cp:.2f}, most {self.max_cp:.1f}"
        )


def compare(trained: Weights, whole: Net, positions: Positions, options: Options) -> Difference:
    """Both by the same kernels, in floats: what the engine drops after the point is below a centipawn."""
    crew = Crew(trained, options.threads)
    kings = options.shape.king_table()
    exact, coarse = (crew.predict(positions, kings, weights) for weights in (trained, as_floats(whole)))
    errors = np.abs(exact.astype(np.float64) - coarse) * CENTIPAWNS
    losses = (mean_loss(outputs, positions, options.aim) for outputs in (exact, coarse))
    return Difference(float(errors.mean()), float(np.sqrt((errors**2).mean())), float(errors.max()), *losses)


def run(path: Path, out: Path, console: Console) -> dict[str, Difference]:
    """The whole command. `path` is a run folder or a checkpoint in one; ValueError with the reason when it
    cannot be done, and then nothing is written.
    """
    from engine.lab.learner import read_weights

    def say(text: str) -> None:
        console.print(text, markup=False, highlight=False, soft_wrap=True)

    folder = path if path.is_dir() else path.parent
    options = runfolder.read(folder)
    trained = read_weights(folder / runfolder.CHECKPOINT if path.is_dir() else path, options.shape)
    whole = rounded(trained, options.shape)
    say("\n".join(arithmetic(whole)))
    net.check(whole, str(path))
    data = train.gather(options)
    found = {name: compare(trained, whole, getattr(data, name), options) for name in ("validation", "test")}
    say("\n".join(f"{name:10}   {each.describe()}" for name, each in found.items()))
    digest = net.save(out, whole)
    say(f"written      {out}: {whole.describe()}, {out.stat().st_size:,} bytes, sha256 {digest}")
    report = {"net": whole.describe(), "sha256": digest} | {
        name: each._asdict() for name, each in found.items()
    }
    (folder / REPORT).write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
    return found
