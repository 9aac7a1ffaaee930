/**
 * A chess board for the page. It draws, and says what the player wants; what is legal it is told.
 *
 *   import { Board } from "./board.js";
 *
 *   // a board to look at (many of them, changing often): no focus, no pointer, read out as one picture
 *   const mini = new Board(element, { interactive: false });
 *   mini.set({ fen, lastMove: "e2e4", check: false });
 *   mini.orientation = "black";
 *
 *   // a board to play on
 *   const board = new Board(element, { onMove: (uci) => send(uci), onPremove: (uci) => {} });
 *   board.set({ fen, lastMove, check, legal: ["e2e4", "e7e8q", "P@e4"], side: "white" });
 *   board.flip();  board.arrows([{ from: "e2", to: "e4" }]);  board.announce("Knight f3");
 *
 * `set` says all at once and may be called at any rate: only what changed is touched. `fen` may be its board
 * alone. `check` true: the king of the side to move is in check. `legal` are the moves of the side to move.
 * `side` is the one the player moves; on the other's turn its moves are premoves, kept until they are legal.
 * The element needs nothing but a width: the board is square. Styles: base.css. Pieces: /static/pieces/wK.svg.
 */

import { Announcer, BoardSquares } from "./boardsquares.js";
import { listenToKeys } from "./keyboard.js";
import { listenToPointer } from "./pointer.js";
import { PieceLayer } from "./pieces.js";
import { predrops, premoves } from "./premove.js";
import { choosePromotion } from "./promotion.js";
import { drawArrows } from "./arrows.js";
import { kingOf, other, readFen, readUci, sideOf, touched } from "./squares.js";

const EMPTY = "8/8/8/8/8/8/8/8 w - - 0 1";

/**
 * @typedef {object} Scene
 * @property {string} fen
 * @property {string|null} [lastMove] UCI
 * @property {boolean} [check]
 * @property {string[]} [legal] UCI, of the side to move
 * @property {"white"|"black"|null} [side] whom the player moves; null: nobody
 */

export class Board {
  #orientation;
  #options;
  /** @type {Scene} */
  #scene = { fen: EMPTY };
  #position = readFen(EMPTY);
  #selected = null; // a square, or "P@" for a piece in the pocket
  #premove = null;
  #asking = false;

