"""Every number of the search, with the range a tuner may try.

One table makes the record that kernels read (`record`), the tuner's search space and the textbook setting
(`plain`) in which the search is pure alpha-beta with quiescence and must agree with `engine.classic`.
"""

import math
from typing import NamedTuple

import numpy as np

from engine.core.jit import Record

LMR_SIZE = 64
NEVER = 1_000  # as a least depth: switched off


class Param(NamedTuple):
    name: str
    value: int
    low: int
    high: int
    plain: int  # the value that switches the feature off


PARAMS = (
    # Cuts before any move is tried
    Param("tt_cutoffs", 1, 0, 1, 0),
    Param("razor_depth", 3, 0, 6, 0),
    Param("razor_base", 180, 50, 500, 0),
    Param("razor_slope", 200, 50, 500, 0),
    Param("rfp_depth", 8, 0, 12, 0),
    Param("rfp_margin", 75, 30, 150, 0),
    Param("rfp_improving", 60, 0, 150, 0),
    Param("nmp_depth", 3, 1, 8, NEVER),
    Param("nmp_base", 4, 2, 6, 0),
    Param("nmp_divisor", 4, 2, 8, 1),
    Param("nmp_eval_divisor", 200, 80, 400, 1),
    Param("nmp_verify_depth", 14, 8, 20, NEVER),
    Param("probcut_depth", 5, 3, 9, NEVER),
    Param("probcut_margin", 180, 80, 350, 0),
    Param("iir_depth", 4, 2, 8, NEVER),
    # Extensions
    Param("singular_depth", 7, 4, 10, NEVER),
    Param("singular_margin", 16, 4, 40, 0),
    Param("double_margin", 18, 0, 60, 0),
    Param("double_limit", 6, 0, 12, 0),
    # Cuts of single moves
    Param("lmp_depth", 9, 0, 14, 0),
    Param("lmp_base", 3, 1, 8, 0),
    Param("futility_depth", 8, 0, 12, 0),
    Param("futility_base", 90, 20, 250, 0),
    Param("futility_slope", 85, 30, 180, 0),
    Param("history_depth", 5, 0, 8, 0),
    Param("history_margin", 4_000, 1_000, 9_000, 0),
    Param("see_depth", 9, 0, 12, 0),
    Param("see_quiet", 25, 5, 80, 0),
    Param("see_noisy", 95, 30, 200, 0),
    # Late-move reductions, in 1024ths of a ply
    Param("lmr_least_depth", 2, 1, 5, NEVER),
    Param("lmr_base", 780, 200, 1_500, 0),
    Param("lmr_slope", 440, 250, 800, 0),
    Param("lmr_pv", 900, 0, 2_000, 0),
    Param("lmr_cut", 1_400, 0, 2_500, 0),
    Param("lmr_improving", 600, 0, 1_500, 0),
    Param("lmr_noisy_move", 700, 0, 1_500, 0),
    Param("lmr_killer", 900, 0, 2_000, 0),
    Param("lmr_check", 800, 0, 2_000, 0),
    Param("lmr_children", 900, 0, 2_000, 0),
    Param("lmr_history", 9, 2, 20, 0),
    Param("lmr_capture", 1_000, 0, 2_500, 0),
    Param("deeper_margin", 45, 10, 120, 0),
    # Histories
    Param("bonus_slope", 180, 50, 400, 0),
    Param("bonus_offset", 100, -100, 400, 0),
    Param("bonus_most", 1_700, 600, 3_000, 0),
    Param("correction_weight", 60, 0, 160, 0),
    # Quiescence
    Param("qs_exchange", -40, -200, 50, -30_000),
    Param("qs_futility", 150, 50, 400, 1_000_000),
    Param("qs_evasions", 2, 0, 20, 256),
    Param("qs_checks", 1, 0, 2, 0),  # plies of quiescence in which quiet checks are tried
)


def record(values: dict[str, int] | None = None) -> Record:
    """The numbers as the kernels read them; `values` replaces some by name."""
    given = values or {}
    unknown = set(given) - {param.name for param in PARAMS}
    if unknown:
        message = f"unknown search parameter: {', '.join(sorted(unknown))}"
        raise ValueError(message)
    shape = [(param.name, "i8") for param in PARAMS]
    made = np.zeros(1, np.dtype([*shape, ("lmr", "i8", (LMR_SIZE, LMR_SIZE))], align=True))[0]
    for param in PARAMS:
        made[param.name] = given.get(param.name, param.value)
    for depth in range(1, LMR_SIZE):
        for tried in range(1, LMR_SIZE):
            product = math.log(depth) * math.log(tried)
            made["lmr"][depth, tried] = round(float(made["lmr_base"]) + float(made["lmr_slope"]) * product)
    return made


def plain(**values: int) -> Record:
    """Alpha-beta and quiescence of every capture, nothing cut, reduced or extended, but for what is given."""
    return record({param.name: param.plain for param in PARAMS} | values)
