/** Moves and results in words. */

import { NAMES } from "./squares.js";

/** "Nxf7+" -> "knight takes f7, check" */
export function spokenMove(san) {
  const end = san.endsWith("#") ? ", checkmate" : san.endsWith("+") ? ", check" : "";
  const bare = san.replace(/[+#]$/, "");
  if (bare === "O-O") return `castles kingside${end}`;
  if (bare === "O-O-O") return `castles queenside${end}`;
  const [body, promoted] = bare.split("=");
  const words = body
    .replace(/^([KQRBNP]?)@/, (_, letter) => `${NAMES[letter || "P"]} dropped on `)
    .replace(/^[KQRBN]/, (letter) => `${NAMES[letter]} `)
    .replace("x", " takes ")
    .replace(/\s+/g, " ");
  return words + (promoted ? `, promotes to ${NAMES[promoted]}` : "") + end;
}

const ENDS = {
  mate: "by checkmate",
  resign: "by resignation",
  outoftime: "on time",
  timeout: "because the other side left",
  stalemate: "by stalemate",
  variantEnd: "by the rules of the variant",
  cheat: "by decision",
};

/** How a game ended, for whoever played `mine`: {title, text, tone}. */
export function endOf(state, mine, bot) {
  if (["aborted", "noStart"].includes(state.status)) {
    return { title: "Game aborted", text: "No result is counted.", tone: "draw" };
  }
  const how = ENDS[state.status];
  if (!state.winner) return { title: "Draw", text: how ? `Drawn ${how}.` : "The point is shared.", tone: "draw" };
  const won = state.winner === mine;
  const text = `${won ? "You win" : `${bot} wins`} ${how ?? ""}`.trim();
  return { title: won ? "You won!" : `${bot} won`, text: `${text}.`, tone: won ? "win" : "loss" };
}
