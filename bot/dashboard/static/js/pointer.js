/** Mouse, pen and finger on a board: click and click, or drag. */

const DRAG_PX = 4; // less is a click with an unsteady hand

/** @param {import("./board.js").Board} board */
export function listenToPointer(board) {
  const { root, squares, layer } = board;
  let drag = null; // {from, x, y, moved, again}
  let handled = false; // the click that follows a press was dealt with

  const over = (event) => squares.at(event.clientX, event.clientY);

  const end = (event, isDropped) => {
    if (!drag) return;
    const { from, moved, again } = drag;
    drag = null;
    hover(null);
    if (moved) board.release(from, isDropped ? over(event) : null);
    else if (again) board.select(null);
  };

  const hover = (square) => {
    squares.grid.querySelector(".hover")?.classList.remove("hover");
    if (square) squares.cells.get(square).classList.add("hover");
  };

  root.addEventListener("pointerdown", (event) => {
    if (event.button !== 0 || !event.isPrimary) {
      board.cancelPremove();
      board.select(null);
      return;
    }
    const square = over(event);
    if (!square) return;
    handled = true;
    event.preventDefault(); // no text is selected, no picture dragged
    const again = board.selected === square;
    const mayDrag = board.press(square);
    squares.focus(square);
    if (!mayDrag) return;
    drag = { from: square, x: event.clientX, y: event.clientY, moved: false, again };
    root.setPointerCapture(event.pointerId);
  });

  root.addEventListener("pointermove", (event) => {
    if (!drag) return;
    const far = Math.hypot(event.clientX - drag.x, event.clientY - drag.y);
    if (!drag.moved && far < DRAG_PX) return;
    drag.moved = true;
    const { left, top } = squares.grid.getBoundingClientRect();
    layer.lift(drag.from, event.clientX - left, event.clientY - top);
    hover(over(event));
  });

  root.addEventListener("pointerup", (event) => end(event, true));
  root.addEventListener("pointercancel", (event) => end(event, false));
  root.addEventListener("contextmenu", (event) => event.preventDefault());

  // a screen reader clicks without a pointer
  root.addEventListener("click", (event) => {
    const square = event.target.closest?.("[data-square]")?.dataset.square;
    if (!handled && square) board.press(square);
    handled = false;
  });
}