  /**
   * @param {HTMLElement} root
   * @param {{interactive?: boolean, orientation?: "white"|"black", coordinates?: boolean, label?: string,
   *   onMove?: (uci: string) => void, onPremove?: (uci: string|null) => void}} [options]
   */
  constructor(root, options = {}) {
    this.root = root;
    this.#options = { interactive: true, label: "Chess board", onMove() {}, onPremove() {}, ...options };
    const { interactive } = this.#options;
    this.#orientation = options.orientation ?? "white";
    root.classList.add("board");
    root.classList.toggle("mini", !interactive);
    const coordinates = options.coordinates ?? interactive;
    this.squares = new BoardSquares(root, { interactive, coordinates, label: this.#options.label });
    this.layer = new PieceLayer(div(root, "pieces"));
    this.layer.root.setAttribute("aria-hidden", "true");
    this.squares.build(this.#orientation);
    if (interactive) {
      this.announcer = new Announcer(root);
      listenToPointer(this);
      listenToKeys(this);
    }
    this.set(this.#scene);
  }

  /** @param {Scene} scene */
  set(scene) {
    const before = this.#scene.fen;
    this.#scene = { lastMove: null, check: false, legal: [], side: null, ...scene };
    if (this.#scene.fen !== before) {
      this.#position = readFen(this.#scene.fen);
      if (!this.#mayTouch(this.#selected)) this.#selected = null;
    }
    this.layer.show(this.#position.pieces, this.#orientation);
    this.#mark();
    this.#tryPremove();
  }

  get orientation() {
    return this.#orientation;
  }

  set orientation(side) {
    if (side === this.#orientation) return;
    this.#orientation = side;
    this.squares.build(side);
    this.layer.show(this.#position.pieces, side);
    this.#mark();
    this.arrows([]);
  }

  flip() {
    this.orientation = other(this.#orientation);
  }

  get selected() {
    return this.#selected;
  }

  get premove() {
    return this.#premove;
  }

  cancelPremove() {
    this.#setPremove(null);
  }

  /** Arrows over the board, such as a variation's first moves; an empty list removes them. */
  arrows(list) {
    drawArrows(this.root, list, this.#orientation);
  }

  /** The keyboard enters the board here. */
  focus(square) {
    this.squares.focus(square);
  }

  /** Told to a screen reader, once. */
  announce(text) {
    this.announcer?.say(text);
  }

  /** A square was clicked, touched, or chosen with Enter. True: its piece may be dragged from here. */
  press(square) {
    if (this.#asking) return false;
    if (this.#selected && this.#selected !== square && this.targets(this.#selected).has(square)) {
      this.#go(this.#selected, square);
      return false;
    }
    const isOwn = this.#mayTouch(square);
    if (!isOwn && this.#premove) this.cancelPremove();
    this.select(isOwn ? square : null);
    return isOwn;
  }

  /** Choose a square, a pocket piece ("N@"), or nothing. */
  select(what) {
    this.#selected = what && this.#mayTouch(what) ? what : null;
    this.#mark();
  }

  /** A piece was dragged from one square and let go on another. */
  release(from, to) {
    this.layer.drop(from);
    if (to && to !== from && this.targets(from).has(to)) this.#go(from, to);
  }

  /** Where the piece on a square, or in the pocket, may go now; or as a premove. */
  targets(what) {
    if (!what) return new Set();
    if (!this.#isOurTurn) {
      return what[1] === "@" ? predrops(what[0]) : premoves(this.#position.pieces, what);
    }
    const reached = this.#scene.legal.filter((uci) => uci.startsWith(what)).map((uci) => readUci(uci).to);
    return new Set(reached);
  }

  get #isOurTurn() {
    return this.#position.turn === this.#scene.side;
  }

  #mayTouch(what) {
    const { side } = this.#scene;
    if (!what || !side) return false;
    if (what[1] === "@") return (this.#position.pocket[side][what[0]] ?? 0) > 0;
    const piece = this.#position.pieces.get(what);
    return Boolean(piece) && sideOf(piece) === side;
  }

  async #go(from, to) {
    this.select(null);
    if (!this.#isOurTurn) {
      this.#setPremove(from + to);
      return;
    }
    const moves = this.#scene.legal.filter((uci) => uci.startsWith(from + to));
    let [uci] = moves;
    if (moves.length > 1 || uci.length > 4) {
      const letter = await this.#askPromotion(to, moves.map((each) => readUci(each).promotion));
      uci = moves.find((each) => readUci(each).promotion === letter);
    }
    if (uci && this.#isOurTurn && this.#scene.legal.includes(uci)) this.#send(uci);
  }

  async #askPromotion(square, choices) {
    this.#asking = true;
    const { side } = this.#scene;
    try {
      return await choosePromotion(this.root, { square, side, choices, orientation: this.#orientation });
    } finally {
      this.#asking = false;
      if (this.root.contains(document.activeElement) || document.activeElement === document.body) {
        this.squares.focus(square);
      }
    }
  }

  /** Shown at once; the next `set` says what really became of it. */
  #send(uci) {
    const { from, to, drop, promotion } = readUci(uci);
    const pieces = new Map(this.#position.pieces);
    const mine = this.#scene.side === "white" ? "w" : "b";
    const moved = drop ? mine + drop : pieces.get(from);
    const isOntoOwnRook = pieces.get(to)?.[0] === mine; // castling in Chess960: the answer says where to
    if (from && !isOntoOwnRook) pieces.delete(from);
    if (!isOntoOwnRook) pieces.set(to, promotion ? mine + promotion.toUpperCase() : moved);
    this.layer.show(pieces, this.#orientation);
    this.#scene = { ...this.#scene, fen: "", legal: [], lastMove: uci, check: false };
    this.#position = { ...this.#position, pieces, turn: other(this.#position.turn) };
    this.#mark();
    this.#options.onMove(uci);
  }

  #setPremove(uci) {
    if (uci === this.#premove) return;
    this.#premove = uci;
    this.#mark();
    this.#options.onPremove(uci);
  }

  /** It is our turn: what was decided before is played if it is legal, and forgotten if not. */
  #tryPremove() {
    if (!this.#premove || (this.#scene.side && !this.#isOurTurn)) return;
    const wanted = this.#premove;
    this.#setPremove(null);
    const found = this.#scene.legal.filter((uci) => uci.startsWith(wanted));
    const uci = found.find((each) => each === wanted || each === `${wanted}q`) ?? found[0];
    if (uci && this.#isOurTurn) queueMicrotask(() => this.#scene.legal.includes(uci) && this.#send(uci));
  }

  #mark() {
    const { lastMove, check } = this.#scene;
    const { pieces, turn } = this.#position;
    this.squares.mark({
      pieces,
      last: lastMove ? touched(lastMove) : [],
      check: check ? kingOf(pieces, turn) : null,
      selected: this.#selected,
      targets: this.targets(this.#selected),
      premove: this.#premove ? touched(this.#premove) : [],
      waiting: Boolean(this.#scene.side) && !this.#isOurTurn,
      side: this.#scene.side,
      turn,
    });
  }
}

function div(root, name) {
  const made = document.createElement("div");
  made.className = name;
  root.append(made);
  return made;
}
