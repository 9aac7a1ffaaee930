"""The picture of a training run."""

from pathlib import Path


def draw(path: Path, history: list[dict[str, float]]) -> None:
    """Loss in training and validation, and the learning rate, by epoch; nothing without an epoch."""
    if not history:
        return
    from matplotlib.figure import Figure

    epochs = [row["epoch"] for row in history]
    figure = Figure(figsize=(8, 5), layout="constrained")
    losses = figure.subplots()
    for name in ("training", "validation"):
        losses.plot(epochs, [row[name] for row in history], marker=".", label=name)
    losses.set(xlabel="epoch", ylabel="loss")
    losses.grid(alpha=0.3)
    rates = losses.twinx()
    rates.plot(epochs, [row["rate"] for row in history], color="grey", linestyle=":", label="rate")
    rates.set(ylabel="rate", ylim=(0, None))
    handles, labels = losses.get_legend_handles_labels()
    more, others = rates.get_legend_handles_labels()
    losses.legend(handles + more, labels + others, loc="upper right")
    figure.savefig(path, dpi=120)
