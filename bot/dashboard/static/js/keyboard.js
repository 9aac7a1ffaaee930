/** The keyboard on a board: arrows walk over the squares, Enter or Space chooses, Escape lets go. */

const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/** @param {import("./board.js").Board} board */
export function listenToKeys(board) {
  const { squares } = board;
  squares.grid.addEventListener("keydown", (event) => {
    const square = event.target.dataset.square;
    if (!square || event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key in STEPS) {
      event.preventDefault();
      event.stopPropagation();
      walk(squares, square, STEPS[event.key]);
    } else if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      choose(board, square);
    } else if (event.key === "Escape") {
      board.cancelPremove();
      board.select(null);
    }
  });
}

function walk(squares, square, [across, down]) {
  const index = squares.order.indexOf(square);
  const column = Math.min(7, Math.max(0, (index % 8) + across));
  const row = Math.min(7, Math.max(0, Math.floor(index / 8) + down));
  squares.focus(squares.order[row * 8 + column]);
}

function choose(board, square) {
  if (board.selected === square) {
    board.select(null);
    return;
  }
  board.press(square);
  const count = board.targets(board.selected).size;
  if (board.selected === square) board.announce(`${square} selected, ${count} ${count === 1 ? "move" : "moves"}`);
}
