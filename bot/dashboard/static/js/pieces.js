/**
 * The pieces on a board, drawn above its squares. `show` moves the elements that are there: what stays the
 * same is not touched, so many boards may change many times a second.
 */

import { fileOf, placeOf, rankOf } from "./squares.js";

export class PieceLayer {
  /** @param {HTMLElement} root */
  constructor(root) {
    this.root = root;
    /** @type {Map<string, HTMLElement>} */
    this.elements = new Map();
    this.orientation = "white";
  }

  /** Show exactly `pieces`; a piece that vanished here and appeared there walks. */
  show(pieces, orientation) {
    const turned = orientation !== this.orientation;
    this.orientation = orientation;
    const spare = this.#takeAway(pieces);
    for (const [square, piece] of pieces) {
      if (this.elements.has(square)) {
        if (turned) this.put(this.elements.get(square), square);
        continue;
      }
      const element = nearest(spare, piece, square) ?? this.#make(piece);
      this.elements.set(square, element);
      this.put(element, square);
    }
    for (const { element } of spare) element.remove();
  }

  put(element, square) {
    const [column, row] = placeOf(square, this.orientation);
    element.style.transform = `translate(${column * 100}%, ${row * 100}%)`;
  }

  /** Put the piece of `square` under the pointer, in pixels from the board's corner. */
  lift(square, x, y) {
    const element = this.elements.get(square);
    if (!element) return;
    element.classList.add("lifted");
    const half = element.offsetWidth / 2;
    element.style.transform = `translate(${x - half}px, ${y - half}px)`;
  }

  /** Back where it belongs. */
  drop(square) {
    const element = this.elements.get(square);
    if (!element) return;
    element.classList.remove("lifted");
    this.put(element, square);
  }

  #takeAway(pieces) {
    const spare = [];
    for (const [square, element] of [...this.elements]) {
      if (pieces.get(square) === element.dataset.piece) continue;
      element.classList.remove("lifted");
      spare.push({ square, element });
      this.elements.delete(square);
    }
    return spare;
  }

  #make(piece) {
    const element = document.createElement("div");
    element.className = `piece ${piece}`;
    element.dataset.piece = piece;
    this.root.append(element);
    return element;
  }
}

/** Takes the nearest spare element that shows the same piece out of `spare`. */
function nearest(spare, piece, square) {
  let best = -1;
  let least = Infinity;
  spare.forEach((each, index) => {
    if (each.element.dataset.piece !== piece) return;
    const far = Math.max(
      Math.abs(fileOf(each.square) - fileOf(square)),
      Math.abs(rankOf(each.square) - rankOf(square)),
    );
    if (far < least) [best, least] = [index, far];
  });
  return best < 0 ? null : spare.splice(best, 1)[0].element;
}
