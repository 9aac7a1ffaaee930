/** The 64 squares: what is marked on them, how they are read out, and which of them has the focus. */

import { FILES, inReadingOrder, sideOf, spoken } from "./squares.js";

export class BoardSquares {
  /** @param {HTMLElement} root @param {{interactive: boolean, coordinates: boolean, label: string}} options */
  constructor(root, { interactive, coordinates, label }) {
    this.root = root;
    this.interactive = interactive;
    this.coordinates = coordinates;
    this.grid = document.createElement("div");
    this.grid.className = "squares";
    this.grid.setAttribute("role", interactive ? "grid" : "img");
    this.grid.setAttribute("aria-label", label);
    this.label = label;
    root.append(this.grid);
    this.home = "e2"; // where Tab enters the board
    /** @type {Map<string, HTMLElement>} */
    this.cells = new Map();
  }

  build(orientation) {
    const focused = this.grid.contains(document.activeElement) ? document.activeElement.dataset.square : null;
    const order = inReadingOrder(orientation);
    const rows = [];
    for (let row = 0; row < 8; row++) {
      const line = document.createElement("div");
      line.className = "row";
      if (this.interactive) line.setAttribute("role", "row");
      line.append(...order.slice(row * 8, row * 8 + 8).map((square) => this.#cell(square)));
      rows.push(line);
    }
    this.grid.replaceChildren(...rows);
    this.order = order;
    if (this.coordinates) this.#writeCoordinates();
    if (focused) this.focus(focused);
  }

  /** Everything that is to be seen on the squares; classes change only where they differ. */
  mark({ pieces, last, check, selected, targets, premove, waiting, side, turn }) {
    for (const [square, cell] of this.cells) {
      const piece = pieces.get(square);
      const marks = {
        last: last.includes(square),
        check: square === check,
        selected: square === selected,
        target: targets.has(square),
        capture: targets.has(square) && Boolean(piece),
        premove: premove.includes(square),
        own: Boolean(side && piece && sideOf(piece) === side),
      };
      for (const [name, on] of Object.entries(marks)) {
        if (cell.classList.contains(name) !== on) cell.classList.toggle(name, on);
      }
      if (this.interactive) this.#describe(cell, square, piece, marks);
    }
    this.root.classList.toggle("waiting", waiting);
    if (!this.interactive) this.#picture(pieces, turn);
  }

  focus(square) {
    this.#enterAt(square);
    this.cells.get(square).focus();
  }

  /** The square under a point of the window, or null. */
  at(x, y) {
    const { left, top, width } = this.grid.getBoundingClientRect();
    const [column, row] = [Math.floor(((x - left) / width) * 8), Math.floor(((y - top) / width) * 8)];
    return column < 0 || column > 7 || row < 0 || row > 7 ? null : this.order[row * 8 + column];
  }

  #enterAt(square) {
    this.cells.get(this.home)?.setAttribute("tabindex", "-1");
    this.home = square;
    this.cells.get(square).setAttribute("tabindex", "0");
  }

  #cell(square) {
    const cell = document.createElement("div");
    const isLight = (FILES.indexOf(square[0]) + Number(square[1])) % 2 === 0;
    cell.className = `square ${isLight ? "light" : "dark"}`;
    cell.dataset.square = square;
    if (this.interactive) {
      cell.setAttribute("role", "gridcell");
      cell.setAttribute("tabindex", square === this.home ? "0" : "-1");
    }
    this.cells.set(square, cell);
    return cell;
  }

  #writeCoordinates() {
    this.order.forEach((square, index) => {
      const cell = this.cells.get(square);
      if (index % 8 === 7) cell.dataset.rank = square[1];
      if (index >= 56) cell.dataset.file = square[0];
    });
  }

  #describe(cell, square, piece, { last, check, selected, target }) {
    const words = [square, piece ? spoken(piece) : "empty"];
    if (check) words.push("in check");
    if (selected) words.push("selected");
    if (target) words.push("possible move");
    if (last) words.push("last move");
    const label = words.join(", ");
    if (cell.getAttribute("aria-label") !== label) cell.setAttribute("aria-label", label);
  }

  #picture(pieces, turn) {
    const text = `${this.label}, ${pieces.size} pieces, ${turn} to move`;
    if (this.grid.getAttribute("aria-label") !== text) this.grid.setAttribute("aria-label", text);
  }
}

/** A live region of its own. The same words twice are two messages. */
export class Announcer {
  constructor(root) {
    this.element = document.createElement("div");
    this.element.className = "visually-hidden";
    this.element.setAttribute("role", "status");
    this.element.setAttribute("aria-live", "polite");
    root.append(this.element);
  }

  say(text) {
    const line = document.createElement("p");
    line.textContent = text;
    this.element.replaceChildren(line);
  }
}
