/** What has been taken, and who is ahead. Pure. */

const WORTH = { P: 1, N: 3, B: 3, R: 5, Q: 9, K: 0 };
const ORDER = ["P", "N", "B", "R", "Q"];

/**
 * @param {Map<string, string>} start @param {Map<string, string>} now pieces by square
 * @param {"white"|"black"} side whose prey it is
 * @returns {{taken: string[], ahead: number}}
 */
export function prey(start, now, side) {
  const [mine, theirs] = side === "white" ? ["w", "b"] : ["b", "w"];
  const [before, after] = [count(start), count(now)];
  const taken = ORDER.flatMap((letter) => {
    const piece = theirs + letter;
    return Array(Math.max(0, (before[piece] ?? 0) - (after[piece] ?? 0))).fill(piece);
  });
  const worth = (colour) => ORDER.reduce((sum, letter) => sum + WORTH[letter] * (after[colour + letter] ?? 0), 0);
  return { taken, ahead: worth(mine) - worth(theirs) };
}

function count(pieces) {
  const counts = {};
  for (const piece of pieces.values()) counts[piece] = (counts[piece] ?? 0) + 1;
  return counts;
}
