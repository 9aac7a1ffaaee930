"""The shapes a net may be trained in."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

FEATURES = 768  # (ours or theirs) x six sorts of men x 64 squares
ROW_LIMIT = 1.94  # of an input weight and of a bias: 33 of them are within 16 bits, at 511 to the unit
OUT_LIMIT = 2.0  # of an output weight: far beyond what is learnt
OUTPUT_BUCKETS = (1, 2, 4, 8)

# Where one's own king stands, files e to h (a view is mirrored until it does), the eighth rank first.
KING_LAYOUTS = {
    "one": "0000 0000 0000 0000 0000 0000 0000 0000",
    "two": "1111 1111 1111 1111 1111 1111 1111 0000",
    "four": "3333 3333 3333 3333 3333 3333 2222 1100",
    "eight": "7777 7777 7777 7777 7777 6666 5544 3210",
}


class Shape(NamedTuple):
    hidden: int = 256  # N: neurons of each view
    kings: str = "one"  # a name in KING_LAYOUTS
    outputs: int = 8  # output buckets by the number of men

    @property
    def king_buckets(self) -> int:
        return int(self.king_table().max()) + 1

    def king_table(self) -> npt.NDArray[np.uint8]:
        """Bucket of each square of one's own king in the view; files a to d cannot occur and are 0."""
        table = np.zeros((8, 8), np.uint8)
        for rank, row in zip(range(7, -1, -1), KING_LAYOUTS[self.kings].split(), strict=True):
            table[rank, 4:] = [int(digit) for digit in row]
        return table.ravel()


def checked(shape: Shape) -> Shape:
    """The same shape, or ValueError with what is wrong with it."""
    if shape.kings not in KING_LAYOUTS:
        raise ValueError(f"no king buckets called {shape.kings!r}; there are {', '.join(KING_LAYOUTS)}")
    if shape.outputs not in OUTPUT_BUCKETS:
        raise ValueError(
            f"{shape.outputs} output buckets; possible are {', '.join(map(str, OUTPUT_BUCKETS))}"
        )
    if shape.hidden < 16 or shape.hidden % 16:
        raise ValueError(f"{shape.hidden} hidden neurons; a multiple of 16 fills the vectors")
    return shape
