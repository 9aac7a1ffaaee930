"""What a person sees of a tuning run: the table of numbers, lines for `engine/params.py`, a picture."""

from collections.abc import Sequence
from pathlib import Path

from engine.lab.spsa import Knob
from engine.lab.tune_state import Run
from engine.params import NEVER, Param

COLUMNS = 6
PANEL_INCHES = 2.4, 1.6
MARGIN_STEPS = 2


def table(run: Run) -> str:
    """Name, shipped and present value, and how far it has come in steps, with its range."""
    values, steps = run.walk.values(), run.walk.steps()
    width = max(len(knob.name) for knob in run.walk.knobs)
    rows = [f"{'name':{width}}  shipped     now   change   steps      range"]
    for knob in run.walk.knobs:
        now = values[knob.name]
        change = f"{now - knob.start:+d}" if now != knob.start else "·"
        limits = f"{knob.low} to {knob.high}"
        edge = "  at its end" if now in {knob.low, knob.high} and now != knob.start else ""
        rows.append(
            f"{knob.name:{width}}  {knob.start:7d} {now:7d} {change:>8} {steps[knob.name]:+7.2f}"
            f"  {limits:>13}{edge}"
        )
    return "\n".join(rows)


def paste(values: dict[str, int], params: Sequence[Param]) -> str:
    """Lines of `engine/params.py` with these values in place of the old ones."""
    lines = []
    for param in params:
        if param.name in values:
            plain = "NEVER" if param.plain == NEVER else f"{param.plain:_}"
            numbers = ", ".join(f"{number:_}" for number in (values[param.name], param.low, param.high))
            lines.append(f'    Param("{param.name}", {numbers}, {plain}),')
    return "\n".join(lines)


def headline(run: Run) -> str:
    walk = run.walk
    settings = ", ".join(f"{name} {value}" for name, value in run.settings.items())
    return f"{walk.done} iterations, {run.games} games, seed {walk.seed}; {settings}"


def summary(run: Run, params: Sequence[Param]) -> str:
    lines = paste(run.walk.values(), params)
    return f"{headline(run)}\n\n{table(run)}\n\nFor engine/params.py:\n\n{lines}"


def _view(knob: Knob, seen: list[float]) -> tuple[float, float]:
    """What of the range to show: where the number has been and some steps around, so that a move is seen."""
    low = max(min(seen) - MARGIN_STEPS * knob.step, knob.low)
    return low, min(max(seen) + MARGIN_STEPS * knob.step, knob.high)


def draw(path: Path, run: Run) -> None:
    """The way of each number, iteration by iteration; grey is where it was shipped."""
    from matplotlib.figure import Figure

    knobs = run.walk.knobs
    columns = min(COLUMNS, len(knobs))
    rows = -(-len(knobs) // columns)
    figure = Figure(figsize=(PANEL_INCHES[0] * columns, PANEL_INCHES[1] * rows), layout="constrained")
    panels = figure.subplots(rows, columns, squeeze=False, sharex=True).ravel()
    points = [*run.path, (run.walk.done, run.walk.theta.tolist())]
    done = [point[0] for point in points]
    for index, (knob, panel) in enumerate(zip(knobs, panels, strict=False)):
        panel.axhline(knob.start, color="0.7", linewidth=0.8)
        panel.plot(done, [theta[index] for _, theta in points], linewidth=1.0)
        panel.set_title(knob.name, fontsize=7)
        panel.set_ylim(*_view(knob, [theta[index] for _, theta in points]))
        panel.tick_params(labelsize=6)
    for panel in panels[len(knobs) :]:
        panel.set_visible(False)
    figure.savefig(path, dpi=150)
