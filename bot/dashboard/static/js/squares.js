/**
 * Squares, pieces and FEN: pure functions, no page.
 *
 * A piece is written as its file in /static/pieces: "wK", "bP". A side is "white" or "black".
 * @typedef {"white"|"black"} Side
 * @typedef {{pieces: Map<string, string>, turn: Side, pocket: Record<Side, Record<string, number>>}} Position
 */

export const FILES = "abcdefgh";
export const NAMES = { P: "pawn", N: "knight", B: "bishop", R: "rook", Q: "queen", K: "king" };

/** @returns {Side} */
export const other = (side) => (side === "white" ? "black" : "white");

/** @returns {Side} */
export const sideOf = (piece) => (piece[0] === "w" ? "white" : "black");

/** "wN" -> "white knight" */
export const spoken = (piece) => `${sideOf(piece)} ${NAMES[piece[1]]}`;

/** File and rank from 0. */
export const fileOf = (square) => FILES.indexOf(square[0]);
export const rankOf = (square) => Number(square[1]) - 1;

/** The square at a file and a rank, or null beyond the edge. */
export function squareAt(file, rank) {
  return file >= 0 && file < 8 && rank >= 0 && rank < 8 ? FILES[file] + (rank + 1) : null;
}

/** All squares in reading order for whoever looks from `orientation`. */
export function inReadingOrder(orientation) {
  const order = [...Array(64).keys()].map((index) => squareAt(index % 8, 7 - Math.floor(index / 8)));
  return orientation === "white" ? order : order.reverse();
}

/** Column and row on the screen, from 0 at the top left. */
export function placeOf(square, orientation) {
  const [file, rank] = [fileOf(square), rankOf(square)];
  return orientation === "white" ? [file, 7 - rank] : [7 - file, rank];
}

/**
 * Reads a FEN, or its board alone; pockets of Crazyhouse as "[Qp]" or as a ninth rank.
 * @returns {Position}
 */
export function readFen(fen) {
  const [placement, turn = "w"] = fen.trim().split(/\s+/);
  const [ranks, inHand = ""] = placement.replace("]", "").split("[");
  const rows = ranks.split("/");
  const pieces = new Map();
  rows.slice(0, 8).forEach((row, index) => readRank(row, 7 - index, pieces));
  return { pieces, turn: turn === "b" ? "black" : "white", pocket: readPocket(inHand || rows[8] || "") };
}

function readRank(row, rank, pieces) {
  let file = 0;
  for (const letter of row) {
    if (letter === "~") continue; // a promoted piece of Crazyhouse looks as any other
    if (letter >= "1" && letter <= "8") {
      file += Number(letter);
    } else {
      pieces.set(squareAt(file, rank), pieceOf(letter));
      file += 1;
    }
  }
}

function readPocket(letters) {
  const pocket = { white: {}, black: {} };
  for (const letter of letters) {
    const piece = pieceOf(letter);
    const held = pocket[sideOf(piece)];
    held[piece[1]] = (held[piece[1]] ?? 0) + 1;
  }
  return pocket;
}

const pieceOf = (letter) => (letter === letter.toUpperCase() ? "w" : "b") + letter.toUpperCase();

/** The king of a side, or null where it has none. */
export function kingOf(pieces, side) {
  const wanted = side === "white" ? "wK" : "bK";
  for (const [square, piece] of pieces) if (piece === wanted) return square;
  return null;
}

/**
 * A move as UCI writes it: {from, to, promotion} or, for a drop, {drop: "P", to}.
 */
export function readUci(uci) {
  if (uci[1] === "@") return { drop: uci[0].toUpperCase(), to: uci.slice(2, 4), from: null, promotion: "" };
  return { drop: null, from: uci.slice(0, 2), to: uci.slice(2, 4), promotion: uci.slice(4, 5) };
}

/** The squares a move touches, for marking it. */
export function touched(uci) {
  const { from, to } = readUci(uci);
  return from ? [from, to] : [to];
}
