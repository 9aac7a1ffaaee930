/** Where a piece may be told to go while the opponent thinks: by its way of moving, whatever stands between. */

import { fileOf, rankOf, sideOf, squareAt } from "./squares.js";

const STRAIGHT = [[1, 0], [-1, 0], [0, 1], [0, -1]];
const SLANTED = [[1, 1], [1, -1], [-1, 1], [-1, -1]];
const LEAPS = [[1, 2], [2, 1], [-1, 2], [-2, 1], [1, -2], [2, -1], [-1, -2], [-2, -1]];
const RAYS = { B: SLANTED, R: STRAIGHT, Q: [...STRAIGHT, ...SLANTED] };

/**
 * @param {Map<string, string>} pieces
 * @param {string} square of a piece
 * @returns {Set<string>}
 */
export function premoves(pieces, square) {
  const piece = pieces.get(square);
  if (!piece) return new Set();
  const kind = piece[1];
  if (kind === "P") return pawn(square, sideOf(piece) === "white" ? 1 : -1);
  if (kind === "N") return steps(square, LEAPS);
  if (kind === "K") return king(pieces, square, piece);
  return rays(square, RAYS[kind]);
}

/** Squares on which a piece from the pocket may be told to land. */
export function predrops(letter) {
  const squares = new Set();
  for (let index = 0; index < 64; index++) {
    const rank = Math.floor(index / 8);
    if (letter !== "P" || (rank > 0 && rank < 7)) squares.add(squareAt(index % 8, rank));
  }
  return squares;
}

function steps(square, ways) {
  const reached = ways.map(([across, up]) => squareAt(fileOf(square) + across, rankOf(square) + up));
  return new Set(reached.filter(Boolean));
}

function rays(square, ways) {
  const far = [1, 2, 3, 4, 5, 6, 7];
  return steps(square, ways.flatMap(([across, up]) => far.map((times) => [across * times, up * times])));
}

function pawn(square, up) {
  const ways = [[0, up], [-1, up], [1, up]];
  const home = up > 0 ? [0, 1] : [6, 7]; // the first rank as well: Horde has pawns there
  if (home.includes(rankOf(square))) ways.push([0, 2 * up]);
  return steps(square, ways);
}

/** One step; castling two steps from e1 or e8, or onto a rook of ours. */
function king(pieces, square, piece) {
  const reached = steps(square, [...STRAIGHT, ...SLANTED]);
  for (const [at, rook] of pieces) {
    if (rook !== `${piece[0]}R` || rankOf(at) !== rankOf(square)) continue;
    reached.add(at);
    const two = squareAt(fileOf(square) + (fileOf(at) > fileOf(square) ? 2 : -2), rankOf(square));
    if (fileOf(square) === 4 && two) reached.add(two);
  }
  return reached;
}
